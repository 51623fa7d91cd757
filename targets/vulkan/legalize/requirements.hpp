// What a kernel.func asks of a profile.
#pragma once

#include "choir/operation.hpp"
#include "profile/profile.hpp"

namespace accy::vulkan {

/// Workgroup, subgroup and shared memory against the profile's limits; an error names the field.
Status check_frame(const choir::Operation& function, const TracedProfile& profile);

/// Element types of every operation against the profile's storage and arithmetic fields, and
/// operations that SPIR-V offers for some types only.
Status check_types(const choir::Operation& function, const TracedProfile& profile);

/// An exact function needs float behaviour that the profile must declare; integers need none.
Status check_exactness(const choir::Operation& function, const TracedProfile& profile);

}  // namespace accy::vulkan
