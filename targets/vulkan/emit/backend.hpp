// The compiler half of the Vulkan target.
#pragma once

#include "target/backend.hpp"

namespace accy::vulkan {

/// Legalizes kernel programs, emits SPIR-V 1.5 words ("spirv", ".spv") and validates them.
const target::Backend& backend();

}  // namespace accy::vulkan
