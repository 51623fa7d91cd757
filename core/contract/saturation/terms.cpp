#include "contract/saturation/terms.hpp"

#include <algorithm>
#include <cmath>

#include "accy/host_tensor.hpp"
#include "dialect/tensor/numeric.hpp"

namespace accy::contract {

using choir::AttributeKind;
using tensor::TensorType;

bool is_elementwise(const OperationDefinition& operation) {
  using namespace tensor;
  return is_one_of<Add, Subtract, Multiply, Divide, Remainder, Maximum, Minimum, Negate, Absolute,
                   Exponential, Logarithm, SquareRoot, HyperbolicTangent, ErrorFunction, Sine,
                   Cosine, Floor, Ceiling, Round, Truncate>(operation) ||
         is_one_of<And, Or, ExclusiveOr, Not, ShiftLeft, ShiftRight, Square, Reciprocal,
                   ReciprocalSquareRoot, Tangent, Sign, Clamp, Modulo, Power, IsNan, IsInfinite,
                   IsFinite, Compare, Select, Cast>(operation) ||
         is_one_of<Relu, Relu6, LeakyRelu, ThresholdedRelu, Elu, Selu, Celu, HardSigmoid, HardSwish,
                   HardTanh, Gelu, QuickGelu, Sigmoid, Silu, LogSigmoid, Softplus, Mish, Softsign>(
             operation);
}

bool is_identity(std::span<const std::int64_t> axes) {
  for (std::size_t index = 0; index < axes.size(); ++index)
    if (axes[index] != static_cast<std::int64_t>(index)) return false;
  return true;
}

bool holds(ElementType element, double value) {
  if (is_integer(element)) {
    // Of 64-bit integers only those that a double counts exactly.
    const int bits = std::min(bit_width(element), 53);
    const double limit = std::ldexp(1.0, is_signed(element) ? bits - 1 : bits);
    return std::trunc(value) == value && value < limit &&
           value >= (is_signed(element) ? -limit : 0.0) && !(value == 0 && std::signbit(value));
  }
  if (!is_float(element) || !std::isfinite(value)) return false;
  const auto made = HostTensor::from_values(element, {}, std::span(&value, 1));
  return made && made->at(0) == value;
}

Sizes Terms::integers_of(Attribute array) const {
  Sizes values;
  if (array)
    for (Attribute element : array.array()) values.push_back(element.integer());
  return values;
}

Sizes Terms::integers(NodeId node, std::string_view attribute) const {
  return integers_of(graph_.attribute(node, attribute));
}

std::vector<NodeId> Terms::find(ClassId id, const OperationDefinition& operation) const {
  std::vector<NodeId> found;
  if (rewriter_.full()) return found;
  for (NodeId node : graph_.nodes_of(id))
    if (graph_.node(node).definition == &operation) found.push_back(node);
  return found;
}

Attribute Terms::splat_of(ClassId id) const {
  const Attribute constant = graph_.constant(id);
  return constant.is(AttributeKind::word) ? Attribute() : constant;
}

std::optional<double> Terms::number_of(ClassId id) const {
  const Attribute splat = splat_of(id);
  const ElementType type = element(id);
  std::optional<double> number;
  if (splat.is(AttributeKind::floating)) number = splat.floating();
  if (splat.is(AttributeKind::integer)) number = static_cast<double>(splat.integer());
  if (!number) return std::nullopt;
  if (!is_float(type) && !is_integer(type)) return std::nullopt;
  // What the program spells is rounded to the element type.
  if (is_float(type) && std::isfinite(*number) && !holds(type, *number)) {
    const auto rounded = HostTensor::from_values(type, {}, std::span(&*number, 1));
    if (!rounded) return std::nullopt;
    return rounded->at(0);
  }
  if (is_integer(type) && !holds(type, *number)) return std::nullopt;
  return number;
}

bool Terms::is_splat(ClassId id, double number) const {
  const std::optional<double> own = number_of(id);
  return own && *own == number && !(number == 0 && std::signbit(*own));
}

bool Terms::may_reorder(NodeId node) const {
  const ElementType stored = element(operand(node));
  const Attribute order = graph_.attribute(node, "order");
  const Attribute accumulate = graph_.attribute(node, "accumulate");
  if (is_integer(stored)) {
    const auto sums = accumulate ? element_type_from(accumulate.text()) : stored;
    return sums && is_integer(*sums);
  }
  return rewriter_.reorders() && order && order.text() == "free" && accumulate &&
         accumulate.text() == to_string(stored);
}

ClassId Terms::elementwise(NodeId like, std::span<const ClassId> operands) {
  const auto result = TensorType::from(graph_.node(like).type);
  const Sizes sizes = shape(operands.front());
  return add(operation(like), operands, graph_.node(like).attributes,
             type_of(result->element(), sizes));
}

Attribute Terms::axes_attributes(std::string_view name, std::span<const std::int64_t> values) {
  choir::Context& context = graph_.context();
  return context.dictionary({{name, context.integers(values)}});
}

ClassId Terms::transpose(ClassId x, std::span<const std::int64_t> permutation) {
  if (is_identity(permutation)) return x;
  const Sizes from = shape(x);
  Sizes to;
  for (std::int64_t axis : permutation) to.push_back(from[static_cast<std::size_t>(axis)]);
  return add(definition<tensor::Transpose>(), std::array{x},
             axes_attributes("permutation", permutation), type_of(element(x), to));
}

ClassId Terms::swap_last(ClassId x) {
  Sizes permutation;
  for (std::size_t axis = 0; axis < rank(x); ++axis)
    permutation.push_back(static_cast<std::int64_t>(axis));
  std::swap(permutation[rank(x) - 2], permutation[rank(x) - 1]);
  return transpose(x, permutation);
}

ClassId Terms::reshape(ClassId x, std::span<const std::int64_t> to) {
  if (std::ranges::equal(shape(x), to)) return x;
  return add(definition<tensor::Reshape>(), std::array{x}, no_attributes(),
             type_of(element(x), to));
}

ClassId Terms::broadcast(ClassId x, std::span<const std::int64_t> axes,
                         std::span<const std::int64_t> to) {
  if (is_identity(axes) && std::ranges::equal(shape(x), to)) return x;
  return add(definition<tensor::Broadcast>(), std::array{x}, axes_attributes("axes", axes),
             type_of(element(x), to));
}

ClassId Terms::slice(ClassId x, const Sizes& starts, const Sizes& limits, const Sizes& strides) {
  const Sizes from = shape(x);
  Sizes to;
  Sizes axes;
  Sizes kept[3];
  bool steps = false;
  for (std::size_t axis = 0; axis < from.size(); ++axis) {
    to.push_back((limits[axis] - starts[axis] + strides[axis] - 1) / strides[axis]);
    if (starts[axis] == 0 && limits[axis] == from[axis] && strides[axis] == 1) continue;
    axes.push_back(static_cast<std::int64_t>(axis));
    kept[0].push_back(starts[axis]);
    kept[1].push_back(limits[axis]);
    kept[2].push_back(strides[axis]);
    steps = steps || strides[axis] != 1;
  }
  if (axes.empty()) return x;
  choir::Context& context = graph_.context();
  std::vector<choir::NamedAttribute> attributes{{"axes", context.integers(axes)},
                                                {"starts", context.integers(kept[0])},
                                                {"limits", context.integers(kept[1])}};
  if (steps) attributes.push_back({"strides", context.integers(kept[2])});
  return add(definition<tensor::Slice>(), std::array{x}, context.dictionary(std::move(attributes)),
             type_of(element(x), to));
}

ClassId Terms::concat(std::span<const ClassId> parts, std::size_t axis) {
  if (parts.size() == 1) return parts.front();
  Sizes to = shape(parts.front());
  for (ClassId part : parts.subspan(1)) to[axis] += shape(part)[axis];
  choir::Context& context = graph_.context();
  return add(definition<tensor::Concat>(), parts,
             context.dictionary({{"axis", context.integer(static_cast<std::int64_t>(axis))}}),
             type_of(element(parts.front()), to));
}

ClassId Terms::splat(choir::Type type, Attribute number) {
  return add(definition<tensor::Constant>(), {}, graph_.context().dictionary({{"value", number}}),
             type);
}

std::optional<ClassId> Terms::number(choir::Type type, double value) {
  const ElementType element = TensorType::from(type)->element();
  if (!holds(element, value)) return std::nullopt;
  choir::Context& context = graph_.context();
  return splat(type, is_float(element) ? context.floating(value)
                                       : context.integer(static_cast<std::int64_t>(value)));
}

ClassId Terms::reduce(NodeId like, ClassId x, const Sizes& axes) {
  const Sizes from = shape(x);
  Sizes to;
  for (std::size_t axis = 0; axis < from.size(); ++axis)
    if (std::ranges::find(axes, static_cast<std::int64_t>(axis)) == axes.end())
      to.push_back(from[axis]);
  if (axes.empty()) return x;
  choir::Context& context = graph_.context();
  std::vector<choir::NamedAttribute> attributes;
  for (const choir::NamedAttribute& entry : graph_.node(like).attributes.dictionary())
    attributes.push_back(
        entry.name == "axes" ? choir::NamedAttribute{entry.name, context.integers(axes)} : entry);
  return add(definition<tensor::Reduce>(), std::array{x}, context.dictionary(std::move(attributes)),
             type_of(element(x), to));
}

ClassId Terms::matmul(NodeId like, ClassId left, ClassId right) {
  Sizes to = shape(left);
  to.back() = shape(right).back();
  return add(definition<tensor::MatrixMultiply>(), std::array{left, right},
             graph_.node(like).attributes, type_of(element(left), to));
}

}  // namespace accy::contract
