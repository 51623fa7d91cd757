// The published per-op tolerances: what a conforming device may be off by, in fast and strict mode.
#pragma once

#include <cstdint>

#include "accy/element_type.hpp"
#include "dialect/tensor/numeric.hpp"

namespace accy::tensor {

enum class MathFunction : std::uint8_t {
  add,  ///< also subtraction
  multiply,
  divide,
  square_root,
  exponential,
  logarithm,
  hyperbolic_tangent,
  error_function,
  sine,
  cosine,
};

/// A result is within it when it is at most `ulps + ulps_per_magnitude * |x|` units in the last
/// place, or `relative * |result|`, or `absolute`, from the correctly rounded one; the largest of
/// the three counts. `absolute` holds where the result is below one in magnitude.
struct Tolerance {
  double ulps = 0;
  double ulps_per_magnitude = 0;
  double relative = 0;
  double absolute = 0;
};

/// For a computation in `type`, f32 or f64; f16 and bf16 are computed in f32 and rounded once more.
Tolerance tolerance(MathFunction function, ElementType type, NumericMode mode);

/// What the accuracy of floating point formats is made of.
struct Precision {
  double unit_roundoff = 0;       ///< half an ulp of 1
  int fraction_bits = 0;
  int minimum_exponent = 0;       ///< of the smallest normal
  double overflow_threshold = 0;  ///< the least magnitude that rounds to infinity

  double minimum_normal() const;
  /// The largest finite value.
  double maximum() const;
  /// The unit in the last place at a finite magnitude; that of subnormals below the normals.
  double ulp(double magnitude) const;
};

/// Of a float type.
Precision precision(ElementType type);

}  // namespace accy::tensor
