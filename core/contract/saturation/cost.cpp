#include "contract/saturation/cost.hpp"

#include <algorithm>

#include "contract/passes/fold_constants.hpp"
#include "contract/saturation/terms.hpp"
#include "dialect/tensor/evaluation.hpp"
#include "dialect/tensor/interfaces.hpp"
#include "dialect/tensor/placement.hpp"

namespace accy::contract {

using choir::AttributeKind;
using choir::EGraph;
using choir::ENode;
using tensor::TensorType;

namespace {

// A pass over memory of its own, and a launch where nothing fuses it, even for few elements.
constexpr double operation_cost = 64;
constexpr double cost_limit = 0x1p40 * 256;  // so that ten thousand of them add up in 64 bits

double count(choir::Type type) {
  double elements = 1;
  for (const tensor::Dimension& dimension : TensorType::from(type)->shape())
    elements *= static_cast<double>(dimension.size);
  return elements;
}

double bytes(choir::Type type) {
  return count(type) * static_cast<double>(size_bytes(TensorType::from(type)->element()));
}

bool is_splat(Attribute constant) { return constant && !constant.is(AttributeKind::word); }

bool moves(const OperationDefinition& definition) {
  return is_one_of<tensor::Broadcast, tensor::Reshape, tensor::Transpose, tensor::Slice,
                   tensor::Reverse, tensor::Diagonal>(definition);
}

/// Arithmetic operations of the whole node.
double work(const EGraph& graph, NodeId node, const OperationDefinition& definition) {
  const double elements = count(graph.node(node).type);
  if (is_one_of<tensor::MatrixMultiply>(definition)) {
    const auto left = TensorType::from(graph.type(graph.operand(node, 0)));
    return 2 * elements * static_cast<double>(left->dimension(left->rank() - 1).size);
  }
  if (is_one_of<tensor::Reduce>(definition)) return count(graph.type(graph.operand(node, 0)));
  if (definition.interface<tensor::Expansion>() != nullptr) return 32 * elements;
  if (definition.interface<tensor::Placement>() != nullptr) return 0;
  const auto* effort = definition.interface<tensor::Effort>();
  return effort != nullptr && effort->expensive ? 16 * elements : elements;
}

}  // namespace

std::uint64_t node_cost(const EGraph& graph, NodeId id) {
  const ENode& node = graph.node(id);
  if (node.definition == nullptr) return 1;
  const OperationDefinition& definition = *node.definition;
  if (node.operand_count == 0) return 1;
  if (is_one_of<tensor::Broadcast, tensor::Reshape, tensor::Slice>(definition)) return 1;
  if (graph.constant(graph.class_of(id)) && !moves(definition)) return 1;  // it will be folded
  double cost = operation_cost + bytes(node.type) + work(graph, id, definition);
  for (std::size_t index = 0; index < node.operand_count; ++index) {
    const ClassId operand = graph.operand(id, index);
    if (!is_splat(graph.constant(operand))) cost += bytes(graph.type(operand));
  }
  return static_cast<std::uint64_t>(std::min(cost, cost_limit));
}

Attribute node_constant(const EGraph& graph, NodeId id) {
  const ENode& node = graph.node(id);
  const OperationDefinition& definition = *node.definition;
  const Attribute some = graph.context().word("constant");
  if (is_one_of<tensor::Constant>(definition)) {
    const Attribute value = node.attributes.get("value");
    const bool scalar = value.is(AttributeKind::boolean) || value.is(AttributeKind::integer) ||
                        value.is(AttributeKind::floating);
    return scalar ? value : some;
  }
  if (node.operand_count == 0) return {};
  for (std::size_t index = 0; index < node.operand_count; ++index)
    if (!graph.constant(graph.operand(id, index))) return {};
  if (moves(definition)) return graph.constant(graph.operand(id, 0));
  const bool folds = definition.interface<tensor::Evaluation>() != nullptr &&
                     definition.has(choir::Trait::pure) &&
                     bytes(node.type) <= static_cast<double>(FoldOptions{}.result_bytes_maximum);
  return folds ? some : Attribute();
}

}  // namespace accy::contract
