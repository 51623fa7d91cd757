// WideTensor: a tensor of f64 values with a forward error bound for each.
#pragma once

#include <cstdint>
#include <vector>

#include "accy/host_tensor.hpp"

namespace accy::tensor {

/// Any conforming result r of the element type satisfies |r - value| <= bound, or is equal to value
/// where that is infinite or NaN. An infinite bound admits anything. For bool, value is 0 or 1 and
/// bound is 1 where either may come out.
struct WideTensor {
  ElementType element = ElementType::f64;  ///< the declared type of the value
  std::vector<std::int64_t> shape;
  std::vector<double> value;  ///< row major
  std::vector<double> bound;

  std::int64_t count() const { return static_cast<std::int64_t>(value.size()); }
};

/// All zero, with zero bounds; the errors of HostTensor::zeros.
Result<WideTensor> wide_zeros(ElementType element, std::span<const std::int64_t> shape);
/// The values, exact: bounds are zero, but for 64-bit integers that f64 does not hold.
WideTensor widen(const HostTensor& tensor);

}  // namespace accy::tensor
