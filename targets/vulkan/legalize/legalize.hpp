// Brings a kernel.func into what the emitter takes for a profile.
#pragma once

#include "choir/operation.hpp"
#include "profile/profile.hpp"

namespace accy::vulkan {

/// Expands what SPIR-V has no instruction for and refuses what the profile lacks; an error names
/// the missing profile field. The function is rewritten in place.
Status legalize(choir::Operation& function, const TracedProfile& profile);

}  // namespace accy::vulkan
