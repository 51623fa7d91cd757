#include "contract/passes/fold_constants.hpp"

#include "choir/builder.hpp"
#include "dialect/tensor/constant.hpp"
#include "dialect/tensor/evaluation.hpp"
#include "dialect/tensor/placement.hpp"
#include "dialect/tensor/type.hpp"
#include "evaluate/tensor_evaluator.hpp"
#include "support/checked.hpp"

namespace accy::contract {

using choir::Operation;
using choir::Value;
using tensor::Evaluation;
using tensor::TensorType;

namespace {

bool is_constant(const Value* value) {
  const Operation* operation = value->defining_operation();
  return operation != nullptr && operation->name() == "tensor.constant";
}

class Folder {
 public:
  Folder(const FoldOptions& options, choir::DecisionLog& log) : options_(options), log_(log) {}

  Result<bool> fold(Operation& operation) {
    if (!foldable(operation)) return false;
    const auto type = TensorType::from(operation.result()->type());
    const std::vector<std::int64_t> shape = type->static_shape();
    ACCY_TRY_ASSIGN(const std::int64_t bytes, byte_count(shape, size_bytes(type->element())));
    if (bytes > options_.result_bytes_maximum ||
        bytes > options_.total_bytes_maximum - total_bytes_) {
      record(operation, false, bytes);
      return false;
    }
    record(operation, true, bytes);
    ACCY_TRY_ASSIGN(const std::vector<HostTensor> operands, operand_values(operation));
    std::vector<const HostTensor*> pointers;
    for (const HostTensor& operand : operands) pointers.push_back(&operand);
    ACCY_TRY_ASSIGN(const HostTensor value, evaluate::evaluate_operation(operation, pointers));
    total_bytes_ += bytes;
    replace(operation, value);
    return true;
  }

 private:
  void record(const Operation& operation, bool accepted, std::int64_t bytes) {
    if (!log_.on()) return;
    const std::string size = std::to_string(bytes) + " bytes";
    log_.record({.kind = "fold",
                 .accepted = accepted,
                 .subject = choir::subject_of(operation),
                 .choice = "a constant of " + size,
                 .reason = accepted
                               ? "all operands are constants"
                               : size + " exceed the budget (" +
                                     std::to_string(options_.result_bytes_maximum) + " a result, " +
                                     std::to_string(options_.total_bytes_maximum) + " in all)",
                 .places = choir::places_of(operation.location())});
  }

  static bool foldable(const Operation& operation) {
    if (!operation.has(choir::Trait::pure) || operation.operand_count() == 0 ||
        tensor::is_movement(operation) || operation.definition().interface<Evaluation>() == nullptr)
      return false;
    for (const Value* operand : operation.operands())
      if (!is_constant(operand)) return false;
    return true;
  }

  static Result<std::vector<HostTensor>> operand_values(const Operation& operation) {
    std::vector<HostTensor> values;
    for (const Value* operand : operation.operands()) {
      ACCY_TRY_ASSIGN(HostTensor value,
                      evaluate::evaluate_operation(*operand->defining_operation(), {}));
      values.push_back(std::move(value));
    }
    return values;
  }

  static void replace(Operation& operation, const HostTensor& value) {
    choir::Builder builder(&operation);
    Operation* constant = tensor::create_constant(builder, value);
    constant->result()->set_name(operation.result()->name());
    operation.result()->replace_all_uses_with(constant->result());
    operation.erase();
  }

  FoldOptions options_;
  choir::DecisionLog& log_;
  std::int64_t total_bytes_ = 0;
};

/// Constants that folding left without a reader.
void erase_unused_constants(choir::Block& block) {
  for (Operation* operation : block.operations())
    if (operation->name() == "tensor.constant" && !operation->has_uses()) operation->erase();
}

Result<choir::PassChange> run(choir::PassContext& context, const FoldOptions& options) {
  Folder folder(options, context.decisions);
  bool changed = false;
  for (Operation* function : context.module.body().operations()) {
    if (function->region_count() == 0) continue;
    for (Operation* operation : function->body().operations()) {
      ACCY_TRY_ASSIGN(const bool folded, folder.fold(*operation));
      changed = changed || folded;
    }
    if (changed) erase_unused_constants(function->body());
  }
  return changed ? choir::PassChange::changed : choir::PassChange::unchanged;
}

std::span<const choir::PassOptionSpec> option_specs() {
  static const choir::PassOptionSpec specs[] = {
      {"result_bytes_maximum", "bytes of one folded value", FoldOptions{}.result_bytes_maximum},
      {"total_bytes_maximum", "bytes of all values folded by one run",
       FoldOptions{}.total_bytes_maximum}};
  return specs;
}

}  // namespace

choir::Pass fold_constants_pass(FoldOptions options) {
  return {.name = "accy-choir-constant-fold",
          .description = "Evaluate what depends on constants alone",
          .options = choir::spell_options(option_specs(),
                                          {{"result_bytes_maximum", options.result_bytes_maximum},
                                           {"total_bytes_maximum", options.total_bytes_maximum}}),
          .run = [options](choir::PassContext& context) { return run(context, options); },
          .preserved = {}};
}

choir::PassRegistration fold_constants_registration() {
  return choir::registration(fold_constants_pass({}), option_specs(),
                             [](const choir::PassOptionValues& values) -> Result<choir::Pass> {
                               return fold_constants_pass(
                                   {.result_bytes_maximum = values.integer("result_bytes_maximum"),
                                    .total_bytes_maximum = values.integer("total_bytes_maximum")});
                             });
}

}  // namespace accy::contract
