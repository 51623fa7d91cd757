#include "dialect/tensor/constant.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "dialect/tensor/define.hpp"
#include "support/checked.hpp"

namespace accy::tensor {
namespace {

using choir::Attribute;
using choir::AttributeKind;

bool is_scalar(Attribute value) {
  return value.is(AttributeKind::boolean) || value.is(AttributeKind::integer) ||
         value.is(AttributeKind::floating);
}

/// Stores one number at `to`, exactly for integers; an error when the type cannot hold its kind.
Status store_scalar(Attribute value, ElementType element, std::byte* to) {
  const std::string type(to_string(element));
  if (value.is(AttributeKind::boolean)) {
    if (element != ElementType::boolean)
      return invalid("constant of " + type + " holds a boolean");
    *to = static_cast<std::byte>(value.boolean() ? 1 : 0);
    return {};
  }
  if (value.is(AttributeKind::floating) && !is_float(element))
    return invalid("constant of " + type + " holds a floating-point number (" +
                   std::to_string(value.floating()) + ")");
  if (value.is(AttributeKind::integer) && is_integer(element)) {
    const std::int64_t number = value.integer();
    const int bits = bit_width(element);
    const bool fits = is_signed(element)
                          ? bits == 64 || (number >> (bits - 1) == 0 || number >> (bits - 1) == -1)
                          : number >= 0 && (bits == 64 || number >> bits == 0);
    if (!fits)
      return invalid("constant (" + std::to_string(number) + ") is outside the range of " + type);
    std::memcpy(to, &number, static_cast<std::size_t>(size_bytes(element)));  // little endian
    return {};
  }
  if (element == ElementType::boolean) return invalid("constant of bool holds a number");
  const double number = value.is(AttributeKind::integer) ? static_cast<double>(value.integer())
                                                         : value.floating();
  ACCY_TRY_ASSIGN(const HostTensor scalar,
                  HostTensor::from_values(element, {}, std::span(&number, 1)));
  std::memcpy(to, scalar.bytes.data(), scalar.bytes.size());
  return {};
}

/// The numbers of a nested or flat array, in order.
Status flatten(Attribute value, std::size_t depth, std::vector<Attribute>& numbers) {
  if (is_scalar(value)) {
    numbers.push_back(value);
    return {};
  }
  if (!value.is(AttributeKind::array) || depth == 0)
    return invalid("constant value is neither numbers nor arrays of them to the tensor's rank");
  for (Attribute element : value.array()) ACCY_TRY(flatten(element, depth - 1, numbers));
  return {};
}

/// A nested array follows the shape; a flat one is checked by its count alone.
Status check_nesting(Attribute value, std::span<const std::int64_t> shape) {
  if (!value.is(AttributeKind::array)) {
    if (shape.empty()) return {};
    return invalid("constant value is nested less deep than the tensor's rank");
  }
  if (shape.empty()) return invalid("constant value is nested deeper than the tensor's rank");
  if (static_cast<std::int64_t>(value.array().size()) != shape[0])
    return invalid("constant value holds " + std::to_string(value.array().size()) +
                   " entries along an axis of size " + std::to_string(shape[0]));
  for (Attribute element : value.array()) ACCY_TRY(check_nesting(element, shape.subspan(1)));
  return {};
}

Result<HostTensor> value_from_array(Attribute value, ElementType element,
                                    std::span<const std::int64_t> shape) {
  const bool nested = std::any_of(value.array().begin(), value.array().end(),
                                  [](Attribute entry) { return entry.is(AttributeKind::array); });
  if (nested) ACCY_TRY(check_nesting(value, shape));
  std::vector<Attribute> numbers;
  ACCY_TRY(flatten(value, std::max<std::size_t>(shape.size(), 1), numbers));
  ACCY_TRY_ASSIGN(const std::int64_t count, element_count(shape));
  if (static_cast<std::uint64_t>(count) != numbers.size())
    return invalid("constant of shape " + shape_to_string(shape) + " takes " +
                   std::to_string(count) + " values, not " + std::to_string(numbers.size()));
  ACCY_TRY_ASSIGN(HostTensor tensor, HostTensor::zeros(element, shape));
  const auto stride = static_cast<std::size_t>(size_bytes(element));
  for (std::size_t index = 0; index < numbers.size(); ++index)
    ACCY_TRY(store_scalar(numbers[index], element, tensor.bytes.data() + index * stride));
  return tensor;
}

Result<HostTensor> splat(Attribute value, ElementType element,
                         std::span<const std::int64_t> shape) {
  std::byte scalar[8] = {};
  ACCY_TRY(store_scalar(value, element, scalar));
  ACCY_TRY_ASSIGN(HostTensor tensor, HostTensor::zeros(element, shape));
  const auto stride = static_cast<std::size_t>(size_bytes(element));
  for (std::size_t offset = 0; offset < tensor.bytes.size(); offset += stride)
    std::memcpy(tensor.bytes.data() + offset, scalar, stride);
  return tensor;
}

/// The scalar attribute that gives exactly this element, or null: no such number prints exactly.
Attribute scalar_attribute(choir::Context& context, const HostTensor& tensor) {
  if (tensor.element == ElementType::boolean) return context.boolean(tensor.at(0) != 0);
  if (is_float(tensor.element)) {
    const double value = tensor.at(0);
    return std::isfinite(value) ? context.floating(value) : Attribute();
  }
  std::int64_t number = 0;
  if (tensor.element == ElementType::i64 || tensor.element == ElementType::u64)
    std::memcpy(&number, tensor.bytes.data(), sizeof(number));
  else
    number = static_cast<std::int64_t>(tensor.at(0));
  return tensor.element == ElementType::u64 && number < 0 ? Attribute() : context.integer(number);
}

bool all_equal(const HostTensor& tensor) {
  const auto stride = static_cast<std::size_t>(size_bytes(tensor.element));
  for (std::size_t offset = stride; offset < tensor.bytes.size(); offset += stride)
    if (std::memcmp(tensor.bytes.data(), tensor.bytes.data() + offset, stride) != 0) return false;
  return true;
}

}  // namespace

Result<HostTensor> constant_value(Attribute value, ElementType element,
                                  std::span<const std::int64_t> shape) {
  if (!value) return invalid("attribute value is missing");
  if (is_scalar(value)) return splat(value, element, shape);
  if (value.is(AttributeKind::array)) return value_from_array(value, element, shape);
  if (!value.is(AttributeKind::data))
    return invalid("constant value is neither a number, an array nor data bytes");
  return HostTensor::from_bytes(element, shape, {value.data().begin(), value.data().end()});
}

Result<HostTensor> constant_value(const choir::Operation& constant,
                                  std::span<const std::int64_t> shape) {
  ACCY_TRY_ASSIGN(const TensorType type, result_type(constant));
  return constant_value(constant.attribute("value"), type.element(), shape);
}

choir::Operation* create_constant(choir::Builder& builder, const HostTensor& tensor) {
  choir::Context& context = builder.context();
  Attribute value;
  if (!tensor.bytes.empty() && all_equal(tensor)) value = scalar_attribute(context, tensor);
  if (!value) value = context.data(tensor.bytes);
  const TensorType type = TensorType::get(context, tensor.element, tensor.shape);
  return builder.create("tensor.constant", {}, {type.type()}, {{"value", value}});
}

choir::Value* create_splat(choir::Builder& builder, choir::Type type, double value) {
  const auto tensor = TensorType::from(type);
  ACCY_ASSERT(tensor.has_value(), "splat of a type that is no tensor");
  choir::Context& context = builder.context();
  const Attribute number = is_float(tensor->element())
                               ? context.floating(value)
                               : context.integer(static_cast<std::int64_t>(value));
  return builder.create("tensor.constant", {}, {type}, {{"value", number}})->result();
}

struct Constant : Operator {
  static constexpr std::string_view name = "tensor.constant";
  static constexpr std::string_view summary =
      "a scalar for every element, an array of row-major numbers (flat or nested), or "
      "little-endian data bytes";
  static constexpr int operand_count = 0;
  static constexpr std::array attributes{
      AttributeRule{"value", std::nullopt, true, "a number, an array or data bytes"}};

  static Status check(const choir::Operation& operation) {
    ACCY_TRY_ASSIGN(const TensorType type, result_type(operation));
    const Attribute value = operation.attribute("value");
    if (!value) return {};  // reported as missing
    if (is_scalar(value)) {
      std::byte scalar[8];
      return store_scalar(value, type.element(), scalar);
    }
    if (!type.is_static())
      return invalid("constant of " + type_to_string(type) +
                     " holds more than a scalar, but its shape has a symbol");
    ACCY_TRY(constant_value(operation, type.static_shape()));
    return {};
  }
  template <class Tensor>
  static Result<Tensor> evaluate(const Call<Tensor>& call) {
    ACCY_TRY_ASSIGN(HostTensor tensor, constant_value(call.operation, call.shape));
    if constexpr (std::is_same_v<Tensor, WideTensor>) return widen(tensor);
    else return tensor;
  }
};

template const choir::OperationDefinition& definition<Constant>();

}  // namespace accy::tensor
