// The functions of accy/tensor.hpp.
#include <algorithm>
#include <array>
#include <numeric>

#include "frontend/graph.hpp"
#include "support/checked.hpp"

namespace accy {
namespace {

using choir::NamedAttribute;
using choir::Value;
using frontend::Graph;
using tensor::TensorType;
using Dimensions = std::vector<tensor::Dimension>;

Failure invalid(std::string message) {
  return fail(ErrorCode::invalid_input, std::move(message));
}

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

Tensor unary(std::string_view op, const Operand& x, CallSite site,
             std::vector<std::pair<std::string_view, std::string_view>> words = {}) {
  return Graph::build(op, std::span(&x, 1), site, [&](Graph& graph) -> Result<Value*> {
    std::vector<NamedAttribute> attributes;
    for (const auto& [key, word] : words) attributes.push_back({key, graph.context().word(word)});
    return graph.create(op, std::array{graph.value(x)}, std::move(attributes));
  });
}

/// The same with number attributes.
Tensor unary_with(std::string_view op, const Operand& x, CallSite site,
                  std::vector<std::pair<std::string_view, double>> numbers) {
  return Graph::build(op, std::span(&x, 1), site, [&](Graph& graph) -> Result<Value*> {
    std::vector<NamedAttribute> attributes;
    for (const auto& [key, number] : numbers)
      attributes.push_back({key, graph.context().floating(number)});
    return graph.create(op, std::array{graph.value(x)}, std::move(attributes));
  });
}

/// A function of one tensor whose body gets the value and its type.
template <class Body>
Tensor shaped(std::string_view op, const Tensor& x, CallSite site, Body body) {
  const Operand operand(x, site);
  return Graph::build(op, std::span(&operand, 1), site, [&](Graph& graph) -> Result<Value*> {
    return body(graph, graph.value(operand), graph.type(operand));
  });
}

Result<std::size_t> normalize_axis(std::int64_t axis, std::size_t rank) {
  const auto limit = static_cast<std::int64_t>(rank);
  if (axis >= -limit && axis < limit) return static_cast<std::size_t>(axis < 0 ? axis + limit
                                                                               : axis);
  return invalid("axis (" + std::to_string(axis) + ") is outside the " + std::to_string(rank) +
                 " axes of the tensor");
}

/// An op with the attribute `axis`.
Tensor along_axis(std::string_view op, const Tensor& x, std::int64_t axis, CallSite site) {
  const auto body = [&](Graph& graph, Value* value, TensorType type) -> Result<Value*> {
    ACCY_TRY_ASSIGN(const std::size_t index, normalize_axis(axis, type.rank()));
    return graph.create(op, std::array{value},
                        {{"axis", graph.context().integer(static_cast<std::int64_t>(index))}});
  };
  return shaped(op, x, site, body);
}

Result<std::vector<std::int64_t>> normalize_axes(const std::vector<std::int64_t>& axes,
                                                 std::size_t rank) {
  std::vector<std::int64_t> normalized;
  for (std::int64_t axis : axes) {
    ACCY_TRY_ASSIGN(const std::size_t index, normalize_axis(axis, rank));
    if (std::ranges::find(normalized, static_cast<std::int64_t>(index)) != normalized.end())
      return invalid("axis (" + std::to_string(axis) + ") is given twice");
    normalized.push_back(static_cast<std::int64_t>(index));
  }
  return normalized;
}

std::vector<std::int64_t> all_axes(std::size_t rank) {
  std::vector<std::int64_t> axes(rank);
  std::iota(axes.begin(), axes.end(), 0);
  return axes;
}

/// The -1 of a new shape replaced by the sizes and the one name that are left of the old shape.
Result<Dimensions> infer_size(const Dimensions& from, Dimensions to) {
  const auto is_open = [](const tensor::Dimension& axis) { return axis.size == -1; };
  const auto open = std::ranges::find_if(to, is_open);
  if (open == to.end()) return to;
  if (std::ranges::count_if(to, is_open) > 1) return invalid("shape has more than one size of -1");
  Dimensions left = from;
  std::int64_t divisor = 1;
  for (const tensor::Dimension& axis : to) {
    if (is_open(axis)) continue;
    if (!axis.is_symbol()) {
      if (__builtin_mul_overflow(divisor, axis.size, &divisor)) divisor = 0;
    } else if (const auto found = std::ranges::find(left, axis); found != left.end()) {
      left.erase(found);
    }
  }
  Dimensions symbols;
  std::vector<std::int64_t> sizes;
  for (const tensor::Dimension& axis : left) {
    if (axis.is_symbol()) symbols.push_back(axis);
    else sizes.push_back(axis.size);
  }
  ACCY_TRY_ASSIGN(const std::int64_t count, element_count(sizes));
  const bool exact = divisor > 0 && count % divisor == 0;
  if (exact && symbols.empty()) *open = {count / divisor, {}};
  else if (exact && symbols.size() == 1 && count == divisor) *open = symbols.front();
  else
    return invalid("no single size can stand for the -1: elements of shape " +
                   tensor::shape_to_string(from) + " are left");
  return to;
}

Tensor reduce(std::string_view function, const Tensor& x, const Axes& axes, ReduceOptions options,
              CallSite site) {
  const auto body = [&](Graph& graph, Value* value, TensorType type) -> Result<Value*> {
    ACCY_TRY_ASSIGN(auto reduced, normalize_axes(axes.list().value_or(all_axes(type.rank())),
                                                 type.rank()));
    std::ranges::sort(reduced);
    choir::Context& context = graph.context();
    ACCY_TRY_ASSIGN(Value * result, graph.create("tensor.reduce", std::array{value},
                                                 {{"axes", context.integers(reduced)},
                                                  {"function", context.word(function)}}));
    if (!options.keep_dimensions) return result;
    Dimensions shape = type.shape();
    for (std::int64_t axis : reduced) shape[static_cast<std::size_t>(axis)] = {1, {}};
    return graph.reshape(result, shape);
  };
  return shaped("tensor.reduce", x, site, body);
}

/// Batch axes and matrix of a matmul operand.
struct Matrix {
  Value* value = nullptr;
  Dimensions batch;
  Dimensions matrix;
};

Result<Matrix> as_matrix(Graph& graph, const Operand& operand, bool left) {
  Matrix result{graph.value(operand), graph.type(operand).shape(), {}};
  constexpr tensor::Dimension one{1, {}};
  if (result.batch.empty()) return invalid("matmul takes tensors with axes, not a scalar");
  if (result.batch.size() == 1) {
    result.batch.insert(left ? result.batch.begin() : result.batch.end(), one);
    ACCY_TRY_ASSIGN(result.value, graph.reshape(result.value, result.batch));
  }
  result.matrix.assign(result.batch.end() - 2, result.batch.end());
  result.batch.resize(result.batch.size() - 2);
  return result;
}

Result<Value*> with_batch(Graph& graph, const Matrix& operand, const Dimensions& batch) {
  Dimensions shape = batch;
  shape.insert(shape.end(), operand.matrix.begin(), operand.matrix.end());
  return graph.broadcast(operand.value, shape);
}

Result<Value*> multiply(Graph& graph, const Operand& left, const Operand& right) {
  ACCY_TRY_ASSIGN(Matrix a, as_matrix(graph, left, true));
  ACCY_TRY_ASSIGN(Matrix b, as_matrix(graph, right, false));
  const Dimensions batches[] = {a.batch, b.batch};
  ACCY_TRY_ASSIGN(const Dimensions batch, frontend::broadcast_shapes(batches));
  Dimensions shape = batch;
  shape.push_back(a.matrix[0]);
  shape.push_back(b.matrix[1]);
  ACCY_TRY(graph.make_type(graph.type(left).element(), shape));
  ACCY_TRY_ASSIGN(a.value, with_batch(graph, a, batch));
  if (!b.batch.empty()) {
    ACCY_TRY_ASSIGN(b.value, with_batch(graph, b, batch));
  }
  ACCY_TRY_ASSIGN(Value * product, graph.create("tensor.matmul", std::array{a.value, b.value}));
  if (graph.type(right).rank() == 1) shape.pop_back();
  if (graph.type(left).rank() == 1) shape.erase(shape.begin() + std::ssize(batch));
  return graph.reshape(product, shape);
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
Tensor relu(const Tensor& x, CallSite site) { return unary("tensor.relu", x, site); }
Tensor relu6(const Tensor& x, CallSite site) { return unary("tensor.relu6", x, site); }
Tensor selu(const Tensor& x, CallSite site) { return unary("tensor.selu", x, site); }
Tensor hard_swish(const Tensor& x, CallSite site) { return unary("tensor.hard_swish", x, site); }
Tensor sigmoid(const Tensor& x, CallSite site) { return unary("tensor.sigmoid", x, site); }
Tensor silu(const Tensor& x, CallSite site) { return unary("tensor.silu", x, site); }
Tensor mish(const Tensor& x, CallSite site) { return unary("tensor.mish", x, site); }
Tensor softsign(const Tensor& x, CallSite site) { return unary("tensor.softsign", x, site); }
Tensor log_sigmoid(const Tensor& x, CallSite site) { return unary("tensor.log_sigmoid", x, site); }
Tensor softplus(const Tensor& x, CallSite site) { return unary("tensor.softplus", x, site); }

Tensor leaky_relu(const Tensor& x, double alpha, CallSite site) {
  return unary_with("tensor.leaky_relu", x, site, {{"alpha", alpha}});
}
Tensor thresholded_relu(const Tensor& x, double alpha, CallSite site) {
  return unary_with("tensor.thresholded_relu", x, site, {{"alpha", alpha}});
}
Tensor elu(const Tensor& x, double alpha, CallSite site) {
  return unary_with("tensor.elu", x, site, {{"alpha", alpha}});
}
Tensor celu(const Tensor& x, double alpha, CallSite site) {
  return unary_with("tensor.celu", x, site, {{"alpha", alpha}});
}
Tensor quick_gelu(const Tensor& x, double alpha, CallSite site) {
  return unary_with("tensor.quick_gelu", x, site, {{"alpha", alpha}});
}
Tensor hard_sigmoid(const Tensor& x, double alpha, double beta, CallSite site) {
  return unary_with("tensor.hard_sigmoid", x, site, {{"alpha", alpha}, {"beta", beta}});
}
Tensor hard_tanh(const Tensor& x, double low, double high, CallSite site) {
  return unary_with("tensor.hard_tanh", x, site, {{"low", low}, {"high", high}});
}

Tensor gelu(const Tensor& x, GeluForm form, CallSite site) {
  if (form == GeluForm::exact) return unary("tensor.gelu", x, site);
  return unary("tensor.gelu", x, site, {{"approximation", "tanh"}});
}

Tensor softmax(const Tensor& x, std::int64_t axis, CallSite site) {
  return along_axis("tensor.softmax", x, axis, site);
}

Tensor log_softmax(const Tensor& x, std::int64_t axis, CallSite site) {
  return along_axis("tensor.log_softmax", x, axis, site);
}

Tensor cast(const Tensor& x, ElementType element, CallSite site) {
  const auto body = [&](Graph& graph, Value* value, TensorType type) -> Result<Value*> {
    if (type.element() == element) return value;
    ACCY_TRY_ASSIGN(const TensorType to, graph.make_type(element, type.shape()));
    return graph.create("tensor.cast", std::array{value}, to);
  };
  return shaped("tensor.cast", x, site, body);
}

Tensor broadcast_to(const Tensor& x, const Shape& shape, CallSite site) {
  const auto body = [&](Graph& graph, Value* value, TensorType) -> Result<Value*> {
    ACCY_TRY_ASSIGN(const Dimensions wanted, graph.import_shape(shape));
    return graph.broadcast(value, wanted);
  };
  return shaped("tensor.broadcast", x, site, body);
}

Tensor reshape(const Tensor& x, const Shape& shape, CallSite site) {
  const auto body = [&](Graph& graph, Value* value, TensorType type) -> Result<Value*> {
    ACCY_TRY_ASSIGN(Dimensions wanted, graph.import_shape(shape));
    ACCY_TRY_ASSIGN(wanted, infer_size(type.shape(), std::move(wanted)));
    return graph.reshape(value, wanted);
  };
  return shaped("tensor.reshape", x, site, body);
}

Tensor transpose(const Tensor& x, const Axes& permutation, CallSite site) {
  const auto body = [&](Graph& graph, Value* value, TensorType type) -> Result<Value*> {
    std::vector<std::int64_t> axes = all_axes(type.rank());
    std::ranges::reverse(axes);
    ACCY_TRY_ASSIGN(axes, normalize_axes(permutation.list().value_or(axes), type.rank()));
    return graph.create("tensor.transpose", std::array{value},
                        {{"permutation", graph.context().integers(axes)}});
  };
  return shaped("tensor.transpose", x, site, body);
}

Tensor sum(const Tensor& x, const Axes& axes, ReduceOptions options, CallSite site) {
  return reduce("sum", x, axes, options, site);
}

Tensor max(const Tensor& x, const Axes& axes, ReduceOptions options, CallSite site) {
  return reduce("max", x, axes, options, site);
}

Tensor matmul(const Tensor& left, const Tensor& right, CallSite site) {
  const Operand operands[] = {{left, site}, {right, site}};
  return Graph::build("tensor.matmul", operands, site, [&](Graph& graph) {
    return multiply(graph, operands[0], operands[1]);
  });
}

}  // namespace accy
