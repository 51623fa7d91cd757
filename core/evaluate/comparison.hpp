// Comparing a computed tensor with a reference.
#pragma once

#include <cstdint>
#include <string>

#include "accy/host_tensor.hpp"
#include "dialect/tensor/wide_tensor.hpp"

namespace accy::evaluate {

struct Comparison {
  bool pass = true;
  std::int64_t failures = 0;      ///< elements outside their bound
  std::int64_t worst_index = -1;  ///< row major, of the largest error over its bound; -1: no error
  double worst_error = 0;         ///< |actual - expected| there
  double worst_bound = 0;         ///< what was allowed there
  double worst_ratio = 0;         ///< error over bound; infinite where the bound is zero
  double max_ulp = 0;             ///< largest error in units in the last place of the element type
  std::string message;            ///< empty when it passes; else what differs, with the values
};

/// Passes when every element is within its bound; where expected is infinite or NaN, actual must be
/// the same. Element type and shape must agree.
Comparison compare(const HostTensor& actual, const tensor::WideTensor& expected);

/// Passes when every element has the same bits; all NaNs count as the same.
Comparison compare_exact(const HostTensor& actual, const HostTensor& expected);

}  // namespace accy::evaluate
