#include "dialect/tensor/tolerance.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "accy/result.hpp"

namespace accy::tensor {
namespace {

struct Row {
  Tolerance strict;
  Tolerance fast;
};

// In the order of MathFunction. Vulkan's and PTX's own bounds, and our polynomials' where a native
// instruction would be worse; see docs/numerics.md.
constexpr std::array<Row, 10> table{{
    {{}, {}},
    {{}, {}},
    {{.ulps = 1}, {.ulps = 2.5}},
    {{.ulps = 1}, {.ulps = 5}},
    {{.ulps = 2}, {.ulps = 3, .ulps_per_magnitude = 2}},
    {{.ulps = 2, .absolute = 0x1p-22}, {.ulps = 3, .absolute = 0x1p-21}},
    {{.ulps = 3}, {.ulps = 3, .relative = 0x1p-10}},
    {{.ulps = 3}, {.ulps = 3, .relative = 0x1p-10}},
    {{.ulps = 2.5, .absolute = 0x1p-24}, {.ulps = 2.5, .absolute = 0x1p-23}},
    {{.ulps = 2.5, .absolute = 0x1p-24}, {.ulps = 2.5, .absolute = 0x1p-23}},
}};

}  // namespace

Tolerance tolerance(MathFunction function, ElementType type, NumericMode mode) {
  const Row& row = table[static_cast<std::size_t>(function)];
  if (type != ElementType::f64) return mode == NumericMode::fast ? row.fast : row.strict;
  // f64 has no native approximations: the relative and absolute terms are those of f32 hardware.
  Tolerance exact = mode == NumericMode::fast ? row.fast : row.strict;
  exact.relative = 0;
  exact.absolute = exact.absolute == 0 ? 0 : 0x1p-51;
  return exact;
}

Precision precision(ElementType type) {
  switch (type) {
    case ElementType::f16: return {0x1p-11, 10, -14, 65520.0};
    case ElementType::bf16: return {0x1p-8, 7, -126, 0x1.ffp127};
    case ElementType::f32: return {0x1p-24, 23, -126, 0x1.ffffffp127};
    case ElementType::f64:
      return {0x1p-53, 52, -1022, std::numeric_limits<double>::infinity()};
    default: break;
  }
  ACCY_ASSERT(false, "precision of a type that is no float");
  return {};
}

double Precision::minimum_normal() const { return std::ldexp(1.0, minimum_exponent); }

double Precision::maximum() const {
  // Half an ulp below what rounds to infinity; f64 has no number for that threshold.
  if (overflow_threshold == std::numeric_limits<double>::infinity())
    return std::numeric_limits<double>::max();
  return overflow_threshold - ulp(overflow_threshold * (1 - unit_roundoff)) / 2;
}

double Precision::ulp(double magnitude) const {
  const int exponent =
      magnitude > 0 ? std::max(std::ilogb(magnitude), minimum_exponent) : minimum_exponent;
  return std::ldexp(1.0, exponent - fraction_bits);
}

}  // namespace accy::tensor
