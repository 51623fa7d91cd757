#include "dialect/tensor/type.hpp"

#include "support/checked.hpp"

namespace accy::tensor {
namespace {

using choir::Attribute;
using choir::AttributeKind;

constexpr std::string_view type_name = "tensor";

Dimension dimension_of(Attribute attribute) {
  if (attribute.is(AttributeKind::word)) return {0, attribute.text()};
  return {attribute.integer(), {}};
}

Status verify_dimension(Attribute dimension) {
  if (dimension.is(AttributeKind::word)) return {};
  if (!dimension.is(AttributeKind::integer))
    return fail(ErrorCode::invalid_input, "tensor dimension is neither an integer nor a symbol");
  if (dimension.integer() < 0 || dimension.integer() > limits::dimension)
    return fail(ErrorCode::invalid_input,
                "tensor dimension (" + std::to_string(dimension.integer()) +
                    ") is outside 0 to " + std::to_string(limits::dimension));
  return {};
}

Status verify_shape(Attribute shape) {
  if (!shape.is(AttributeKind::array))
    return fail(ErrorCode::invalid_input, "second parameter of tensor is not an array");
  if (shape.array().size() > limits::rank)
    return fail(ErrorCode::invalid_input,
                "tensor rank (" + std::to_string(shape.array().size()) + ") exceeds the limit (" +
                    std::to_string(limits::rank) + ")");
  std::vector<std::int64_t> sizes;
  for (Attribute dimension : shape.array()) {
    ACCY_TRY(verify_dimension(dimension));
    if (dimension.is(AttributeKind::integer)) sizes.push_back(dimension.integer());
  }
  ACCY_TRY(element_count(sizes));
  return {};
}

Status verify_tensor_type(choir::Type type) {
  const auto parameters = type.parameters();
  if (parameters.size() != 2)
    return fail(ErrorCode::invalid_input, "tensor takes an element type and a shape, but has " +
                                              std::to_string(parameters.size()) + " parameters");
  if (!parameters[0].is(AttributeKind::word))
    return fail(ErrorCode::invalid_input, "first parameter of tensor is not an element type");
  if (!element_type_from(parameters[0].text()))
    return fail(ErrorCode::invalid_input,
                "unknown element type (" + std::string(parameters[0].text()) + ")");
  return verify_shape(parameters[1]);
}

template <class Element>
std::string join_shape(std::span<const Element> shape, std::string (*text)(const Element&)) {
  std::string joined = "[";
  for (std::size_t axis = 0; axis < shape.size(); ++axis)
    joined += (axis == 0 ? "" : ", ") + text(shape[axis]);
  return joined + "]";
}

TensorType make(choir::Context& context, ElementType element, std::vector<Attribute> dimensions) {
  const Attribute parameters[] = {context.word(to_string(element)), context.array(dimensions)};
  const auto made = TensorType::from(context.type(type_name, parameters));
  ACCY_ASSERT(made.has_value(), "tensor type built from invalid dimensions");
  return *made;
}

}  // namespace

std::string Dimension::to_string() const {
  return is_symbol() ? std::string(symbol) : std::to_string(size);
}

TensorType TensorType::get(choir::Context& context, ElementType element,
                           std::span<const Dimension> shape) {
  std::vector<Attribute> dimensions;
  dimensions.reserve(shape.size());
  for (const Dimension& dimension : shape)
    dimensions.push_back(dimension.is_symbol() ? context.word(dimension.symbol)
                                               : context.integer(dimension.size));
  return make(context, element, std::move(dimensions));
}

TensorType TensorType::get(choir::Context& context, ElementType element,
                           std::span<const std::int64_t> shape) {
  std::vector<Attribute> dimensions;
  dimensions.reserve(shape.size());
  for (std::int64_t size : shape) dimensions.push_back(context.integer(size));
  return make(context, element, std::move(dimensions));
}

std::optional<TensorType> TensorType::from(choir::Type type) {
  if (!type.is_well_formed() || type.name() != type_name) return std::nullopt;
  return TensorType(type, *element_type_from(type.parameters()[0].text()));
}

std::span<const choir::Attribute> TensorType::dimensions() const {
  return type_.parameters()[1].array();
}

Dimension TensorType::dimension(std::size_t axis) const {
  ACCY_ASSERT(axis < rank(), "tensor axis out of range");
  return dimension_of(dimensions()[axis]);
}

std::vector<Dimension> TensorType::shape() const {
  std::vector<Dimension> shape;
  shape.reserve(rank());
  for (Attribute dimension : dimensions()) shape.push_back(dimension_of(dimension));
  return shape;
}

bool TensorType::is_static() const {
  for (Attribute dimension : dimensions())
    if (dimension.is(AttributeKind::word)) return false;
  return true;
}

std::vector<std::int64_t> TensorType::static_shape() const {
  ACCY_ASSERT(is_static(), "tensor shape has an unbound symbol: " + type_to_string(type_));
  std::vector<std::int64_t> shape;
  shape.reserve(rank());
  for (Attribute dimension : dimensions()) shape.push_back(dimension.integer());
  return shape;
}

std::string shape_to_string(std::span<const Dimension> shape) {
  return join_shape<Dimension>(shape, [](const Dimension& size) { return size.to_string(); });
}

std::string shape_to_string(std::span<const std::int64_t> shape) {
  return join_shape<std::int64_t>(shape, [](const std::int64_t& size) {
    return std::to_string(size);
  });
}

std::string type_to_string(choir::Type type) {
  if (!type) return "no type";
  const auto tensor = TensorType::from(type);
  if (!tensor) return std::string(type.name());
  return "tensor<" + std::string(to_string(tensor->element())) + ", " +
         shape_to_string(tensor->shape()) + ">";
}

choir::TypeDefinition tensor_type_definition() { return {type_name, verify_tensor_type}; }

}  // namespace accy::tensor
