#include "contract/passes/resolve_numeric.hpp"

#include "dialect/tensor/type.hpp"
#include "semantic/numeric.hpp"

namespace accy::contract {

using choir::Attribute;
using choir::AttributeKind;
using semantic::NumericContract;
using semantic::Order;

bool accumulates(const choir::Operation& operation) {
  return operation.name() == "tensor.reduce" || operation.name() == "tensor.matmul";
}

namespace {

Result<bool> resolve(choir::Operation& operation, const NumericContract& contract) {
  choir::Context& context = operation.context();
  const auto type = tensor::TensorType::from(operation.operand(0)->type());
  const ElementType wanted = contract.accumulate_for(type->element());
  bool changed = false;
  if (const Attribute given = operation.attribute("accumulate"); !given) {
    operation.set_attribute("accumulate", context.word(to_string(wanted)));
    changed = true;
  } else if (const auto element = element_type_from(given.text());
             !element || (bit_width(*element) < bit_width(wanted) && is_float(wanted))) {
    return fail(ErrorCode::invalid_input,
                "accumulate (" + std::string(given.text()) +
                    ") is weaker than the program's contract (" +
                    std::string(to_string(wanted)) + ")",
                operation.location().first(), std::string(operation.name()));
  }
  if (const Attribute given = operation.attribute("order"); !given) {
    operation.set_attribute("order", context.word(semantic::to_string(contract.order)));
    changed = true;
  } else if (given.text() == "free" && contract.order == Order::fixed) {
    return fail(ErrorCode::invalid_input,
                "order (free) is weaker than the program's contract (fixed)",
                operation.location().first(), std::string(operation.name()));
  }
  return changed;
}

void record(choir::DecisionLog& log, const choir::Operation& operation) {
  if (!log.on()) return;
  log.record({.kind = "numeric",
              .subject = choir::subject_of(operation),
              .choice = "accumulate " + std::string(operation.attribute("accumulate").text()) +
                        ", order " + std::string(operation.attribute("order").text()),
              .reason = "the program's numeric contract, where the operation says nothing",
              .places = choir::places_of(operation.location())});
}

Result<choir::PassChange> run(choir::PassContext& context) {
  ACCY_TRY_ASSIGN(const NumericContract contract, semantic::numeric_contract(context.module));
  std::vector<choir::Operation*> found;
  context.module.operation().walk([&](choir::Operation& operation) {
    if (accumulates(operation)) found.push_back(&operation);
  });
  bool changed = false;
  for (choir::Operation* operation : found) {
    ACCY_TRY_ASSIGN(const bool one, resolve(*operation, contract));
    if (one) record(context.decisions, *operation);
    changed = changed || one;
  }
  const Attribute before = context.module.operation().attribute("numeric");
  semantic::set_numeric_contract(context.module, contract);
  changed = changed || before != context.module.operation().attribute("numeric");
  return changed ? choir::PassChange::changed : choir::PassChange::unchanged;
}

}  // namespace

choir::Pass resolve_numeric_pass() {
  return {.name = "accy-choir-resolve-numeric",
          .description = "Write the numeric contract onto every reduction and contraction",
          .options = {},
          .run = run,
          .preserved = {}};
}

}  // namespace accy::contract
