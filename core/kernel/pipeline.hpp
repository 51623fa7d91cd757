// The kernel pipeline: its passes, and the order in which they run.
#pragma once

#include "choir/pass_registry.hpp"
#include "kernel/schedule_decisions.hpp"
#include "profile/profile.hpp"

namespace accy::kernel {

inline constexpr std::string_view kernel_pipeline_name = "accy-choir-kernel";

/// The stage's own passes, in the order in which they first run. The profile must
/// outlive the passes; without it those that need one cannot be made.
std::vector<choir::PassRegistration> kernel_stages(const TargetProfile* profile = nullptr,
                                                   const ScheduleDecisions& decisions = {});
/// The stage's steps; may name passes of earlier stages.
choir::PipelineRegistration kernel_pipeline_registration();

}  // namespace accy::kernel
