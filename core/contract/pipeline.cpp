#include "contract/pipeline.hpp"

#include "contract/passes/canonicalize.hpp"
#include "contract/passes/fold_constants.hpp"
#include "contract/passes/resolve_numeric.hpp"
#include "contract/passes/saturate.hpp"
#include "contract/passes/shape_layout.hpp"

namespace accy::contract {

std::vector<choir::PassRegistration> contract_stages(const DimensionBindings& dimensions) {
  choir::PassRegistration shape_layout = choir::registration(shape_layout_pass());
  shape_layout.analysis = shape_layout_analysis().name;
  return {bind_dimensions_registration(dimensions), choir::registration(resolve_numeric_pass()),
          choir::registration(canonicalize_pass()), saturate_registration(),
          std::move(shape_layout), fold_constants_registration()};
}

choir::PipelineRegistration contract_pipeline_registration() {
  return {.name = contract_pipeline_name,
          .description = "Normalize the program into the graph that every backend accepts",
          .plan = {{
              {"accy-choir-bind-dimensions"},  // sizes first: all others need them
              {"accy-choir-resolve-numeric"},  // before operations of two contracts could merge
              {"accy-choir-canonicalize"},     // so that folding sees constants behind broadcasts
              {"accy-choir-saturate"},         // before folding, which takes the factors it moves
              {"accy-choir-shape-layout-propagate"},  // of the canonical graph
              {"accy-choir-constant-fold"},  // last: it may leave constants that nothing reads,
                                             // and erases them itself
          }}};
}

}  // namespace accy::contract
