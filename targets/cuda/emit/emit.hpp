// PTX text of one legalized kernel program.
#pragma once

#include <string>
#include <string_view>

#include "accy/result.hpp"
#include "choir/operation.hpp"
#include "profile/profile.hpp"
#include "target/backend.hpp"

namespace accy::cuda {

/// Emits one legalized, verified kernel.func as a PTX module with one entry. Its parameters are the
/// function's, so that the argument block's bytes are the launch's parameter buffer.
Result<target::KernelCode> emit(const choir::Operation& function, const TracedProfile& profile);

/// Number of an architecture: 90 of "sm_90a"; an error when it is no "sm_<number>" of at least 75.
Result<int> compute_capability(std::string_view architecture);

/// The PTX name of a function's entry: its symbol with a prefix, so that it is no keyword.
std::string entry_name(std::string_view symbol);

}  // namespace accy::cuda
