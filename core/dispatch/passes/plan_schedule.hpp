// plan_schedule: launch order and the legal schedule classes of every work item; reads no profile.
#pragma once

#include "choir/pass.hpp"

namespace accy::dispatch {

/// Numbers the items in launch order (attribute `order`) and lists the schedule classes that the
/// kernel stage may choose from (attribute `schedules`), preferred first.
choir::Pass plan_schedule_pass();

}  // namespace accy::dispatch
