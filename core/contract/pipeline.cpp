#include "contract/pipeline.hpp"

#include "contract/passes/canonicalize.hpp"
#include "contract/passes/fold_constants.hpp"
#include "contract/passes/resolve_numeric.hpp"
#include "contract/passes/shape_layout.hpp"

namespace accy::contract {

choir::Pipeline contract_pipeline(DimensionBindings bindings) {
  return {"accy-choir-contract",
          {
              bind_dimensions_pass(std::move(bindings)),  // sizes first: all others need them
              resolve_numeric_pass(),  // before anything could merge operations of two contracts
              canonicalize_pass(),     // so that folding sees constants behind broadcasts
              shape_layout_pass(),     // of the canonical graph
              fold_constants_pass({}), // last: it may leave constants that nothing reads, and
                                       // erases them itself
          }};
}

}  // namespace accy::contract
