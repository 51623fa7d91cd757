#include "evaluate/comparison.hpp"

#include <cmath>
#include <cstring>
#include <limits>

#include <fmt/format.h>

#include "dialect/tensor/tolerance.hpp"
#include "dialect/tensor/type.hpp"

namespace accy::evaluate {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

std::string describe(ElementType element, std::span<const std::int64_t> shape) {
  return std::string(to_string(element)) + " " + tensor::shape_to_string(shape);
}

/// A failed comparison of tensors that are not even alike, or nothing wrong.
Comparison compare_types(const HostTensor& actual, ElementType element,
                         std::span<const std::int64_t> shape) {
  Comparison result;
  if (actual.element == element &&
      std::equal(actual.shape.begin(), actual.shape.end(), shape.begin(), shape.end()))
    return result;
  result.pass = false;
  result.message = "result is " + describe(actual.element, actual.shape) + ", expected " +
                   describe(element, shape);
  return result;
}

/// Distance, or infinity where one is NaN or they are different infinities.
double distance(double actual, double expected) {
  if (actual == expected || (std::isnan(actual) && std::isnan(expected))) return 0;
  const double error = std::fabs(actual - expected);
  return std::isnan(error) ? infinity : error;
}

double ulp_of(ElementType element, double expected) {
  if (!is_float(element) || !std::isfinite(expected)) return 1;
  return tensor::precision(element).ulp(std::fabs(expected));
}

void record(Comparison& result, std::int64_t index, double error, double bound, double ulps) {
  if (bound == infinity) return;  // anything goes, so it tells nothing
  result.max_ulp = std::max(result.max_ulp, ulps);
  const double ratio = error == 0 ? 0 : error / bound;
  if (ratio > 1) ++result.failures;
  if (ratio <= result.worst_ratio) return;
  result.worst_index = index;
  result.worst_error = error;
  result.worst_bound = bound;
  result.worst_ratio = ratio;
}

void conclude(Comparison& result, double actual, double expected, std::int64_t count) {
  result.pass = result.failures == 0;
  if (result.pass) return;
  result.message = fmt::format("{} of {} elements differ; worst at index {}: {} instead of {}, "
                               "error {} (limit {})",
                               result.failures, count, result.worst_index, actual, expected,
                               result.worst_error, result.worst_bound);
}

}  // namespace

Comparison compare(const HostTensor& actual, const tensor::WideTensor& expected) {
  Comparison result = compare_types(actual, expected.element, expected.shape);
  if (!result.pass) return result;
  const std::int64_t count = expected.count();
  for (std::int64_t index = 0; index < count; ++index) {
    const double value = expected.value[static_cast<std::size_t>(index)];
    const double error = distance(actual.at(index), value);
    record(result, index, error, expected.bound[static_cast<std::size_t>(index)],
           error / ulp_of(actual.element, value));
  }
  if (result.failures != 0)
    conclude(result, actual.at(result.worst_index),
             expected.value[static_cast<std::size_t>(result.worst_index)], count);
  return result;
}

Comparison compare_exact(const HostTensor& actual, const HostTensor& expected) {
  Comparison result = compare_types(actual, expected.element, expected.shape);
  if (!result.pass || actual.bytes == expected.bytes) return result;
  const std::int64_t size = size_bytes(actual.element);
  for (std::int64_t index = 0; index < expected.count(); ++index) {
    if (std::memcmp(actual.bytes.data() + index * size, expected.bytes.data() + index * size,
                    static_cast<std::size_t>(size)) == 0)
      continue;
    const double a = actual.at(index);
    const double b = expected.at(index);
    if (std::isnan(a) && std::isnan(b)) continue;
    // Zeros of two signs, and 64-bit integers that are one f64, differ by no distance.
    const double error = std::max(distance(a, b), std::numeric_limits<double>::denorm_min());
    if (result.failures++ == 0 || error > result.worst_error) {
      result.worst_index = index;
      result.worst_error = error;
      result.worst_ratio = infinity;
    }
    result.max_ulp = std::max(result.max_ulp, error / ulp_of(actual.element, b));
  }
  if (result.failures != 0)
    conclude(result, actual.at(result.worst_index), expected.at(result.worst_index),
             expected.count());
  return result;
}

}  // namespace accy::evaluate
