// The memory pipeline: its passes, and the order in which they run.
#pragma once

#include "choir/pass_registry.hpp"

namespace accy::memory {

inline constexpr std::string_view memory_pipeline_name = "accy-choir-memory";

/// The stage's own passes, in the order in which they first run.
std::vector<choir::PassRegistration> memory_stages();
/// The stage's steps; may name passes of earlier stages.
choir::PipelineRegistration memory_pipeline_registration();

}  // namespace accy::memory
