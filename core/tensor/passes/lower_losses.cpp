#include "tensor/passes/lower_losses.hpp"

#include "tensor/passes/expand_family.hpp"

namespace accy::tensor {

choir::Pass lower_losses_pass() {
  return {.name = "accy-choir-loss-lower",
          .description = "Replace losses by what they are made of",
          .options = {},
          .run = [](choir::PassContext& context) { return expand_family(context, Family::loss); },
          .preserved = {}};
}

}  // namespace accy::tensor
