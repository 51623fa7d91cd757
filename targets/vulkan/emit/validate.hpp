// Checks of emitted modules.
#pragma once

#include <cstdint>
#include <span>

#include "accy/result.hpp"

namespace accy::vulkan {

/// SPIRV-Tools' validator for Vulkan 1.3, then our own rules.
Status validate_words(std::span<const std::uint32_t> words);

/// What the validator accepts and the memory model does not: every access to workgroup memory must
/// be NonPrivatePointer, else a barrier orders nothing.
Status check_workgroup_accesses(std::span<const std::uint32_t> words);

}  // namespace accy::vulkan
