#include "tensor/pipeline.hpp"

#include "contract/passes/canonicalize.hpp"
#include "contract/passes/fold_constants.hpp"
#include "contract/passes/resolve_numeric.hpp"
#include "tensor/passes/lower_activations.hpp"

namespace accy::tensor {

choir::Pipeline tensor_pipeline() {
  return {"accy-choir-tensor",
          {
              lower_activations_pass(),          // leaves broadcasts, casts and constants behind
              contract::resolve_numeric_pass(),  // the expansions' reductions get the contract too
              contract::canonicalize_pass(),     // clears what the expansions left
              contract::fold_constants_pass({}), // and folds what has become constant
          }};
}

}  // namespace accy::tensor
