// Matrix products: their order, their transposes, and factors that move into a weight.
#include <algorithm>
#include <cmath>

#include "contract/saturation/rules.hpp"
#include "contract/saturation/terms.hpp"

namespace accy::contract {

using namespace tensor;

namespace {

bool same_attributes(Rewriter& rewriter, NodeId a, NodeId b) {
  return rewriter.graph().node(a).attributes == rewriter.graph().node(b).attributes;
}

/// Whether a matmul takes operands of these ranks.
bool ranks_fit(std::size_t left, std::size_t right) { return right == 2 || right == left; }

void associate_right(Rewriter& rewriter, NodeId node) {
  Terms terms(rewriter);
  if (!terms.may_reorder(node)) return;
  const ClassId c = terms.operand(node, 1);
  for (NodeId inner : terms.find<MatrixMultiply>(terms.operand(node, 0))) {
    const ClassId a = terms.operand(inner, 0);
    const ClassId b = terms.operand(inner, 1);
    if (!same_attributes(rewriter, node, inner) || !ranks_fit(terms.rank(b), terms.rank(c)))
      continue;
    rewriter.replace(node, terms.matmul(node, a, terms.matmul(node, b, c)));
  }
}

void associate_left(Rewriter& rewriter, NodeId node) {
  Terms terms(rewriter);
  if (!terms.may_reorder(node)) return;
  const ClassId a = terms.operand(node, 0);
  for (NodeId inner : terms.find<MatrixMultiply>(terms.operand(node, 1))) {
    const ClassId b = terms.operand(inner, 0);
    const ClassId c = terms.operand(inner, 1);
    if (!same_attributes(rewriter, node, inner) || !ranks_fit(terms.rank(a), terms.rank(b)) ||
        !ranks_fit(terms.rank(a), terms.rank(c)))
      continue;
    rewriter.replace(node, terms.matmul(node, terms.matmul(node, a, b), c));
  }
}

bool swaps_last(const Sizes& permutation) {
  Sizes expected = permutation;
  for (std::size_t axis = 0; axis < expected.size(); ++axis)
    expected[axis] = static_cast<std::int64_t>(axis);
  if (expected.size() < 2) return false;
  std::swap(expected[expected.size() - 2], expected.back());
  return expected == permutation;
}

// The products commute and are added in the same order.
void transpose_of_matmul(Rewriter& rewriter, NodeId node) {
  Terms terms(rewriter);
  if (!swaps_last(terms.integers(node, "permutation"))) return;
  for (NodeId inner : terms.find<MatrixMultiply>(terms.operand(node))) {
    const ClassId a = terms.operand(inner, 0);
    const ClassId b = terms.operand(inner, 1);
    if (terms.rank(a) != terms.rank(b)) continue;
    rewriter.replace(node, terms.matmul(inner, terms.swap_last(b), terms.swap_last(a)));
  }
}

void matmul_of_transposes(Rewriter& rewriter, NodeId node) {
  Terms terms(rewriter);
  const ClassId left = terms.operand(node, 0);
  const ClassId right = terms.operand(node, 1);
  if (terms.rank(left) != terms.rank(right)) return;
  for (NodeId a : terms.find<Transpose>(left))
    for (NodeId b : terms.find<Transpose>(right)) {
      if (!swaps_last(terms.integers(a, "permutation")) ||
          !swaps_last(terms.integers(b, "permutation")))
        continue;
      rewriter.replace(node,
                       terms.swap_last(terms.matmul(node, terms.operand(b), terms.operand(a))));
    }
}

/// The number that a finite splat is: of an infinite one the product of no elements is NaN.
Attribute finite_splat(const Terms& terms, ClassId id) {
  const std::optional<double> number = terms.number_of(id);
  return number && std::isfinite(*number) ? terms.splat_of(id) : Attribute();
}

/// For mul(matmul(a, b), y) in both orders: visit(matmul, y).
template <class Visit>
void scaled_products(const Terms& terms, NodeId node, Visit visit) {
  for (std::size_t side = 0; side < 2; ++side)
    for (NodeId product : terms.find<MatrixMultiply>(terms.operand(node, side)))
      if (terms.may_reorder(product)) visit(product, terms.operand(node, 1 - side));
}

// The factor goes to either operand; where that is a constant it folds into it.
void scale_of_matmul(Rewriter& rewriter, NodeId node) {
  Terms terms(rewriter);
  scaled_products(terms, node, [&](NodeId product, ClassId factor) {
    const Attribute splat = finite_splat(terms, factor);
    if (!splat) return;
    const ClassId a = terms.operand(product, 0);
    const ClassId b = terms.operand(product, 1);
    const auto scaled = [&](ClassId x) {
      return terms.binary<Multiply>(x, terms.splat(rewriter.graph().type(x), splat));
    };
    rewriter.replace(node, terms.matmul(product, a, scaled(b)));
    rewriter.replace(node, terms.matmul(product, scaled(a), b));
  });
}

// As a normalization leaves it behind a product with a weight.
void column_scale_of_matmul(Rewriter& rewriter, NodeId node) {
  Terms terms(rewriter);
  scaled_products(terms, node, [&](NodeId product, ClassId factor) {
    const ClassId b = terms.operand(product, 1);
    const Sizes shape = terms.shape(b);
    const auto last = static_cast<std::int64_t>(terms.rank(factor)) - 1;
    for (NodeId spread : terms.find<Broadcast>(factor)) {
      const ClassId columns = terms.operand(spread);
      if (terms.integers(spread, "axes") != Sizes{last} ||
          terms.shape(columns) != Sizes{shape.back()})
        continue;
      const auto axis = static_cast<std::int64_t>(shape.size()) - 1;
      const ClassId scale = terms.broadcast(columns, std::array{axis}, shape);
      rewriter.replace(
          node, terms.matmul(product, terms.operand(product, 0), terms.binary<Multiply>(b, scale)));
    }
  });
}

void matmul_of_scaled(Rewriter& rewriter, NodeId node) {
  Terms terms(rewriter);
  if (!terms.may_reorder(node)) return;
  for (std::size_t side = 0; side < 2; ++side)
    for (NodeId scaled : terms.find<Multiply>(terms.operand(node, side)))
      for (std::size_t place = 0; place < 2; ++place) {
        const Attribute splat = finite_splat(terms, terms.operand(scaled, place));
        if (!splat) continue;
        std::array operands{terms.operand(node, 0), terms.operand(node, 1)};
        operands[side] = terms.operand(scaled, 1 - place);
        const ClassId product = terms.matmul(node, operands[0], operands[1]);
        rewriter.replace(node, terms.binary<Multiply>(
                                   product, terms.splat(rewriter.graph().type(product), splat)));
      }
}

// a b + a c = a (b + c) and b a + c a = (b + c) a
void sum_of_matmuls(Rewriter& rewriter, NodeId node) {
  Terms terms(rewriter);
  for (NodeId left : terms.find<MatrixMultiply>(terms.operand(node, 0)))
    for (NodeId right : terms.find<MatrixMultiply>(terms.operand(node, 1)))
      for (std::size_t side = 0; side < 2; ++side) {
        const ClassId x = terms.operand(left, 1 - side);
        const ClassId y = terms.operand(right, 1 - side);
        if (!terms.may_reorder(left) || !same_attributes(rewriter, left, right) ||
            terms.operand(left, side) != terms.operand(right, side) ||
            rewriter.graph().type(x) != rewriter.graph().type(y))
          continue;
        const ClassId sum = terms.add(terms.operation(node), std::array{x, y},
                                      terms.no_attributes(), rewriter.graph().type(x));
        const ClassId shared = terms.operand(left, side);
        rewriter.replace(node, side == 0 ? terms.matmul(left, shared, sum)
                                         : terms.matmul(left, sum, shared));
      }
}

constexpr RewriteRule rules[] = {
    {"associate_right", "(a b) c = a (b c)", false, is_one_of<MatrixMultiply>, associate_right},
    {"associate_left", "a (b c) = (a b) c", false, is_one_of<MatrixMultiply>, associate_left},
    {"transpose_of_matmul", "transpose(a b) = transpose(b) transpose(a)", true,
     is_one_of<Transpose>, transpose_of_matmul},
    {"matmul_of_transposes", "transpose(a) transpose(b) = transpose(b a)", true,
     is_one_of<MatrixMultiply>, matmul_of_transposes},
    {"scale_of_matmul", "(a b) * s = a (b * s) = (a * s) b", false, is_one_of<Multiply>,
     scale_of_matmul},
    {"column_scale_of_matmul", "(a b) * broadcast(s) = a (b * broadcast(s)), s by columns", false,
     is_one_of<Multiply>, column_scale_of_matmul},
    {"matmul_of_scaled", "(a * s) b = (a b) * s", false, is_one_of<MatrixMultiply>,
     matmul_of_scaled},
    {"sum_of_matmuls", "a b + a c = a (b + c), b a + c a = (b + c) a", false,
     is_one_of<Add, Subtract>, sum_of_matmuls},
};

}  // namespace

std::span<const RewriteRule> matmul_rules() { return rules; }

}  // namespace accy::contract
