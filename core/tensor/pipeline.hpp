// The tensor pipeline: its passes, and the order in which they run.
#pragma once

#include "choir/pass_registry.hpp"
#include "tensor/passes/lower_activations.hpp"
#include "tensor/passes/lower_einsum.hpp"
#include "tensor/passes/lower_indexing.hpp"
#include "tensor/passes/lower_losses.hpp"

namespace accy::tensor {

inline constexpr std::string_view tensor_pipeline_name = "accy-choir-tensor";

/// How composite operations are lowered, one entry a family that has a choice.
struct LoweringOptions {
  ActivationOptions activation;
  EinsumOptions einsum;
  friend bool operator==(const LoweringOptions&, const LoweringOptions&) = default;
};

/// The stage's own passes, in the order in which they first run.
std::vector<choir::PassRegistration> tensor_stages(const LoweringOptions& options = {});
/// The stage's steps; may name passes of earlier stages.
choir::PipelineRegistration tensor_pipeline_registration();

}  // namespace accy::tensor
