#include "dialect/tensor/ops/expander.hpp"

#include <algorithm>
#include <cmath>

namespace accy::tensor {

using choir::Attribute;
using choir::AttributeKind;
using choir::Operation;
using choir::Value;

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
