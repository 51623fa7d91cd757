// generate_kernels: replaces every work item by its launches and kernel programs.
#pragma once

#include "choir/pass.hpp"
#include "profile/profile.hpp"

namespace accy::kernel {

/// Chooses a schedule for each item from the profile, generates its kernels and writes its launches
/// in its place. The chosen schedule stays on each launch as attribute `schedule`. The profile must
/// outlive the pass. Kernels are still one for each launch.
choir::Pass generate_kernels_pass(TracedProfile& profile);

}  // namespace accy::kernel
