// Slices move towards the inputs, so that what they leave out is never computed. All exact.
#include <algorithm>

#include "contract/saturation/rules.hpp"
#include "contract/saturation/terms.hpp"

namespace accy::contract {

using namespace tensor;

namespace {

/// A slice with a start, limit and stride for every axis.
struct Window {
  Sizes starts;
  Sizes limits;
  Sizes strides;
};

Window window_of(const Terms& terms, NodeId node) {
  Window window;
  window.limits = terms.shape(terms.operand(node));
  window.starts.assign(window.limits.size(), 0);
  window.strides.assign(window.limits.size(), 1);
  const Sizes axes = terms.integers(node, "axes");
  const Sizes starts = terms.integers(node, "starts");
  const Sizes limits = terms.integers(node, "limits");
  const Sizes strides = terms.integers(node, "strides");
  for (std::size_t entry = 0; entry < axes.size(); ++entry) {
    const auto axis = static_cast<std::size_t>(axes[entry]);
    window.starts[axis] = starts[entry];
    window.limits[axis] = limits[entry];
    if (!strides.empty()) window.strides[axis] = strides[entry];
  }
  return window;
}

ClassId cut(Terms& terms, ClassId x, const Window& window) {
  return terms.slice(x, window.starts, window.limits, window.strides);
}

void slice_of_all(Rewriter& rewriter, NodeId node) {
  Terms terms(rewriter);
  const ClassId x = terms.operand(node);
  if (cut(terms, x, window_of(terms, node)) == x) rewriter.replace(node, x);
}

void slice_of_slice(Rewriter& rewriter, NodeId node) {
  Terms terms(rewriter);
  const Window outer = window_of(terms, node);
  for (NodeId inner : terms.find<Slice>(terms.operand(node))) {
    Window whole = window_of(terms, inner);
    for (std::size_t axis = 0; axis < whole.starts.size(); ++axis) {
      const std::int64_t count = outer.limits[axis] - outer.starts[axis];
      const std::int64_t first = whole.starts[axis] + outer.starts[axis] * whole.strides[axis];
      // Of no elements the start may lie behind the end.
      const std::int64_t start = std::min(first, whole.limits[axis]);
      const std::int64_t limit = std::min(
          whole.limits[axis], whole.starts[axis] + outer.limits[axis] * whole.strides[axis]);
      whole.starts[axis] = start;
      whole.limits[axis] = count == 0 ? start : std::max(start, limit);
      if (__builtin_mul_overflow(whole.strides[axis], outer.strides[axis], &whole.strides[axis]))
        return;
    }
    rewriter.replace(node, cut(terms, terms.operand(inner), whole));
  }
}

void slice_of_elementwise(Rewriter& rewriter, NodeId node) {
  Terms terms(rewriter);
  choir::EGraph& graph = rewriter.graph();
  const Window window = window_of(terms, node);
  const std::span<const NodeId> found = graph.nodes_of(terms.operand(node));
  for (NodeId inner : std::vector<NodeId>(found.begin(), found.end())) {
    if (graph.node(inner).definition == nullptr || !is_elementwise(terms.operation(inner)))
      continue;
    const std::span<const ClassId> own = graph.operands(inner);
    std::vector<ClassId> operands(own.begin(), own.end());
    for (ClassId& operand : operands) operand = cut(terms, graph.find(operand), window);
    rewriter.replace(node, terms.elementwise(inner, operands));
  }
}

void slice_of_transpose(Rewriter& rewriter, NodeId node) {
  Terms terms(rewriter);
  const Window outer = window_of(terms, node);
  for (NodeId inner : terms.find<Transpose>(terms.operand(node))) {
    const Sizes permutation = terms.integers(inner, "permutation");
    Window own = outer;
    for (std::size_t axis = 0; axis < permutation.size(); ++axis) {
      const auto from = static_cast<std::size_t>(permutation[axis]);
      own.starts[from] = outer.starts[axis];
      own.limits[from] = outer.limits[axis];
      own.strides[from] = outer.strides[axis];
    }
    rewriter.replace(node, terms.transpose(cut(terms, terms.operand(inner), own), permutation));
  }
}

void slice_of_broadcast(Rewriter& rewriter, NodeId node) {
  Terms terms(rewriter);
  const Window outer = window_of(terms, node);
  const Sizes shape = terms.shape(rewriter.graph().class_of(node));
  for (NodeId inner : terms.find<Broadcast>(terms.operand(node))) {
    const ClassId x = terms.operand(inner);
    const Sizes axes = terms.integers(inner, "axes");
    Window own{Sizes(axes.size(), 0), terms.shape(x), Sizes(axes.size(), 1)};
    const Sizes large = terms.shape(terms.operand(node));
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
      const auto to = static_cast<std::size_t>(axes[axis]);
      if (own.limits[axis] != large[to]) continue;  // repeated: any part of it is the same
      own.starts[axis] = outer.starts[to];
      own.limits[axis] = outer.limits[to];
      own.strides[axis] = outer.strides[to];
    }
    rewriter.replace(node, terms.broadcast(cut(terms, x, own), axes, shape));
  }
}

/// The parts of a concat that a window needs, cut to it; nothing where it steps over parts.
void slice_one_concat(Terms& terms, NodeId node, NodeId concat) {
  choir::EGraph& graph = terms.graph();
  const auto axis = static_cast<std::size_t>(graph.attribute(concat, "axis").integer());
  const Window window = window_of(terms, node);
  if (window.strides[axis] != 1) return;
  std::vector<ClassId> parts;
  std::int64_t before = 0;
  const std::span<const ClassId> own = graph.operands(concat);
  for (ClassId part : std::vector<ClassId>(own.begin(), own.end())) {
    part = graph.find(part);
    const std::int64_t size = terms.shape(part)[axis];
    Window inside = window;
    inside.starts[axis] = std::clamp<std::int64_t>(window.starts[axis] - before, 0, size);
    inside.limits[axis] = std::clamp<std::int64_t>(window.limits[axis] - before, 0, size);
    before += size;
    if (inside.starts[axis] < inside.limits[axis]) parts.push_back(cut(terms, part, inside));
  }
  if (!parts.empty()) terms.rewriter().replace(node, terms.concat(parts, axis));
}

void slice_of_concat(Rewriter& rewriter, NodeId node) {
  Terms terms(rewriter);
  for (NodeId concat : terms.find<Concat>(terms.operand(node)))
    slice_one_concat(terms, node, concat);
}

constexpr RewriteRule rules[] = {
    {"slice_of_all", "slice(x, all) = x", true, is_one_of<Slice>, slice_of_all},
    {"slice_of_slice", "slice(slice(x)) = slice(x)", true, is_one_of<Slice>, slice_of_slice},
    {"slice_of_concat", "slice(concat(x, y)) = concat(slice(x), slice(y)), of the parts it meets",
     true, is_one_of<Slice>, slice_of_concat},
    {"slice_of_elementwise", "slice(f(x, y)) = f(slice(x), slice(y))", true, is_one_of<Slice>,
     slice_of_elementwise},
    {"slice_of_transpose", "slice(transpose(x)) = transpose(slice(x))", true, is_one_of<Slice>,
     slice_of_transpose},
    {"slice_of_broadcast", "slice(broadcast(x)) = broadcast(slice(x))", true, is_one_of<Slice>,
     slice_of_broadcast},
};

}  // namespace

std::span<const RewriteRule> slice_rules() { return rules; }

}  // namespace accy::contract
