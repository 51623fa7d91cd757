// Movements: transposes, reshapes and broadcasts compose, and change places with arithmetic. All
// exact, as they move elements and compute none.
#include <algorithm>

#include "contract/saturation/rules.hpp"
#include "contract/saturation/terms.hpp"

namespace accy::contract {

using namespace tensor;

namespace {

std::size_t index(std::int64_t axis) { return static_cast<std::size_t>(axis); }

void transpose_of_transpose(Rewriter& rewriter, NodeId node) {
  Terms terms(rewriter);
  const Sizes outer = terms.integers(node, "permutation");
  for (NodeId inner : terms.find<Transpose>(terms.operand(node))) {
    const Sizes first = terms.integers(inner, "permutation");
    Sizes composed;
    for (std::int64_t axis : outer) composed.push_back(first[index(axis)]);
    rewriter.replace(node, terms.transpose(terms.operand(inner), composed));
  }
}

void transpose_as_reshape(Rewriter& rewriter, NodeId node) {
  Terms terms(rewriter);
  const ClassId x = terms.operand(node);
  const Sizes shape = terms.shape(x);
  std::int64_t last = -1;
  for (std::int64_t axis : terms.integers(node, "permutation")) {
    if (shape[index(axis)] == 1) continue;
    if (axis < last) return;
    last = axis;
  }
  rewriter.replace(node, terms.reshape(x, terms.shape(rewriter.graph().class_of(node))));
}

void reshape_of_reshape(Rewriter& rewriter, NodeId node) {
  Terms terms(rewriter);
  const Sizes shape = terms.shape(rewriter.graph().class_of(node));
  const ClassId x = terms.operand(node);
  if (terms.shape(x) == shape) rewriter.replace(node, x);
  for (NodeId inner : terms.find<Reshape>(x))
    rewriter.replace(node, terms.reshape(terms.operand(inner), shape));
}

void broadcast_of_broadcast(Rewriter& rewriter, NodeId node) {
  Terms terms(rewriter);
  const Sizes shape = terms.shape(rewriter.graph().class_of(node));
  const Sizes outer = terms.integers(node, "axes");
  for (NodeId inner : terms.find<Broadcast>(terms.operand(node))) {
    Sizes composed;
    for (std::int64_t axis : terms.integers(inner, "axes")) composed.push_back(outer[index(axis)]);
    rewriter.replace(node, terms.broadcast(terms.operand(inner), composed, shape));
  }
}

// transpose(broadcast(x)) = broadcast(transpose(x)), which moves fewer elements
void transpose_of_broadcast(Rewriter& rewriter, NodeId node) {
  Terms terms(rewriter);
  const Sizes shape = terms.shape(rewriter.graph().class_of(node));
  const Sizes permutation = terms.integers(node, "permutation");
  for (NodeId inner : terms.find<Broadcast>(terms.operand(node))) {
    const Sizes axes = terms.integers(inner, "axes");
    Sizes order;  // of the small operand's axes in the result
    Sizes places;
    for (std::size_t to = 0; to < permutation.size(); ++to) {
      const auto found = std::ranges::find(axes, permutation[to]);
      if (found == axes.end()) continue;
      order.push_back(found - axes.begin());
      places.push_back(static_cast<std::int64_t>(to));
    }
    const ClassId small = terms.transpose(terms.operand(inner), order);
    rewriter.replace(node, terms.broadcast(small, places, shape));
  }
}

/// The operand of a node of the class that is the same movement from the same shape.
std::optional<ClassId> moved(const Terms& terms, Rewriter& rewriter, ClassId id, NodeId like) {
  choir::EGraph& graph = rewriter.graph();
  const Sizes shape = terms.shape(terms.operand(like));
  for (NodeId node : graph.nodes_of(id))
    if (graph.node(node).definition == graph.node(like).definition &&
        graph.node(node).attributes == graph.node(like).attributes &&
        terms.shape(terms.operand(node)) == shape)
      return terms.operand(node);
  return std::nullopt;
}

/// f(move(x), move(y), 2) = move(f(x, y, 2)) for one movement node of the first operand that is no
/// splat.
void pull_one(Terms& terms, NodeId node, NodeId movement) {
  Rewriter& rewriter = terms.rewriter();
  choir::EGraph& graph = rewriter.graph();
  const Sizes small = terms.shape(terms.operand(movement));
  std::vector<ClassId> operands;
  for (ClassId operand : graph.operands(node)) {
    if (const Attribute splat = terms.splat_of(operand)) {
      operands.push_back(graph.find(operand));
      continue;
    }
    const std::optional<ClassId> inner = moved(terms, rewriter, operand, movement);
    if (!inner) return;
    operands.push_back(*inner);
  }
  for (ClassId& operand : operands)
    if (const Attribute splat = terms.splat_of(operand))
      operand = terms.splat(terms.type_of(terms.element(operand), small), splat);
  const ClassId inside = terms.elementwise(node, operands);
  const Sizes large = terms.shape(graph.class_of(node));
  rewriter.replace(node, terms.add(*graph.node(movement).definition, std::array{inside},
                                   graph.node(movement).attributes,
                                   terms.type_of(terms.element(inside), large)));
}

template <class Movement>
void pull(Rewriter& rewriter, NodeId node) {
  Terms terms(rewriter);
  for (ClassId operand : rewriter.graph().operands(node)) {
    if (terms.splat_of(operand)) continue;
    for (NodeId movement : terms.find<Movement>(operand)) pull_one(terms, node, movement);
    return;  // the other operands must have the same movement
  }
}

/// Whether transposing the operands of an elementwise node may cancel something: one is transposed
/// itself, or all are spread or equal everywhere.
bool gains_by_transpose(const Terms& terms, choir::EGraph& graph, NodeId node) {
  bool spread = true;
  for (ClassId operand : graph.operands(node)) {
    if (terms.find_first<Transpose>(operand)) return true;
    spread = spread && (terms.splat_of(operand) || terms.find_first<Broadcast>(operand));
  }
  return spread;
}

void push_transpose(Rewriter& rewriter, NodeId node) {
  Terms terms(rewriter);
  choir::EGraph& graph = rewriter.graph();
  const Sizes permutation = terms.integers(node, "permutation");
  const std::span<const NodeId> found = graph.nodes_of(terms.operand(node));
  for (NodeId inner : std::vector<NodeId>(found.begin(), found.end())) {
    if (graph.node(inner).definition == nullptr || !is_elementwise(terms.operation(inner)) ||
        !gains_by_transpose(terms, graph, inner))
      continue;
    const std::span<const ClassId> own = graph.operands(inner);
    std::vector<ClassId> operands(own.begin(), own.end());
    for (ClassId& operand : operands) operand = terms.transpose(graph.find(operand), permutation);
    rewriter.replace(node, terms.elementwise(inner, operands));
  }
}

void splat_of_movement(Rewriter& rewriter, NodeId node) {
  Terms terms(rewriter);
  choir::EGraph& graph = rewriter.graph();
  const ClassId own = graph.class_of(node);
  if (const Attribute splat = terms.splat_of(own))
    rewriter.replace(node, terms.splat(graph.type(own), splat));
}

constexpr RewriteRule rules[] = {
    {"transpose_of_transpose", "transpose(transpose(x, p), q) = transpose(x, p[q])", true,
     is_one_of<Transpose>, transpose_of_transpose},
    {"transpose_as_reshape", "transpose(x, p) = reshape(x) where p moves axes of size 1 only", true,
     is_one_of<Transpose>, transpose_as_reshape},
    {"transpose_of_broadcast", "transpose(broadcast(x)) = broadcast(transpose(x))", true,
     is_one_of<Transpose>, transpose_of_broadcast},
    {"push_transpose", "transpose(f(x, y)) = f(transpose(x), transpose(y))", true,
     is_one_of<Transpose>, push_transpose},
    {"pull_transpose", "f(transpose(x), transpose(y)) = transpose(f(x, y))", true, is_elementwise,
     pull<Transpose>},
    {"reshape_of_reshape", "reshape(reshape(x)) = reshape(x)", true, is_one_of<Reshape>,
     reshape_of_reshape},
    {"pull_reshape", "f(reshape(x), reshape(y)) = reshape(f(x, y))", true, is_elementwise,
     pull<Reshape>},
    {"broadcast_of_broadcast", "broadcast(broadcast(x, a), b) = broadcast(x, b[a])", true,
     is_one_of<Broadcast>, broadcast_of_broadcast},
    {"pull_broadcast", "f(broadcast(x), broadcast(y)) = broadcast(f(x, y))", true, is_elementwise,
     pull<Broadcast>},
    {"splat_of_movement", "moving equal elements gives equal elements", true,
     is_one_of<Transpose, Reshape, Broadcast, Slice, Reverse>, splat_of_movement},
};

}  // namespace

std::span<const RewriteRule> layout_rules() { return rules; }

}  // namespace accy::contract
