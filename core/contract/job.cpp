#include "contract/job.hpp"

#include "contract/passes/resolve_numeric.hpp"
#include "dialect/tensor/type.hpp"

namespace accy::contract {

namespace {

/// No symbol is left in any type, and every reduction says how it accumulates.
void verify_contract(const choir::Module& module, choir::Diagnostics& diagnostics) {
  const choir::Operation& top = module.operation();
  top.walk([&](const choir::Operation& operation) {
    for (std::size_t index = 0; index < operation.result_count(); ++index) {
      const auto type = tensor::TensorType::from(operation.result(index)->type());
      if (type && !type->is_static())
        diagnostics.report(operation, "has an unbound dimension in " +
                                          tensor::type_to_string(type->type()));
    }
    if (accumulates(operation) &&
        !(operation.attribute("accumulate") && operation.attribute("order")))
      diagnostics.report(operation, "does not say how it accumulates");
  });
}

}  // namespace

const choir::StageSpec& ContractStage::spec() {
  static const choir::StageSpec spec{.stage = "contract",
                                     .version = 1,
                                     .legal = semantic::is_tensor_operation,
                                     .verify = verify_contract};
  return spec;
}

}  // namespace accy::contract
