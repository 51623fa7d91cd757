// The target pipeline: its passes, and the order in which they run.
#pragma once

#include "choir/pass_registry.hpp"
#include "target/passes/emit_code.hpp"

namespace accy::target {

inline constexpr std::string_view target_pipeline_name = "accy-choir-target";

/// The stage's own passes, in the order in which they first run. Backend and profile
/// must outlive the passes; without them those that need one cannot be made.
std::vector<choir::PassRegistration> target_stages(const Backend* backend = nullptr,
                                                   const TargetProfile* profile = nullptr,
                                                   const EmitOptions& options = {});
/// The stage's steps; may name passes of earlier stages.
choir::PipelineRegistration target_pipeline_registration();

}  // namespace accy::target
