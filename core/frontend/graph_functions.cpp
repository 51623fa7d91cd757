#include "frontend/graph_functions.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace accy::frontend {

using choir::NamedAttribute;
using choir::Value;
using tensor::TensorType;

Tensor unary(std::string_view op, const Operand& x, CallSite site,
             std::vector<std::pair<std::string_view, std::string_view>> words) {
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

Result<std::size_t> normalize_axis(std::int64_t axis, std::size_t rank) {
  const auto limit = static_cast<std::int64_t>(rank);
  if (axis >= -limit && axis < limit)
    return static_cast<std::size_t>(axis < 0 ? axis + limit : axis);
  return invalid("axis (" + std::to_string(axis) + ") is outside the " + std::to_string(rank) +
                 " axes of the tensor");
}

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

NamedAttribute entry(Graph& graph, std::string_view name, std::int64_t integer) {
  return {name, graph.context().integer(integer)};
}
NamedAttribute entry(Graph& graph, std::string_view name, std::span<const std::int64_t> integers) {
  return {name, graph.context().integers(integers)};
}

}  // namespace accy::frontend
