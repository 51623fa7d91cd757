#include "tensor/pipeline.hpp"

namespace accy::tensor {

std::vector<choir::PassRegistration> tensor_stages(const LoweringOptions& options) {
  return {choir::registration(lower_losses_pass()), lower_einsum_registration(options.einsum),
          choir::registration(lower_indexing_pass()),
          lower_activations_registration(options.activation)};
}

choir::PipelineRegistration tensor_pipeline_registration() {
  return {.name = tensor_pipeline_name,
          .description = "Lower composite operations to primitive tensor operations",
          .plan = {{
              {"accy-choir-loss-lower"},  // first, as losses are made of the others
              {"accy-choir-einsum-lower"},
              {"accy-choir-indexing-lower"},
              {"accy-choir-activation-lower"},  // leaves broadcasts, casts and constants behind
              {"accy-choir-resolve-numeric"},   // the expansions' reductions get the contract too
              {"accy-choir-canonicalize"},      // clears what the expansions left
              {"accy-choir-constant-fold"},     // and folds what has become constant
          }}};
}

}  // namespace accy::tensor
