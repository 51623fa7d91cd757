// What a kernel.func must become before PTX is emitted for it.
#pragma once

#include "accy/result.hpp"
#include "choir/operation.hpp"
#include "profile/profile.hpp"

namespace accy::cuda {

/// Checks the function against the profile's limits and types, then rewrites it in place into what
/// emit() takes: tanh, erf and float rem become arithmetic and exp; in an exact function exp and
/// log become arithmetic as well, the same on every device. What the profile lacks is an error that
/// names the field, the value and the limit.
Status legalize(choir::Operation& function, const TracedProfile& profile);

}  // namespace accy::cuda
