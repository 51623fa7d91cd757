#include "tensor/passes/lower_activations.hpp"

#include "choir/builder.hpp"
#include "dialect/tensor/interfaces.hpp"

namespace accy::tensor {

using choir::Operation;

namespace {

std::vector<Operation*> composites(choir::Module& module) {
  std::vector<Operation*> found;
  module.operation().walk([&](Operation& operation) {
    if (operation.definition().interface<Expansion>() != nullptr) found.push_back(&operation);
  });
  return found;
}

Result<choir::PassChange> run(choir::PassContext& context) {
  bool changed = false;
  // An expansion may use composites of its own, so expand until none is left.
  for (auto found = composites(context.module); !found.empty();
       found = composites(context.module)) {
    for (Operation* operation : found) {
      choir::Builder builder(operation);
      const auto* expansion = operation->definition().interface<Expansion>();
      ACCY_TRY_ASSIGN(choir::Value * value, expansion->expand(*operation, builder));
      if (value->name().empty()) value->set_name(operation->result()->name());
      operation->result()->replace_all_uses_with(value);
      operation->erase();
    }
    changed = true;
  }
  return changed ? choir::PassChange::changed : choir::PassChange::unchanged;
}

}  // namespace

choir::Pass lower_activations_pass() {
  return {.name = "accy-choir-activation-lower",
          .description = "Replace composite operations by their primitive expansions",
          .options = {},
          .run = run,
          .preserved = {}};
}

}  // namespace accy::tensor
