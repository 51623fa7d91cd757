// The dispatch pipeline: its passes, and the order in which they run.
#pragma once

#include "choir/pass_registry.hpp"

namespace accy::dispatch {

inline constexpr std::string_view dispatch_pipeline_name = "accy-choir-dispatch";

/// The stage's own passes, in the order in which they first run.
std::vector<choir::PassRegistration> dispatch_stages();
/// The stage's steps; may name passes of earlier stages.
choir::PipelineRegistration dispatch_pipeline_registration();

}  // namespace accy::dispatch
