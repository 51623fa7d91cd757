// The built-in profile of the interpreter target.
#pragma once

#include <span>

#include "profile/profile.hpp"

namespace accy::interpreter {

/// One profile, "generic": every type and operation of the kernel dialect, generous limits.
std::span<const TargetProfile> profiles();

/// Names of the code that this target emits and its device loads.
inline constexpr std::string_view code_format = "choir-kernel";
inline constexpr std::string_view code_extension = ".choir";

}  // namespace accy::interpreter
