// The legality rule of a device that cuts loops after a number of iterations.
#pragma once

#include <cstdint>

#include "accy/result.hpp"
#include "choir/operation.hpp"
#include "profile/profile.hpp"

namespace accy::target {

/// Iterations of all loops of one invocation together in the worst case, nested ones multiplied.
/// Trips come from constant bounds (an id counts as 0 from below) or the attribute maximum_trips;
/// a loop without either is an error at its location. Saturates at the largest int64.
Result<std::int64_t> worst_case_iterations(const choir::Operation& function);

/// An error with count and limit when the function may exceed the profile's
/// loop_iterations_maximum; a profile with 0 there has no limit and the function is not counted.
Status check_loop_limit(const choir::Operation& function, const TracedProfile& profile);

}  // namespace accy::target
