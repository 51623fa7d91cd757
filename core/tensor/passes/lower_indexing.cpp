#include "tensor/passes/lower_indexing.hpp"

#include "tensor/passes/expand_family.hpp"

namespace accy::tensor {

choir::Pass lower_indexing_pass() {
  return {
      .name = "accy-choir-indexing-lower",
      .description = "Replace roll, tile and one-hot by movements",
      .options = {},
      .run = [](choir::PassContext& context) { return expand_family(context, Family::indexing); },
      .preserved = {}};
}

}  // namespace accy::tensor
