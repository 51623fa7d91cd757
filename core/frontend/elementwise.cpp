// The functions of accy/elementwise.hpp.
#include <array>

#include "frontend/graph_functions.hpp"

namespace accy {
namespace {

using namespace frontend;
using choir::NamedAttribute;
using choir::Value;
using tensor::TensorType;

/// The element type of the first tensor among the operands.
Result<ElementType> common_element(const Graph& graph, std::span<const Operand> operands) {
  for (const Operand& operand : operands)
    if (operand.tensor() != nullptr) return graph.type(operand).element();
  return invalid("no operand is a tensor, so that the element type is unknown");
}

Result<Dimensions> common_shape(const Graph& graph, std::span<const Operand> operands) {
  std::vector<Dimensions> shapes;
  for (const Operand& operand : operands)
    if (operand.tensor() != nullptr) shapes.push_back(graph.type(operand).shape());
  return frontend::broadcast_shapes(shapes);
}

/// An op on operands of one element type, broadcast to a common shape.
Tensor elementwise(std::string_view op, std::span<const Operand> operands,
                   std::string_view predicate = {}) {
  return Graph::build(op, operands, operands[0].site(), [&](Graph& graph) -> Result<Value*> {
    ACCY_TRY_ASSIGN(const ElementType element, common_element(graph, operands));
    for (const Operand& operand : operands)
      if (operand.tensor() != nullptr && graph.type(operand).element() != element)
        return invalid("element types differ (" + std::string(to_string(element)) + " and " +
                       std::string(to_string(graph.type(operand).element())) + "): cast one");
    ACCY_TRY_ASSIGN(const Dimensions shape, common_shape(graph, operands));
    std::vector<Value*> values;
    for (const Operand& operand : operands) {
      ACCY_TRY_ASSIGN(Value * value, graph.materialize(operand, element, shape));
      values.push_back(value);
    }
    std::vector<NamedAttribute> attributes;
    if (!predicate.empty()) attributes.push_back({"predicate", graph.context().word(predicate)});
    return graph.create(op, values, std::move(attributes));
  });
}

Tensor binary(std::string_view op, const Operand& left, const Operand& right,
              std::string_view predicate = {}) {
  return elementwise(op, std::array{left, right}, predicate);
}

}  // namespace

Tensor operator+(const Operand& left, const Operand& right) {
  return binary("tensor.add", left, right);
}
Tensor operator-(const Operand& left, const Operand& right) {
  return binary("tensor.sub", left, right);
}
Tensor operator*(const Operand& left, const Operand& right) {
  return binary("tensor.mul", left, right);
}
Tensor operator/(const Operand& left, const Operand& right) {
  return binary("tensor.div", left, right);
}
Tensor operator%(const Operand& left, const Operand& right) {
  return binary("tensor.rem", left, right);
}
Tensor mod(const Operand& left, const Operand& right) { return binary("tensor.mod", left, right); }
Tensor pow(const Operand& left, const Operand& right) { return binary("tensor.pow", left, right); }
Tensor maximum(const Operand& left, const Operand& right) {
  return binary("tensor.max", left, right);
}
Tensor minimum(const Operand& left, const Operand& right) {
  return binary("tensor.min", left, right);
}

Tensor equal(const Operand& left, const Operand& right) {
  return binary("tensor.compare", left, right, "eq");
}
Tensor not_equal(const Operand& left, const Operand& right) {
  return binary("tensor.compare", left, right, "ne");
}
Tensor operator<(const Operand& left, const Operand& right) {
  return binary("tensor.compare", left, right, "lt");
}
Tensor operator<=(const Operand& left, const Operand& right) {
  return binary("tensor.compare", left, right, "le");
}
Tensor operator>(const Operand& left, const Operand& right) {
  return binary("tensor.compare", left, right, "gt");
}
Tensor operator>=(const Operand& left, const Operand& right) {
  return binary("tensor.compare", left, right, "ge");
}

Tensor operator&(const Operand& left, const Operand& right) {
  return binary("tensor.and", left, right);
}
Tensor operator|(const Operand& left, const Operand& right) {
  return binary("tensor.or", left, right);
}
Tensor operator^(const Operand& left, const Operand& right) {
  return binary("tensor.xor", left, right);
}
Tensor operator~(const Operand& x) { return unary("tensor.not", x, x.site()); }
Tensor operator<<(const Operand& left, const Operand& right) {
  return binary("tensor.shl", left, right);
}
Tensor operator>>(const Operand& left, const Operand& right) {
  return binary("tensor.shr", left, right);
}

Tensor select(const Operand& condition, const Operand& then, const Operand& otherwise) {
  const Operand operands[] = {condition, then, otherwise};
  const auto body = [&](Graph& graph) -> Result<Value*> {
    ACCY_TRY_ASSIGN(const ElementType element, common_element(graph, std::span(operands).last(2)));
    ACCY_TRY_ASSIGN(const Dimensions shape, common_shape(graph, operands));
    ACCY_TRY_ASSIGN(Value * chooser, graph.materialize(condition, ElementType::boolean, shape));
    ACCY_TRY_ASSIGN(Value * x, graph.materialize(then, element, shape));
    ACCY_TRY_ASSIGN(Value * y, graph.materialize(otherwise, element, shape));
    return graph.create("tensor.select", std::array{chooser, x, y});
  };
  return Graph::build("tensor.select", operands, condition.site(), body);
}

Tensor clamp(const Operand& x, const Operand& low, const Operand& high) {
  return elementwise("tensor.clamp", std::array{x, low, high});
}

Tensor operator-(const Operand& x) { return unary("tensor.neg", x, x.site()); }
Tensor abs(const Tensor& x, CallSite site) { return unary("tensor.abs", x, site); }
Tensor sign(const Tensor& x, CallSite site) { return unary("tensor.sign", x, site); }
Tensor square(const Tensor& x, CallSite site) { return unary("tensor.square", x, site); }
Tensor exp(const Tensor& x, CallSite site) { return unary("tensor.exp", x, site); }
Tensor log(const Tensor& x, CallSite site) { return unary("tensor.log", x, site); }
Tensor sqrt(const Tensor& x, CallSite site) { return unary("tensor.sqrt", x, site); }
Tensor reciprocal(const Tensor& x, CallSite site) { return unary("tensor.reciprocal", x, site); }
Tensor rsqrt(const Tensor& x, CallSite site) { return unary("tensor.rsqrt", x, site); }
Tensor sin(const Tensor& x, CallSite site) { return unary("tensor.sin", x, site); }
Tensor cos(const Tensor& x, CallSite site) { return unary("tensor.cos", x, site); }
Tensor tan(const Tensor& x, CallSite site) { return unary("tensor.tan", x, site); }
Tensor tanh(const Tensor& x, CallSite site) { return unary("tensor.tanh", x, site); }
Tensor erf(const Tensor& x, CallSite site) { return unary("tensor.erf", x, site); }
Tensor floor(const Tensor& x, CallSite site) { return unary("tensor.floor", x, site); }
Tensor ceil(const Tensor& x, CallSite site) { return unary("tensor.ceil", x, site); }
Tensor round(const Tensor& x, CallSite site) { return unary("tensor.round", x, site); }
Tensor trunc(const Tensor& x, CallSite site) { return unary("tensor.trunc", x, site); }
Tensor is_nan(const Tensor& x, CallSite site) { return unary("tensor.is_nan", x, site); }
Tensor is_inf(const Tensor& x, CallSite site) { return unary("tensor.is_inf", x, site); }
Tensor is_finite(const Tensor& x, CallSite site) { return unary("tensor.is_finite", x, site); }
Tensor cast(const Tensor& x, ElementType element, CallSite site) {
  const auto body = [&](Graph& graph, Value* value, TensorType type) -> Result<Value*> {
    if (type.element() == element) return value;
    ACCY_TRY_ASSIGN(const TensorType to, graph.make_type(element, type.shape()));
    return graph.create("tensor.cast", std::array{value}, to);
  };
  return shaped("tensor.cast", x, site, body);
}

}  // namespace accy
