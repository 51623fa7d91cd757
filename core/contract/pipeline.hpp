// The contract pipeline: its passes, and the order in which they run.
#pragma once

#include "choir/pass_registry.hpp"
#include "contract/passes/bind_dimensions.hpp"

namespace accy::contract {

inline constexpr std::string_view contract_pipeline_name = "accy-choir-contract";

/// The stage's own passes, in the order in which they first run.
std::vector<choir::PassRegistration> contract_stages(const DimensionBindings& dimensions = {});
/// The stage's steps; may name passes of earlier stages.
choir::PipelineRegistration contract_pipeline_registration();

}  // namespace accy::contract
