// What the functions of accy/operations.hpp share.
#pragma once

#include "frontend/graph.hpp"

namespace accy::frontend {

using Dimensions = std::vector<tensor::Dimension>;
using Attributes = std::vector<choir::NamedAttribute>;

inline Failure invalid(std::string message) {
  return fail(ErrorCode::invalid_input, std::move(message));
}

/// A function of one tensor whose body gets the value and its type.
template <class Body>
Tensor shaped(std::string_view op, const Tensor& x, CallSite site, Body body) {
  const Operand operand(x, site);
  return Graph::build(op, std::span(&operand, 1), site, [&](Graph& graph) -> Result<choir::Value*> {
    return body(graph, graph.value(operand), graph.type(operand));
  });
}

/// An op of one tensor with word or number attributes.
Tensor unary(std::string_view op, const Operand& x, CallSite site,
             std::vector<std::pair<std::string_view, std::string_view>> words = {});
Tensor unary_with(std::string_view op, const Operand& x, CallSite site,
                  std::vector<std::pair<std::string_view, double>> numbers);
/// An op with the attribute `axis`.
Tensor along_axis(std::string_view op, const Tensor& x, std::int64_t axis, CallSite site);

/// The attribute `name` that holds an integer or some.
choir::NamedAttribute entry(Graph& graph, std::string_view name, std::int64_t integer);
choir::NamedAttribute entry(Graph& graph, std::string_view name,
                            std::span<const std::int64_t> integers);

/// Negative axes count from the end of a tensor of `rank` axes.
Result<std::size_t> normalize_axis(std::int64_t axis, std::size_t rank);
/// The same of several, each at most once.
Result<std::vector<std::int64_t>> normalize_axes(const std::vector<std::int64_t>& axes,
                                                 std::size_t rank);
std::vector<std::int64_t> all_axes(std::size_t rank);

}  // namespace accy::frontend
