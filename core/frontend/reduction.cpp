// The functions of accy/reduction.hpp.
#include <algorithm>
#include <array>

#include "frontend/graph_functions.hpp"

namespace accy {

using namespace frontend;
using choir::Value;
using tensor::TensorType;

namespace {

/// An op that drops axes, `attributes` being those behind `axes`.
template <class Extra>
Tensor reduce_by(std::string_view op, const Tensor& x, const Axes& axes, ReduceOptions options,
                 CallSite site, Extra extra) {
  const auto body = [&](Graph& graph, Value* value, TensorType type) -> Result<Value*> {
    ACCY_TRY_ASSIGN(auto reduced,
                    normalize_axes(axes.list().value_or(all_axes(type.rank())), type.rank()));
    std::ranges::sort(reduced);
    Attributes attributes = extra(graph);
    attributes.insert(attributes.begin(), entry(graph, "axes", reduced));
    ACCY_TRY_ASSIGN(Value * result, graph.create(op, std::array{value}, std::move(attributes)));
    if (!options.keep_dimensions) return result;
    Dimensions shape = type.shape();
    for (std::int64_t axis : reduced) shape[static_cast<std::size_t>(axis)] = {1, {}};
    return graph.reshape(result, shape);
  };
  return shaped(op, x, site, body);
}

Tensor reduce(std::string_view function, const Tensor& x, const Axes& axes, ReduceOptions options,
              CallSite site) {
  return reduce_by("tensor.reduce", x, axes, options, site, [&](Graph& graph) {
    return Attributes{{"function", graph.context().word(function)}};
  });
}

Tensor reduce_plainly(std::string_view op, const Tensor& x, const Axes& axes, ReduceOptions options,
                      CallSite site) {
  return reduce_by(op, x, axes, options, site, [](Graph&) { return Attributes{}; });
}

Tensor extremum(std::string_view op, const Tensor& x, std::int64_t axis, ExtremumOptions options,
                CallSite site) {
  const auto body = [&](Graph& graph, Value* value, TensorType type) -> Result<Value*> {
    ACCY_TRY_ASSIGN(const std::size_t index, normalize_axis(axis, type.rank()));
    choir::Context& context = graph.context();
    ACCY_TRY_ASSIGN(Value * result,
                    graph.create(op, std::array{value},
                                 {entry(graph, "axis", static_cast<std::int64_t>(index)),
                                  {"element", context.word(options.narrow ? "i32" : "i64")},
                                  {"last", context.boolean(options.last)}}));
    if (!options.keep_dimensions) return result;
    Dimensions shape = type.shape();
    shape[index] = {1, {}};
    return graph.reshape(result, shape);
  };
  return shaped(op, x, site, body);
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

Tensor sum(const Tensor& x, const Axes& axes, ReduceOptions options, CallSite site) {
  return reduce("sum", x, axes, options, site);
}
Tensor product(const Tensor& x, const Axes& axes, ReduceOptions options, CallSite site) {
  return reduce("product", x, axes, options, site);
}
Tensor max(const Tensor& x, const Axes& axes, ReduceOptions options, CallSite site) {
  return reduce("max", x, axes, options, site);
}
Tensor min(const Tensor& x, const Axes& axes, ReduceOptions options, CallSite site) {
  return reduce("min", x, axes, options, site);
}
Tensor mean(const Tensor& x, const Axes& axes, ReduceOptions options, CallSite site) {
  return reduce_plainly("tensor.mean", x, axes, options, site);
}
Tensor logsumexp(const Tensor& x, const Axes& axes, ReduceOptions options, CallSite site) {
  return reduce_plainly("tensor.logsumexp", x, axes, options, site);
}
Tensor norm_l1(const Tensor& x, const Axes& axes, ReduceOptions options, CallSite site) {
  return reduce_plainly("tensor.norm_l1", x, axes, options, site);
}
Tensor norm_l2(const Tensor& x, const Axes& axes, ReduceOptions options, CallSite site) {
  return reduce_plainly("tensor.norm_l2", x, axes, options, site);
}
Tensor any(const Tensor& x, const Axes& axes, ReduceOptions options, CallSite site) {
  return reduce_plainly("tensor.any", x, axes, options, site);
}
Tensor all(const Tensor& x, const Axes& axes, ReduceOptions options, CallSite site) {
  return reduce_plainly("tensor.all", x, axes, options, site);
}

Tensor variance(const Tensor& x, const Axes& axes, double correction, ReduceOptions options,
                CallSite site) {
  return reduce_by("tensor.variance", x, axes, options, site, [&](Graph& graph) {
    return Attributes{{"correction", graph.context().floating(correction)}};
  });
}

Tensor argmax(const Tensor& x, std::int64_t axis, ExtremumOptions options, CallSite site) {
  return extremum("tensor.argmax", x, axis, options, site);
}
Tensor argmin(const Tensor& x, std::int64_t axis, ExtremumOptions options, CallSite site) {
  return extremum("tensor.argmin", x, axis, options, site);
}

Tensor matmul(const Tensor& left, const Tensor& right, CallSite site) {
  const Operand operands[] = {{left, site}, {right, site}};
  return Graph::build("tensor.matmul", operands, site,
                      [&](Graph& graph) { return multiply(graph, operands[0], operands[1]); });
}

Tensor einsum(std::string_view equation, const std::vector<Tensor>& tensors, CallSite site) {
  std::vector<Operand> operands;
  for (const Tensor& tensor : tensors) operands.emplace_back(tensor, site);
  return Graph::build("tensor.einsum", operands, site, [&](Graph& graph) -> Result<Value*> {
    std::vector<Value*> values;
    for (const Operand& operand : operands) values.push_back(graph.value(operand));
    return graph.create("tensor.einsum", values, {{"equation", graph.context().string(equation)}});
  });
}

}  // namespace accy
