#include "evaluate/tensor_evaluator.hpp"

#include <unordered_map>

#include "choir/builder.hpp"
#include "choir/module.hpp"
#include "choir/value_table.hpp"
#include "dialect/tensor/arithmetic/wide.hpp"
#include "dialect/tensor/evaluation.hpp"
#include "dialect/tensor/interfaces.hpp"

namespace accy::evaluate {
namespace {

using choir::Block;
using choir::Operation;
using choir::Value;
using tensor::TensorType;

/// Gives an error the place and name of the op, unless it has them.
Failure located(Error error, const Operation& operation) {
  if (!error.where.known()) error.where = operation.location().first();
  if (error.op.empty()) error.op = operation.name();
  return fail(std::move(error));
}

Result<HostTensor> call(const tensor::Evaluation& evaluation,
                        const tensor::Call<HostTensor>& arguments) {
  return evaluation.typed(arguments);
}
Result<WideTensor> call(const tensor::Evaluation& evaluation,
                        const tensor::Call<WideTensor>& arguments) {
  return evaluation.wide(arguments);
}

/// Values of one block under evaluation. Results are dropped after their last use.
template <class Tensor>
class Runner {
 public:
  Runner(const WeightSource& weights, const Bindings& bindings)
      : weights_(weights), bindings_(bindings) {}

  /// The tensor must live as long as the runner.
  void bind(const Value* value, const Tensor* tensor) { values_[value] = tensor; }
  void count_uses(std::span<Operation* const> operations);
  Status run(const Operation& operation);
  Result<Tensor> take(const Value* value);

 private:
  Result<const Tensor*> find(const Value* value) const;
  Result<Tensor> compute(const Operation& operation, std::span<const Tensor* const> operands) const;
  Result<Tensor> expand(const Operation& operation, const tensor::Expansion& expansion,
                        std::span<const Tensor* const> operands) const;
  template <class Any>
  friend Result<Any> compute_operation(const Operation&, std::span<const Any* const>,
                                       const WeightSource&, const Bindings&);

  const WeightSource& weights_;
  const Bindings& bindings_;
  std::unordered_map<const Value*, const Tensor*> values_;
  std::unordered_map<const Value*, std::unique_ptr<Tensor>> results_;
  std::unordered_map<const Value*, std::size_t> uses_;
};

template <class Tensor>
void Runner<Tensor>::count_uses(std::span<Operation* const> operations) {
  for (const Operation* operation : operations)
    for (std::size_t index = 0; index < operation->operand_count(); ++index)
      ++uses_[operation->operand(index)];
}

template <class Tensor>
Result<const Tensor*> Runner<Tensor>::find(const Value* value) const {
  const auto found = values_.find(value);
  if (found != values_.end()) return found->second;
  return fail(ErrorCode::internal, "operand is defined outside the evaluated block");
}

template <class Tensor>
Status Runner<Tensor>::run(const Operation& operation) {
  std::vector<const Tensor*> operands;
  for (std::size_t index = 0; index < operation.operand_count(); ++index) {
    auto found = find(operation.operand(index));
    if (!found) return located(std::move(found.error()), operation);
    operands.push_back(*found);
  }
  auto result = compute(operation, operands);
  if (!result) return located(std::move(result.error()), operation);
  const Value* value = operation.result();
  results_[value] = std::make_unique<Tensor>(std::move(*result));
  values_[value] = results_[value].get();
  for (std::size_t index = 0; index < operation.operand_count(); ++index)
    if (const Value* operand = operation.operand(index); --uses_[operand] == 0)
      results_.erase(operand);  // only results are owned here
  return {};
}

template <class Tensor>
Result<Tensor> Runner<Tensor>::take(const Value* value) {
  ACCY_TRY_ASSIGN(const Tensor* found, find(value));
  const auto owned = results_.find(value);
  std::size_t& uses = uses_[value];
  if (owned == results_.end() || uses > 1) {
    --uses;
    return Tensor(*found);
  }
  return std::move(*owned->second);
}

template <class Tensor>
Result<Tensor> Runner<Tensor>::compute(const Operation& operation,
                                       std::span<const Tensor* const> operands) const {
  if (const auto* expansion = operation.definition().interface<tensor::Expansion>())
    return expand(operation, *expansion, operands);
  const auto* evaluation = operation.definition().interface<tensor::Evaluation>();
  if (evaluation == nullptr)
    return fail(ErrorCode::unsupported, "operation cannot be evaluated on tensors");
  const auto type = TensorType::from(operation.result()->type());
  ACCY_ASSERT(type.has_value(), "verified tensor op has no tensor result");
  ACCY_TRY_ASSIGN(const std::vector<std::int64_t> shape, resolve_shape(*type, bindings_));
  return call(*evaluation, tensor::Call<Tensor>{operation, operands, type->element(), shape,
                                                tensor::numeric_mode(operation), weights_});
}

template <class Tensor>
choir::Type static_type(choir::Context& context, const Tensor& tensor) {
  std::vector<tensor::Dimension> shape;
  for (const std::int64_t size : tensor.shape) shape.push_back({size, {}});
  return TensorType::get(context, tensor.element, shape);
}

/// Expands a copy of the op in a context of its own: the module under evaluation stays as it is,
/// and may be shared by threads.
template <class Tensor>
Result<Tensor> Runner<Tensor>::expand(const Operation& operation,
                                      const tensor::Expansion& expansion,
                                      std::span<const Tensor* const> operands) const {
  const Operation* top = &operation;
  while (top->parent() != nullptr) top = top->parent();
  choir::Module scratch(operation.context().registry(), "semantic");
  if (const choir::Attribute numeric = top->attribute("numeric"))
    scratch.operation().set_attribute("numeric", scratch.context().import(numeric));

  Runner inner(weights_, bindings_);
  choir::ValueMap map;
  for (std::size_t index = 0; index < operands.size(); ++index) {
    const Value* operand = operation.operand(index);
    // Of known sizes, which an expansion may need.
    Value* argument = scratch.body().add_argument(static_type(scratch.context(), *operands[index]));
    map[operand] = argument;
    inner.bind(argument, operands[index]);
  }
  Operation* copy = scratch.body().push_back(operation.clone(scratch.context(), map));
  if (copy->definition().infer != nullptr) {
    const std::vector<choir::NamedAttribute> attributes(copy->attributes().begin(),
                                                        copy->attributes().end());
    ACCY_TRY_ASSIGN(Operation * sized, choir::Builder(copy).create_inferred(
                                           copy->name(), copy->operands(), attributes));
    copy->erase();
    copy = sized;
  }
  choir::Builder builder(copy);
  ACCY_TRY_ASSIGN(const Value* result, expansion.expand(*copy, builder));
  std::vector<Operation*> operations = scratch.body().operations();
  operations.pop_back();  // the copy
  inner.count_uses(operations);
  for (const Operation* primitive : operations) ACCY_TRY(inner.run(*primitive));
  return inner.take(result);
}

std::string input_name(const Block& block, std::size_t index) {
  if (block.parent() == nullptr) return "input " + std::to_string(index);
  const choir::Attribute names = block.parent()->attribute("inputs");
  if (names.is(choir::AttributeKind::array) && index < names.array().size() &&
      names.array()[index].is(choir::AttributeKind::string))
    return "input " + std::string(names.array()[index].text());
  return "input " + std::to_string(index);
}

template <class Tensor>
Result<std::vector<Tensor>> run_block(const Block& block, std::span<const Tensor> inputs,
                                      const WeightSource& weights, Bindings bindings) {
  if (inputs.size() != block.argument_count())
    return fail(ErrorCode::invalid_input, "program takes " +
                                              std::to_string(block.argument_count()) +
                                              " inputs, not " + std::to_string(inputs.size()));
  Runner<Tensor> runner(weights, bindings);
  for (std::size_t index = 0; index < inputs.size(); ++index) {
    const auto type = TensorType::from(block.argument(index)->type());
    if (!type)
      return fail(ErrorCode::unsupported, "argument " + std::to_string(index) +
                                              " of the evaluated block is no tensor");
    ACCY_TRY(bind_shape(*type, inputs[index].element, inputs[index].shape,
                        input_name(block, index), bindings));
    runner.bind(block.argument(index), &inputs[index]);
  }
  const Operation* end = block.terminator();
  if (end == nullptr) return fail(ErrorCode::internal, "evaluated block has no terminator");
  const std::vector<Operation*> operations = block.operations();
  runner.count_uses(operations);
  for (const Operation* operation : operations)
    if (operation != end) ACCY_TRY(runner.run(*operation));
  std::vector<Tensor> outputs;
  for (std::size_t index = 0; index < end->operand_count(); ++index) {
    auto output = runner.take(end->operand(index));
    if (!output) return located(std::move(output.error()), *end);
    outputs.push_back(std::move(*output));
  }
  return outputs;
}

template <class Any>
Result<Any> compute_operation(const Operation& operation, std::span<const Any* const> operands,
                              const WeightSource& weights, const Bindings& bindings) {
  auto result = Runner<Any>(weights, bindings).compute(operation, operands);
  if (!result) return located(std::move(result.error()), operation);
  return result;
}

}  // namespace

Result<std::vector<std::int64_t>> resolve_shape(TensorType type, const Bindings& bindings) {
  std::vector<std::int64_t> shape;
  for (const tensor::Dimension& dimension : type.shape()) {
    if (!dimension.is_symbol()) {
      shape.push_back(dimension.size);
      continue;
    }
    const auto found = bindings.find(dimension.symbol);
    if (found == bindings.end())
      return fail(ErrorCode::invalid_input, "dimension (" + std::string(dimension.symbol) +
                                                ") of " + tensor::type_to_string(type) +
                                                " is bound by no input");
    shape.push_back(found->second);
  }
  return shape;
}

Status bind_shape(TensorType type, ElementType element, std::span<const std::int64_t> shape,
                  std::string_view what, Bindings& bindings) {
  const std::string name(what);
  if (element != type.element())
    return fail(ErrorCode::invalid_input, name + " has element type " +
                                              std::string(to_string(element)) +
                                              ", the program says " +
                                              std::string(to_string(type.element())));
  if (shape.size() != type.rank())
    return fail(ErrorCode::invalid_input, name + " has shape " + tensor::shape_to_string(shape) +
                                              ", the program says " +
                                              tensor::shape_to_string(type.shape()));
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const tensor::Dimension dimension = type.dimension(axis);
    std::int64_t expected = dimension.size;
    if (dimension.is_symbol())
      expected = bindings.emplace(dimension.symbol, shape[axis]).first->second;
    if (expected == shape[axis]) continue;
    const std::string said = dimension.is_symbol()
                                 ? "dimension (" + std::string(dimension.symbol) + ") is " +
                                       std::to_string(expected) + " elsewhere"
                                 : "the program says " + std::to_string(expected);
    return fail(ErrorCode::invalid_input, name + " has size " + std::to_string(shape[axis]) +
                                              " along axis " + std::to_string(axis) + ", " + said);
  }
  return {};
}

Result<std::vector<HostTensor>> evaluate_block(const Block& block,
                                               std::span<const HostTensor> inputs,
                                               const WeightSource& weights, Bindings bindings) {
  return run_block(block, inputs, weights, std::move(bindings));
}

Result<std::vector<WideTensor>> evaluate_block(const Block& block,
                                               std::span<const WideTensor> inputs,
                                               const WeightSource& weights, Bindings bindings) {
  return run_block(block, inputs, weights, std::move(bindings));
}

Result<std::vector<HostTensor>> evaluate(const Operation& function,
                                         std::span<const HostTensor> inputs,
                                         const WeightSource& weights) {
  return run_block(function.body(), inputs, weights, {});
}

Result<std::vector<WideTensor>> evaluate_wide(const Operation& function,
                                              std::span<const HostTensor> inputs,
                                              const WeightSource& weights) {
  std::vector<WideTensor> exact;
  for (const HostTensor& input : inputs) exact.push_back(tensor::widen(input));
  ACCY_TRY_ASSIGN(std::vector<WideTensor> outputs,
                  run_block<WideTensor>(function.body(), exact, weights, {}));
  for (WideTensor& output : outputs) tensor::settle(output);
  return outputs;
}

Result<HostTensor> evaluate_operation(const Operation& operation,
                                      std::span<const HostTensor* const> operands,
                                      const WeightSource& weights, const Bindings& bindings) {
  return compute_operation(operation, operands, weights, bindings);
}

}  // namespace accy::evaluate
