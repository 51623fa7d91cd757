// generate_kernels: replaces every work item by its launches and kernel programs.
#pragma once

#include "choir/pass.hpp"
#include "kernel/schedule_decisions.hpp"
#include "profile/profile.hpp"

namespace accy::kernel {

/// Chooses a schedule for each item from the profile, generates its kernels and writes its launches
/// in its place. The chosen schedule stays on each launch as attribute `schedule`. The profile must
/// outlive the pass; what it read of it is among the run's facts. `decisions` go before the
/// model's. Kernels are still one for each launch.
choir::Pass generate_kernels_pass(const TargetProfile* profile, ScheduleDecisions decisions);

}  // namespace accy::kernel
