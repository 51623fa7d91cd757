// The error bound of a product over many elements, whatever their order.
#include <cmath>
#include <limits>

#include "dialect/tensor/arithmetic/wide.hpp"

namespace accy::tensor {

void Wide::Factors::include(Number x) {
  const double high = std::fabs(x.value) + x.bound;
  const double low = std::fabs(x.value) - x.bound;
  count += 1;
  if (high > 1) largest *= high;
  if (low < 1 && low > 0) smallest *= low;
  zero = zero || low <= 0;
  nan = nan || std::isnan(x.value);
}

Wide::Number Wide::in_any_order(Number product, const Factors& factors) const {
  if (!is_float_ || product.bound == std::numeric_limits<double>::infinity() || factors.nan)
    return product;
  // Infinite partial products meet small ones, or zeros, in some orders only.
  const bool one_sided = factors.smallest == 1 && !factors.zero;
  const bool may_overflow = !(factors.largest < storage_.overflow_threshold);
  if (may_overflow)
    return {product.value, one_sided ? product.bound : std::numeric_limits<double>::infinity()};
  if (factors.smallest < compute_.minimum_normal())
    product.bound += factors.count * (compute_.ulp(0) + normal_) * factors.largest;
  // The steps of f64 round as this evaluation does, in its order: no step had a bound.
  if (element_ == ElementType::f64)
    product.bound += factors.count * compute_.unit_roundoff * 2 * std::fabs(product.value);
  return product;
}

}  // namespace accy::tensor
