// Reductions: merged, split over what is put together, and taken before what only repeats or moves.
// Max and min are exact in any order, integers wrap; sums of floats take another order.
#include <algorithm>
#include <cmath>

#include "contract/saturation/rules.hpp"
#include "contract/saturation/terms.hpp"

namespace accy::contract {

using namespace tensor;

namespace {

std::string_view function_of(Rewriter& rewriter, NodeId node) {
  return rewriter.graph().attribute(node, "function").text();
}

bool is_extremum(std::string_view function) { return function == "max" || function == "min"; }

/// Whether the elements of the reduction may be combined in any order.
bool any_order(const Terms& terms, Rewriter& rewriter, NodeId node) {
  return is_extremum(function_of(rewriter, node)) || terms.may_reorder(node);
}

bool contains(const Sizes& axes, std::int64_t axis) {
  return std::ranges::find(axes, axis) != axes.end();
}

std::size_t index(std::int64_t axis) { return static_cast<std::size_t>(axis); }

void reduce_of_reduce(Rewriter& rewriter, NodeId node) {
  Terms terms(rewriter);
  if (!any_order(terms, rewriter, node)) return;
  for (NodeId inner : terms.find<Reduce>(terms.operand(node))) {
    if (function_of(rewriter, inner) != function_of(rewriter, node) ||
        !any_order(terms, rewriter, inner))
      continue;
    const ClassId x = terms.operand(inner);
    const Sizes first = terms.integers(inner, "axes");
    Sizes left;  // the axes of x that the inner one keeps
    for (std::int64_t axis = 0; axis < static_cast<std::int64_t>(terms.rank(x)); ++axis)
      if (!contains(first, axis)) left.push_back(axis);
    Sizes all = first;
    for (std::int64_t axis : terms.integers(node, "axes")) all.push_back(left[index(axis)]);
    std::ranges::sort(all);
    rewriter.replace(node, terms.reduce(node, x, all));
  }
}

void reduce_of_nothing(Rewriter& rewriter, NodeId node) {
  const Terms terms(rewriter);
  if (terms.integers(node, "axes").empty()) rewriter.replace(node, terms.operand(node));
}

// Where the reduced axes keep their order, so do the elements: every sum stays as it is.
void reduce_of_transpose(Rewriter& rewriter, NodeId node) {
  Terms terms(rewriter);
  const Sizes axes = terms.integers(node, "axes");
  for (NodeId inner : terms.find<Transpose>(terms.operand(node))) {
    const Sizes permutation = terms.integers(inner, "permutation");
    Sizes own;
    Sizes kept;
    for (std::size_t axis = 0; axis < permutation.size(); ++axis)
      (contains(axes, static_cast<std::int64_t>(axis)) ? own : kept).push_back(permutation[axis]);
    if (!std::ranges::is_sorted(own) && !any_order(terms, rewriter, node)) continue;
    std::ranges::sort(own);
    Sizes order = kept;  // of the kept axes once the others are gone
    for (std::int64_t& axis : order)
      axis = std::ranges::count_if(kept, [axis](std::int64_t other) { return other < axis; });
    rewriter.replace(node, terms.transpose(terms.reduce(node, terms.operand(inner), own), order));
  }
}

/// A reduction of a broadcast: what of it only repeats.
struct Repeated {
  ClassId x = choir::none;  ///< the broadcast's operand
  Sizes own;                ///< its axes that are reduced and not repeated
  std::int64_t times = 1;   ///< how often each element counts
};

Repeated repeated(const Terms& terms, NodeId node, NodeId broadcast) {
  Repeated found{.x = terms.operand(broadcast)};
  const Sizes shape = terms.shape(terms.operand(node));
  const Sizes places = terms.integers(broadcast, "axes");
  const Sizes small = terms.shape(found.x);
  for (std::int64_t axis : terms.integers(node, "axes")) {
    const auto place = std::ranges::find(places, axis);
    const auto from = static_cast<std::size_t>(place - places.begin());
    if (place != places.end() && small[from] == shape[index(axis)])
      found.own.push_back(static_cast<std::int64_t>(from));
    else
      found.times *= shape[index(axis)];
  }
  return found;
}

/// The reduced broadcast's operand, spread again over the axes that are left.
std::optional<ClassId> spread_rest(Terms& terms, NodeId node, NodeId broadcast,
                                   const Repeated& found) {
  const Sizes reduced = terms.integers(node, "axes");
  const Sizes places = terms.integers(broadcast, "axes");
  // Axes of size 1 that are repeated and reduced go too; they hold one element.
  Sizes gone = found.own;
  Sizes kept;
  for (std::size_t axis = 0; axis < places.size(); ++axis) {
    if (!contains(reduced, places[axis])) {
      const std::int64_t before =
          std::ranges::count_if(reduced, [&](std::int64_t other) { return other < places[axis]; });
      kept.push_back(places[axis] - before);
    } else if (!contains(gone, static_cast<std::int64_t>(axis))) {
      gone.push_back(static_cast<std::int64_t>(axis));
    }
  }
  std::ranges::sort(gone);
  const ClassId small = terms.reduce(node, found.x, gone);
  return terms.broadcast(small, kept, terms.shape(terms.graph().class_of(node)));
}

void extremum_of_broadcast(Rewriter& rewriter, NodeId node) {
  Terms terms(rewriter);
  if (!is_extremum(function_of(rewriter, node))) return;
  for (NodeId inner : terms.find<Broadcast>(terms.operand(node))) {
    const Repeated found = repeated(terms, node, inner);
    if (found.times == 0) continue;  // of no elements it is the lowest or highest value
    if (const auto small = spread_rest(terms, node, inner, found)) rewriter.replace(node, *small);
  }
}

void sum_of_broadcast(Rewriter& rewriter, NodeId node) {
  Terms terms(rewriter);
  if (function_of(rewriter, node) != "sum" || !terms.may_reorder(node)) return;
  for (NodeId inner : terms.find<Broadcast>(terms.operand(node))) {
    const Repeated found = repeated(terms, node, inner);
    if (found.times == 0) continue;
    const auto small = spread_rest(terms, node, inner, found);
    const choir::Type type = rewriter.graph().type(*small);
    const auto times = terms.number(type, static_cast<double>(found.times));
    if (times) rewriter.replace(node, terms.binary<Multiply>(*small, *times));
  }
}

// sum(x * y) = sum(x) * y where y is the same along the reduced axes: a splat or a broadcast
void sum_of_scaled(Rewriter& rewriter, NodeId node) {
  Terms terms(rewriter);
  if (function_of(rewriter, node) != "sum" || !terms.may_reorder(node)) return;
  const Sizes axes = terms.integers(node, "axes");
  const choir::Type type = rewriter.graph().type(rewriter.graph().class_of(node));
  for (NodeId inner : terms.find<Multiply>(terms.operand(node)))
    for (std::size_t side = 0; side < 2; ++side) {
      const ClassId x = terms.operand(inner, 1 - side);
      const ClassId y = terms.operand(inner, side);
      const std::optional<double> number = terms.number_of(y);
      if (number && std::isfinite(*number)) {
        const ClassId sum = terms.reduce(node, x, axes);
        rewriter.replace(node, terms.binary<Multiply>(sum, terms.splat(type, terms.splat_of(y))));
      }
      if (terms.graph().constant(y)) continue;
      for (NodeId spread : terms.find<Broadcast>(y)) {
        const Repeated found = repeated(terms, node, spread);
        const Sizes sizes = terms.shape(x);
        const bool one =
            std::ranges::all_of(axes, [&](std::int64_t axis) { return sizes[index(axis)] == 1; });
        // Of no elements the sum is 0, but 0 * y may be NaN.
        if (!found.own.empty() || found.times == 0 || one) continue;
        const auto rest = spread_rest(terms, node, spread, found);
        rewriter.replace(node, terms.binary<Multiply>(terms.reduce(node, x, axes), *rest));
      }
    }
}

ClassId combine(Terms& terms, std::string_view function, ClassId x, ClassId y) {
  if (function == "max") return terms.binary<Maximum>(x, y);
  if (function == "min") return terms.binary<Minimum>(x, y);
  return function == "sum" ? terms.binary<Add>(x, y) : terms.binary<Multiply>(x, y);
}

// reduce(concat(x, y)) = f(reduce(x), reduce(y)) along a reduced axis
void reduce_of_concat(Rewriter& rewriter, NodeId node) {
  Terms terms(rewriter);
  choir::EGraph& graph = rewriter.graph();
  const Sizes axes = terms.integers(node, "axes");
  if (!any_order(terms, rewriter, node)) return;
  for (NodeId inner : terms.find<Concat>(terms.operand(node))) {
    if (!contains(axes, graph.attribute(inner, "axis").integer())) continue;
    const std::span<const ClassId> own = graph.operands(inner);
    const std::vector<ClassId> parts(own.begin(), own.end());
    ClassId total = choir::none;
    for (ClassId part : parts) {
      const ClassId one = terms.reduce(node, graph.find(part), axes);
      total = total == choir::none ? one : combine(terms, function_of(rewriter, node), total, one);
    }
    rewriter.replace(node, total);
  }
}

constexpr RewriteRule rules[] = {
    {"reduce_of_nothing", "reduce(x, no axes) = x", true, is_one_of<Reduce>, reduce_of_nothing},
    {"reduce_of_reduce", "reduce(reduce(x, a), b) = reduce(x, a and b)", false, is_one_of<Reduce>,
     reduce_of_reduce},
    {"reduce_of_transpose", "reduce(transpose(x)) = transpose(reduce(x))", false, is_one_of<Reduce>,
     reduce_of_transpose},
    {"extremum_of_broadcast", "max(broadcast(x)) = broadcast(max(x)), and of min", true,
     is_one_of<Reduce>, extremum_of_broadcast},
    {"sum_of_broadcast", "sum(broadcast(x)) = broadcast(sum(x)) * n, each n times", false,
     is_one_of<Reduce>, sum_of_broadcast},
    {"sum_of_scaled", "sum(x * y) = sum(x) * y where y is the same in every term", false,
     is_one_of<Reduce>, sum_of_scaled},
    {"reduce_of_concat", "reduce(concat(x, y)) = f(reduce(x), reduce(y))", false, is_one_of<Reduce>,
     reduce_of_concat},
};

}  // namespace

std::span<const RewriteRule> reduction_rules() { return rules; }

}  // namespace accy::contract
