// Target options as attributes of a module, so that its text alone says what it is prepared for.
#pragma once

#include <optional>

#include "choir/module.hpp"
#include "kernel/schedule_decisions.hpp"
#include "profile/profile.hpp"

namespace accy::preparation {

struct TargetOptions {
  std::optional<TargetProfile> profile;
  kernel::ScheduleDecisions schedules;
  friend bool operator==(const TargetOptions&, const TargetOptions&) = default;
};

/// Writes profile and decisions into attributes `target_profile`, `row_pipeline_schedules` and
/// `scan_schedules` of the module; what is absent is removed. Products do not keep them: they would
/// put the whole profile into every digest.
void apply_target_options(choir::Module& module, const TargetOptions& options);
void remove_target_options(choir::Module& module);

/// Reads them back. Errors: a profile or a decision that is malformed, with its place.
Result<TargetOptions> read_target_options(const choir::Module& module);

}  // namespace accy::preparation
