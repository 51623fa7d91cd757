// Arithmetic: neutral elements, signs, factors. For floats only what keeps every bit, also of zeros
// and subnormals, unless the row says that it reorders.
#include <cmath>

#include "contract/saturation/rules.hpp"
#include "contract/saturation/terms.hpp"
#include "dialect/tensor/tolerance.hpp"

namespace accy::contract {

using namespace tensor;

namespace {

/// Calls visit(x, y) for both orders of a commutative operation's operands.
template <class Visit>
void both_orders(const Terms& terms, NodeId node, Visit visit) {
  visit(terms.operand(node, 0), terms.operand(node, 1));
  visit(terms.operand(node, 1), terms.operand(node, 0));
}

bool is_power_of_two(double value) {
  int exponent = 0;
  return value != 0 && std::isfinite(value) && std::abs(std::frexp(value, &exponent)) == 0.5;
}

void multiply_by_one(Rewriter& rewriter, NodeId node) {
  const Terms terms(rewriter);
  both_orders(terms, node, [&](ClassId x, ClassId y) {
    if (terms.is_splat(y, 1)) rewriter.replace(node, x);
  });
}

void divide_by_one(Rewriter& rewriter, NodeId node) {
  const Terms terms(rewriter);
  if (terms.is_splat(terms.operand(node, 1), 1)) rewriter.replace(node, terms.operand(node, 0));
}

void subtract_zero(Rewriter& rewriter, NodeId node) {
  const Terms terms(rewriter);
  if (terms.is_splat(terms.operand(node, 1), 0)) rewriter.replace(node, terms.operand(node, 0));
}

// Of floats only the negative zero is neutral: -0 + 0 is 0.
void add_zero(Rewriter& rewriter, NodeId node) {
  const Terms terms(rewriter);
  both_orders(terms, node, [&](ClassId x, ClassId y) {
    const std::optional<double> zero = terms.number_of(y);
    if (zero && *zero == 0 && (is_integer(terms.element(x)) || std::signbit(*zero)))
      rewriter.replace(node, x);
  });
}

// Not for floats: infinity * 0 is NaN, -1 * 0 is -0.
void multiply_by_zero(Rewriter& rewriter, NodeId node) {
  const Terms terms(rewriter);
  both_orders(terms, node, [&](ClassId x, ClassId y) {
    if (is_integer(terms.element(x)) && terms.is_splat(y, 0)) rewriter.replace(node, y);
  });
}

void negate_negate(Rewriter& rewriter, NodeId node) {
  const Terms terms(rewriter);
  for (NodeId inner : terms.find<Negate>(terms.operand(node)))
    rewriter.replace(node, terms.operand(inner));
}

void add_negated(Rewriter& rewriter, NodeId node) {
  Terms terms(rewriter);
  both_orders(terms, node, [&](ClassId x, ClassId y) {
    for (NodeId inner : terms.find<Negate>(y))
      rewriter.replace(node, terms.binary<Subtract>(x, terms.operand(inner)));
  });
}

void subtract_negated(Rewriter& rewriter, NodeId node) {
  Terms terms(rewriter);
  for (NodeId inner : terms.find<Negate>(terms.operand(node, 1)))
    rewriter.replace(node, terms.binary<Add>(terms.operand(node, 0), terms.operand(inner)));
}

void multiply_negated(Rewriter& rewriter, NodeId node) {
  Terms terms(rewriter);
  for (NodeId x : terms.find<Negate>(terms.operand(node, 0)))
    for (NodeId y : terms.find<Negate>(terms.operand(node, 1)))
      rewriter.replace(node, terms.binary<Multiply>(terms.operand(x), terms.operand(y)));
}

void absolute_of_sign(Rewriter& rewriter, NodeId node) {
  Terms terms(rewriter);
  const ClassId x = terms.operand(node);
  if (is_signed(terms.element(x)))  // -1 of unsigned integers is the largest
    for (NodeId inner : terms.find<Negate>(x))
      rewriter.replace(node, terms.unary<Absolute>(terms.operand(inner)));
  // Of integers too: the smallest one stays what it is both times.
  if (terms.find_first<Absolute>(x)) rewriter.replace(node, x);
}

void same_operands(Rewriter& rewriter, NodeId node) {
  const Terms terms(rewriter);
  if (terms.operand(node, 0) == terms.operand(node, 1))
    rewriter.replace(node, terms.operand(node, 0));
}

void select_same(Rewriter& rewriter, NodeId node) {
  const Terms terms(rewriter);
  if (terms.operand(node, 1) == terms.operand(node, 2))
    rewriter.replace(node, terms.operand(node, 1));
}

// Both round the same real number, so the reciprocal must be exact and no more.
void divide_by_power_of_two(Rewriter& rewriter, NodeId node) {
  Terms terms(rewriter);
  const ClassId x = terms.operand(node, 0);
  const std::optional<double> divisor = terms.number_of(terms.operand(node, 1));
  if (!is_float(terms.element(x)) || !divisor || !is_power_of_two(*divisor)) return;
  // A subnormal factor may be flushed in fast mode, and so may the divisor.
  const Precision own = precision(terms.element(x));
  const double factor = 1 / *divisor;
  if (std::abs(factor) < own.minimum_normal() || std::abs(*divisor) < own.minimum_normal()) return;
  if (const auto number = terms.number(rewriter.graph().type(x), factor))
    rewriter.replace(node, terms.binary<Multiply>(x, *number));
}

/// The factors of x * a * b for each pair of constants that the node multiplies by.
template <class Visit>
void nested_factors(Terms& terms, NodeId node, Visit visit) {
  both_orders(terms, node, [&](ClassId product, ClassId second) {
    const std::optional<double> b = terms.number_of(second);
    if (!b) return;
    for (NodeId inner : terms.find<Multiply>(product))
      both_orders(terms, inner, [&](ClassId x, ClassId first) {
        if (const std::optional<double> a = terms.number_of(first)) visit(x, *a, *b);
      });
  });
}

// Powers of two from 1 up round nothing and overflow in one step as in two; smaller ones could
// round a subnormal twice.
void merge_factors(Rewriter& rewriter, NodeId node) {
  Terms terms(rewriter);
  nested_factors(terms, node, [&](ClassId x, double a, double b) {
    const bool powers =
        is_power_of_two(a) && is_power_of_two(b) && std::abs(a) >= 1 && std::abs(b) >= 1;
    if (is_float(terms.element(x)) && !powers) return;
    if (std::abs(a * b) > 0x1p52 && is_integer(terms.element(x))) return;  // not counted exactly
    if (const auto number = terms.number(rewriter.graph().type(x), a * b))
      rewriter.replace(node, terms.binary<Multiply>(x, *number));
  });
}

// The product of the factors is exact, so that one rounding is left of two.
void merge_exact_factors(Rewriter& rewriter, NodeId node) {
  Terms terms(rewriter);
  if (!rewriter.reorders()) return;
  nested_factors(terms, node, [&](ClassId x, double a, double b) {
    if (!is_float(terms.element(x)) || terms.element(x) == ElementType::f64) return;
    // Both up or both down: else the first could overflow where both together do not.
    if (a * b == 0 || (std::abs(a) < 1) != (std::abs(b) < 1)) return;
    if (const auto number = terms.number(rewriter.graph().type(x), a * b))
      rewriter.replace(node, terms.binary<Multiply>(x, *number));
  });
}

/// Calls visit(x, factor) for each way to see the class as x times a number, once as x times 1.
template <class Visit>
void as_product(const Terms& terms, ClassId id, Visit visit) {
  visit(id, 1.0);
  for (NodeId node : terms.find<Multiply>(id))
    both_orders(terms, node, [&](ClassId x, ClassId y) {
      if (const std::optional<double> factor = terms.number_of(y)) visit(x, *factor);
    });
}

// x + x is twice x, exactly; for other factors the sum must be exact, and one rounding is left.
void collect_factors(Rewriter& rewriter, NodeId node) {
  Terms terms(rewriter);
  const ElementType element = terms.element(terms.operand(node));
  if (!terms.may_reorder(element) || element == ElementType::f64) return;
  as_product(terms, terms.operand(node, 0), [&](ClassId x, double a) {
    as_product(terms, terms.operand(node, 1), [&](ClassId y, double b) {
      const double sum = a + b;
      // Of one sign: else the products could overflow where their sum does not.
      if (x != y || (is_float(element) && !(a * b > 0))) return;
      if (const auto number = terms.number(rewriter.graph().type(x), sum))
        rewriter.replace(node, terms.binary<Multiply>(x, *number));
    });
  });
}

// Integers wrap, so that the ring's laws hold.
void distribute_integers(Rewriter& rewriter, NodeId node) {
  Terms terms(rewriter);
  if (!is_integer(terms.element(terms.operand(node)))) return;
  for (NodeId left : terms.find<Multiply>(terms.operand(node, 0)))
    for (NodeId right : terms.find<Multiply>(terms.operand(node, 1)))
      both_orders(terms, left, [&](ClassId x, ClassId y) {
        both_orders(terms, right, [&](ClassId same, ClassId z) {
          if (x != same) return;
          const ClassId sum = terms.add(terms.operation(node), std::array{y, z},
                                        terms.no_attributes(), terms.graph().type(y));
          rewriter.replace(node, terms.binary<Multiply>(x, sum));
        });
      });
}

constexpr RewriteRule rules[] = {
    {"multiply_by_one", "x * 1 = x", true, is_one_of<Multiply>, multiply_by_one},
    {"divide_by_one", "x / 1 = x", true, is_one_of<Divide>, divide_by_one},
    {"subtract_zero", "x - 0 = x", true, is_one_of<Subtract>, subtract_zero},
    {"add_zero", "x + -0 = x; of integers x + 0 = x", true, is_one_of<Add>, add_zero},
    {"multiply_by_zero", "x * 0 = 0 of integers", true, is_one_of<Multiply>, multiply_by_zero},
    {"negate_negate", "-(-x) = x", true, is_one_of<Negate>, negate_negate},
    {"add_negated", "x + -y = x - y", true, is_one_of<Add>, add_negated},
    {"subtract_negated", "x - -y = x + y", true, is_one_of<Subtract>, subtract_negated},
    {"multiply_negated", "-x * -y = x * y", true, is_one_of<Multiply>, multiply_negated},
    {"absolute_of_sign", "|-x| = |x|, ||x|| = |x|", true, is_one_of<Absolute>, absolute_of_sign},
    {"same_operands", "max(x, x) = x, min(x, x) = x", true, is_one_of<Maximum, Minimum>,
     same_operands},
    {"select_same", "select(c, x, x) = x", true, is_one_of<Select>, select_same},
    {"divide_by_power_of_two", "x / 2^k = x * 2^-k", true, is_one_of<Divide>,
     divide_by_power_of_two},
    {"merge_factors", "x * a * b = x * (a * b) of integers, and of powers of two from 1 up", true,
     is_one_of<Multiply>, merge_factors},
    {"merge_exact_factors", "x * a * b = x * (a * b) where a * b is exact", false,
     is_one_of<Multiply>, merge_exact_factors},
    {"collect_factors", "x * a + x * b = x * (a + b) where a + b is exact", false, is_one_of<Add>,
     collect_factors},
    {"distribute_integers", "x * y + x * z = x * (y + z) of integers", true,
     is_one_of<Add, Subtract>, distribute_integers},
};

}  // namespace

std::span<const RewriteRule> algebra_rules() { return rules; }

}  // namespace accy::contract
