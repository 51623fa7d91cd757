#include "dialect/tensor/ops/expander.hpp"

#include <algorithm>
#include <cmath>

namespace accy::tensor {

using choir::Attribute;
using choir::AttributeKind;
using choir::Operation;
using choir::Value;

Value* Expander::integer(std::int64_t value, TensorType type) {
  return builder_
      .create("tensor.constant", {}, {type.type()}, {{"value", context().integer(value)}})
      ->result();
}

Value* Expander::unary(std::string_view name, Value* x) {
  return builder_.create(name, {x}, {x->type()})->result();
}

Value* Expander::binary(std::string_view name, Value* x, Value* y) {
  return builder_.create(name, {x, y}, {x->type()})->result();
}

Value* Expander::compare(std::string_view predicate, Value* x, Value* y) {
  const TensorType flags = TensorType::get(context(), ElementType::boolean, type_of(x).shape());
  return builder_
      .create("tensor.compare", {x, y}, {flags.type()}, {{"predicate", context().word(predicate)}})
      ->result();
}

Value* Expander::select(Value* condition, Value* x, Value* y) {
  return builder_.create("tensor.select", {condition, x, y}, {x->type()})->result();
}

Value* Expander::cast(Value* x, ElementType element) {
  const TensorType type = type_of(x);
  if (type.element() == element) return x;
  const TensorType made = TensorType::get(context(), element, type.shape());
  return builder_.create("tensor.cast", {x}, {made.type()})->result();
}

Value* Expander::reduce(std::string_view function, Value* x, std::span<const std::size_t> axes) {
  const TensorType type = type_of(x);
  std::vector<Dimension> shape;
  for (std::size_t axis = 0; axis < type.rank(); ++axis)
    if (std::ranges::find(axes, axis) == axes.end()) shape.push_back(type.dimension(axis));
  const TensorType narrow = TensorType::get(context(), type.element(), shape);
  const std::vector<std::int64_t> list(axes.begin(), axes.end());
  return builder_
      .create("tensor.reduce", {x}, {narrow.type()},
              {{"axes", context().integers(list)}, {"function", context().word(function)}})
      ->result();
}

Value* Expander::spread(Value* reduced, TensorType type, std::span<const std::size_t> axes) {
  std::vector<std::int64_t> others;
  for (std::size_t axis = 0; axis < type.rank(); ++axis)
    if (std::ranges::find(axes, axis) == axes.end())
      others.push_back(static_cast<std::int64_t>(axis));
  const TensorType wide = TensorType::get(context(), type_of(reduced).element(), type.shape());
  return builder_
      .create("tensor.broadcast", {reduced}, {wide.type()}, {{"axes", context().integers(others)}})
      ->result();
}

Value* Expander::inferred(std::string_view name, std::span<Value* const> operands,
                          const std::vector<choir::NamedAttribute>& attributes) {
  const auto made = builder_.create_inferred(name, operands, attributes);
  ACCY_ASSERT(made.has_value(), "expansion into an op that its operands do not fit");
  return (*made)->result();
}

Attribute Expander::integers(std::span<const std::size_t> list) const {
  return context().integers(std::vector<std::int64_t>(list.begin(), list.end()));
}

Value* Expander::broadcast(Value* x, std::span<const Dimension> shape,
                           std::span<const std::size_t> axes) {
  const TensorType wide = TensorType::get(context(), type_of(x).element(), shape);
  return builder_.create("tensor.broadcast", {x}, {wide.type()}, {{"axes", integers(axes)}})
      ->result();
}

Value* Expander::reshape(Value* x, std::span<const Dimension> shape) {
  const TensorType made = TensorType::get(context(), type_of(x).element(), shape);
  if (made == type_of(x)) return x;
  return builder_.create("tensor.reshape", {x}, {made.type()})->result();
}

Value* Expander::transpose(Value* x, std::span<const std::size_t> permutation) {
  if (std::ranges::is_sorted(permutation)) return x;
  return inferred("tensor.transpose", std::array{x}, {{"permutation", integers(permutation)}});
}

Value* Expander::slice(Value* x, std::size_t axis, std::int64_t start, std::int64_t limit) {
  const std::size_t axes[] = {axis};
  return inferred("tensor.slice", std::array{x},
                  {{"axes", integers(axes)},
                   {"limits", context().integers(std::span(&limit, 1))},
                   {"starts", context().integers(std::span(&start, 1))}});
}

Value* Expander::concat(std::span<Value* const> parts, std::size_t axis) {
  return inferred("tensor.concat", parts, {axis_entry(axis)});
}

Value* Expander::iota(TensorType type, std::size_t axis) {
  return builder_.create("tensor.iota", {}, {type.type()}, {axis_entry(axis)})->result();
}

Value* Expander::gather(Value* x, Value* indices, std::size_t axis) {
  return inferred("tensor.gather", std::array{x, indices}, {axis_entry(axis)});
}

Value* Expander::gather_elements(Value* x, Value* indices, std::size_t axis) {
  return inferred("tensor.gather_elements", std::array{x, indices}, {axis_entry(axis)});
}

Value* Expander::diagonal(Value* x, std::size_t first, std::size_t second) {
  const std::size_t axes[] = {first, second};
  return inferred("tensor.diagonal", std::array{x}, {{"axes", integers(axes)}});
}

Value* Expander::matmul(Value* x, Value* y) {
  return inferred("tensor.matmul", std::array{x, y}, {});
}

ElementType expansion_element(ElementType element) {
  return is_float(element) && bit_width(element) < 32 ? ElementType::f32 : element;
}

Result<std::vector<choir::Type>> infer_float(const Operation& operation) {
  ACCY_TRY_ASSIGN(const TensorType type, operand_type(operation, 0));
  ACCY_TRY(check_float(type));
  return std::vector<choir::Type>{type};
}

Result<std::vector<choir::Type>> infer_numeric(const Operation& operation) {
  ACCY_TRY_ASSIGN(const TensorType type, operand_type(operation, 0));
  ACCY_TRY(check_numeric(type));
  return std::vector<choir::Type>{type};
}

Result<std::vector<choir::Type>> infer_along_axis(const Operation& operation) {
  ACCY_TRY_ASSIGN(const TensorType type, operand_type(operation, 0));
  ACCY_TRY_ASSIGN(const std::size_t axis, axis_attribute(operation, "axis", type.rank()));
  std::vector<Dimension> rows = type.shape();
  rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(axis));
  ACCY_TRY(check_elements(rows));  // of the expansion's reductions
  return infer_float(operation);
}

Result<double> number_attribute(const Operation& operation, std::string_view name,
                                double otherwise) {
  const Attribute attribute = operation.attribute(name);
  if (!attribute) return otherwise;
  if (attribute.is(AttributeKind::integer)) return static_cast<double>(attribute.integer());
  if (!attribute.is(AttributeKind::floating))
    return invalid("attribute " + std::string(name) + " is no number");
  if (!std::isfinite(attribute.floating()))
    return invalid("attribute " + std::string(name) + " (" + std::to_string(attribute.floating()) +
                   ") is not finite");
  return attribute.floating();
}

}  // namespace accy::tensor
