#include "dialect/tensor/arithmetic/wide.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "dialect/tensor/arithmetic/format.hpp"

namespace accy::tensor {
namespace {

using Number = Wide::Number;
constexpr double infinity = std::numeric_limits<double>::infinity();
/// The f64 evaluation is itself off by a few of its own ulps.
constexpr double own_error = 0x1p-50;

bool unbounded(Number x) { return x.bound == infinity; }
bool is_nan(Number x) { return std::isnan(x.value); }
double magnitude(Number x) { return std::fabs(x.value) + x.bound; }
/// bound * factor where a zero bound wins over an infinite factor.
double scaled(double bound, double factor) { return bound == 0 ? 0 : bound * std::fabs(factor); }

Number choice(bool value, bool certain) { return {value ? 1.0 : 0.0, certain ? 0.0 : 1.0}; }

ElementType compute_type(ElementType element) {
  return element == ElementType::f64 ? element : ElementType::f32;
}

double lowest_integer(ElementType element) {
  return is_signed(element) ? -std::ldexp(1.0, bit_width(element) - 1) : 0.0;
}
/// One past the largest.
double integer_end(ElementType element) {
  return std::ldexp(1.0, bit_width(element) - (is_signed(element) ? 1 : 0));
}
/// The integer modulo 2^64; |value| <= 2^64.
std::uint64_t modular(double value) {
  return value < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(-value)
                   : static_cast<std::uint64_t>(value);
}

}  // namespace

Wide::Wide(ElementType element, NumericMode mode)
    : element_(element), mode_(mode), is_float_(is_float(element)) {
  if (!is_float_) return;
  storage_ = precision(element);
  compute_ = precision(compute_type(element));
  normal_ = compute_.minimum_normal();
}

Number Wide::lowest() const { return {is_float_ ? -infinity : lowest_integer(element_), 0}; }
Number Wide::highest() const {
  return is_float_ ? Number{infinity, 0} : exact_integer(integer_end(element_) - 1);
}

bool Wide::representable(double value) const {
  if (element_ == ElementType::f64) return true;
  const auto single = static_cast<float>(value);
  if (static_cast<double>(single) != value) return false;
  if (element_ == ElementType::f16) return float_from_half(half_from_float(single)) == single;
  if (element_ == ElementType::bf16)
    return float_from_bfloat16(bfloat16_from_float(single)) == single;
  return true;
}

/// A float as an operation that computes reads it: perhaps already infinite, perhaps flushed.
Number Wide::operand(Number x) const {
  if (!is_float_ || !std::isfinite(x.value)) return x;
  if (magnitude(x) >= storage_.overflow_threshold) return {x.value, infinity};
  if (mode_ == NumericMode::fast && x.value != 0 && std::fabs(x.value) - x.bound < normal_)
    x.bound += normal_;
  return x;
}

/// Resolves overflow, except where a wider type may hold the value.
Number Wide::limited(double value, double bound) const {
  if (!std::isfinite(value) || storage_.overflow_threshold != compute_.overflow_threshold)
    return {value, bound};
  if (std::fabs(value) - bound >= storage_.overflow_threshold)
    return {std::copysign(infinity, value), 0};
  if (std::fabs(value) + bound >= storage_.overflow_threshold) return {value, infinity};
  return {value, bound};
}

/// The result of a function of x, |x| <= argument, with the operands' bounds propagated.
Number Wide::rounded(MathFunction function, double value, double propagated,
                     double argument) const {
  if (std::isnan(propagated)) return {value, infinity};
  if (!std::isfinite(value)) return {value, propagated == infinity ? infinity : 0};
  const Tolerance allowed = tolerance(function, compute_type(element_), mode_);
  const double ulps = allowed.ulps + scaled(argument, allowed.ulps_per_magnitude);
  const bool correct = ulps == 0 && allowed.relative == 0;
  if (correct && propagated == 0 && representable(value)) return {value, 0};

  const double size = std::fabs(value) + propagated;
  if (size == infinity) return {value, infinity};
  double error = std::max((ulps + 0.5) * compute_.ulp(size), allowed.relative * size);
  if (size < 1) error = std::max(error, allowed.absolute);
  if (mode_ == NumericMode::fast && size < 2 * normal_) error += normal_;
  return stored(value, propagated + error + own_error * size);
}

/// A value of the compute type, rounded once more where the element type is narrower.
Number Wide::stored(double value, double bound) const {
  if (element_ == compute_type(element_)) return limited(value, bound);
  // What overflows for certain is left to `settle`, or to who reads it.
  if (std::fabs(value) - bound >= storage_.overflow_threshold) return {value, bound};
  return {value, bound + 0.5 * storage_.ulp(std::fabs(value) + bound)};
}

double Wide::wrap(std::uint64_t value) const {
  const int unused = 64 - bit_width(element_);
  if (!is_signed(element_)) return static_cast<double>(value << unused >> unused);
  return static_cast<double>(static_cast<std::int64_t>(value << unused) >> unused);
}

/// An integer result that f64 may not hold exactly.
Number Wide::exact_integer(double value) const {
  return {value, std::fabs(value) > 0x1p53 ? precision(ElementType::f64).ulp(std::fabs(value)) : 0};
}

/// combine(a, b) gives the result modulo 2^64 for exact operands; otherwise the f64 result stands
/// if no wrapping is possible.
template <class Combine>
Number Wide::integer(Number x, Number y, double propagated, Combine combine) const {
  if (x.bound == 0 && y.bound == 0)
    return exact_integer(wrap(combine(modular(x.value), modular(y.value))));
  const double value = combine(x.value, y.value);
  const double bound = propagated + own_error * std::fabs(value);
  const bool wraps =
      value - bound < lowest_integer(element_) || value + bound >= integer_end(element_);
  return {value, wraps ? infinity : bound};
}

Number Wide::add(Number x, Number y) const {
  if (!is_float_)
    return integer(x, y, x.bound + y.bound, [](auto a, auto b) { return a + b; });
  x = operand(x);
  y = operand(y);
  return rounded(MathFunction::add, x.value + y.value, x.bound + y.bound, 0);
}

Number Wide::subtract(Number x, Number y) const {
  if (!is_float_)
    return integer(x, y, x.bound + y.bound, [](auto a, auto b) { return a - b; });
  return add(x, negate(y));
}

Number Wide::multiply(Number x, Number y) const {
  if (is_float_) {
    x = operand(x);
    y = operand(y);
  }
  const double propagated = scaled(x.bound, y.value) + scaled(y.bound, x.value) +
                            scaled(x.bound, y.bound);
  if (!is_float_) return integer(x, y, propagated, [](auto a, auto b) { return a * b; });
  return rounded(MathFunction::multiply, x.value * y.value, propagated, 0);
}

Number Wide::divide(Number x, Number y) const {
  if (!is_float_) {
    const double quotient = y.value == 0 ? 0 : std::trunc(x.value / y.value);
    if (x.bound != 0 || y.bound != 0) return {quotient, infinity};
    // The minimum over -1 wraps to the minimum. 64-bit quotients need exact integer division.
    if (std::fabs(x.value) < 0x1p53) return exact_integer(wrap(modular(quotient)));
    return {quotient, std::fabs(quotient) * 0x1p-50};
  }
  x = operand(x);
  y = operand(y);
  const double quotient = x.value / y.value;
  if (is_nan(y) || std::isinf(y.value))
    return {quotient, unbounded(x) || unbounded(y) ? infinity : 0};
  if (y.bound > 0 && y.bound >= std::fabs(y.value)) return {quotient, infinity};
  if (y.value == 0) return {quotient, x.bound == 0 || std::fabs(x.value) > x.bound ? 0 : infinity};
  const bool extreme = magnitude(y) > std::ldexp(1.0, -compute_.minimum_exponent);
  if (mode_ == NumericMode::fast && extreme) return {quotient, infinity};
  const double propagated =
      (x.bound + scaled(y.bound, quotient)) / (std::fabs(y.value) - y.bound);
  return rounded(MathFunction::divide, quotient, propagated, 0);
}

Number Wide::remainder(Number x, Number y) const {
  if (!is_float_) {
    const double rest = y.value == 0 ? x.value : std::fmod(x.value, y.value);
    // Beyond 2^53 the values are not the integers themselves.
    const bool exact = x.bound == 0 && y.bound == 0 && std::fabs(x.value) <= 0x1p53 &&
                       std::fabs(y.value) <= 0x1p53;
    return {rest, exact ? 0 : infinity};
  }
  x = operand(x);
  y = operand(y);
  const double rest = std::fmod(x.value, y.value);
  if (unbounded(x) || unbounded(y)) return {rest, infinity};
  if (x.bound == 0 && y.bound == 0) return {rest, 0};  // the remainder of two floats is a float
  if (std::isnan(rest) || std::fabs(y.value) <= y.bound) return {rest, infinity};
  const double low = (std::fabs(x.value) - x.bound) / (std::fabs(y.value) + y.bound);
  const double high = magnitude(x) / (std::fabs(y.value) - y.bound);
  const bool jumps = std::fabs(x.value) < x.bound || std::floor(low) != std::floor(high);
  if (jumps) return {rest, 2 * magnitude(y)};
  return limited(rest, x.bound + high * y.bound + compute_.ulp(magnitude(y)));
}

Number Wide::maximum(Number x, Number y) const {
  if (is_nan(x) && x.bound == 0) return x;
  if (is_nan(y) && y.bound == 0) return y;
  if (unbounded(x) || unbounded(y)) return {x.value, infinity};
  if (x.value - x.bound >= y.value + y.bound) return x;
  if (y.value - y.bound >= x.value + x.bound) return y;
  return {std::max(x.value, y.value), std::max(x.bound, y.bound)};
}

Number Wide::minimum(Number x, Number y) const {
  if (is_nan(x) && x.bound == 0) return x;
  if (is_nan(y) && y.bound == 0) return y;
  if (unbounded(x) || unbounded(y)) return {x.value, infinity};
  if (x.value + x.bound <= y.value - y.bound) return x;
  if (y.value + y.bound <= x.value - x.bound) return y;
  return {std::min(x.value, y.value), std::max(x.bound, y.bound)};
}

Number Wide::negate(Number x) const {
  if (is_float_) return {-x.value, x.bound};
  return integer({0, 0}, x, x.bound, [](auto a, auto b) { return a - b; });
}

Number Wide::absolute(Number x) const {
  if (is_float_ || x.value >= 0) return {std::fabs(x.value), x.bound};
  return negate(x);
}

/// A non-decreasing function: the ends of the operand's interval give those of the result's.
template <class Function>
Number Wide::monotonic(MathFunction math, Number x, Function function) const {
  x = operand(x);
  const double value = function(x.value);
  if (unbounded(x)) return {value, infinity};
  if (!std::isfinite(x.value)) return {value, 0};  // the limits are exact
  if (x.bound == 0) return rounded(math, value, 0, std::fabs(x.value));
  const double low = function(x.value - x.bound);
  const double high = function(x.value + x.bound);
  if (std::isnan(low) || std::isnan(high)) return {value, std::isnan(high) ? 0 : infinity};
  if (std::isinf(value)) return {value, low == value && high == value ? 0 : infinity};
  const double propagated =
      std::max(high - value, value - low) + own_error * std::max(std::fabs(low), std::fabs(high));
  return rounded(math, value, propagated, magnitude(x));
}

Number Wide::exponential(Number x) const {
  return monotonic(MathFunction::exponential, x, [](double v) { return std::exp(v); });
}
Number Wide::logarithm(Number x) const {
  return monotonic(MathFunction::logarithm, x, [](double v) { return std::log(v); });
}
Number Wide::square_root(Number x) const {
  return monotonic(MathFunction::square_root, x, [](double v) { return std::sqrt(v); });
}
Number Wide::hyperbolic_tangent(Number x) const {
  return monotonic(MathFunction::hyperbolic_tangent, x, [](double v) { return std::tanh(v); });
}
Number Wide::error_function(Number x) const {
  return monotonic(MathFunction::error_function, x, [](double v) { return std::erf(v); });
}

/// sin or cos of x: within -1 and 1, and never steeper than x.
Number Wide::wave(MathFunction math, Number x, double value) const {
  if (unbounded(x)) return {value, infinity};
  if (std::isnan(value)) return {value, 0};
  return rounded(math, value, std::min(x.bound, 2.0), std::fabs(x.value));
}
Number Wide::sine(Number x) const {
  x = operand(x);
  return wave(MathFunction::sine, x, std::sin(x.value));
}
Number Wide::cosine(Number x) const {
  x = operand(x);
  return wave(MathFunction::cosine, x, std::cos(x.value));
}

/// A non-decreasing step function whose values every format holds.
template <class Function>
Number Wide::stepwise(Number x, Function function) const {
  x = operand(x);
  const double value = function(x.value);
  if (unbounded(x)) return {value, infinity};
  if (x.bound == 0 || !std::isfinite(value)) return {value, x.bound == 0 ? 0 : infinity};
  return {value,
          std::max(function(x.value + x.bound) - value, value - function(x.value - x.bound))};
}
Number Wide::round_down(Number x) const {
  return stepwise(x, [](double v) { return std::floor(v); });
}
Number Wide::round_up(Number x) const {
  return stepwise(x, [](double v) { return std::ceil(v); });
}
Number Wide::round_to_nearest(Number x) const {
  return stepwise(x, [](double v) { return std::nearbyint(v); });
}
Number Wide::truncate(Number x) const {
  return stepwise(x, [](double v) { return std::trunc(v); });
}

/// combine(a, b) gives the result modulo 2^64 of operands that are known exactly.
template <class Combine>
Number Wide::bits(Number x, Number y, Combine combine) const {
  const bool exact =
      x.bound == 0 && y.bound == 0 && std::fabs(x.value) <= 0x1p53 && std::fabs(y.value) <= 0x1p53;
  if (unbounded(x) || unbounded(y)) return {0, infinity};
  const std::uint64_t result = combine(modular(x.value), modular(y.value));
  if (element_ == ElementType::boolean)
    return choice((result & 1) != 0, x.bound == 0 && y.bound == 0);
  return exact ? exact_integer(wrap(result)) : Number{wrap(result), infinity};
}
Number Wide::bit_and(Number x, Number y) const {
  return bits(x, y, [](std::uint64_t a, std::uint64_t b) { return a & b; });
}
Number Wide::bit_or(Number x, Number y) const {
  return bits(x, y, [](std::uint64_t a, std::uint64_t b) { return a | b; });
}
Number Wide::bit_xor(Number x, Number y) const {
  return bits(x, y, [](std::uint64_t a, std::uint64_t b) { return a ^ b; });
}
Number Wide::bit_not(Number x) const {
  return bits(x, x, [](std::uint64_t a, std::uint64_t) { return ~a; });
}
Number Wide::shift_left(Number x, Number count) const {
  const auto width = static_cast<std::uint64_t>(bit_width(element_));
  return bits(x, count, [width](std::uint64_t a, std::uint64_t n) {
    return n < width ? a << n : std::uint64_t{0};
  });
}
Number Wide::shift_right(Number x, Number count) const {
  const auto width = static_cast<std::uint64_t>(bit_width(element_));
  // The sign of a negative value is extended to 64 bits already, and a larger count shifts it in.
  return bits(x, count, [this, width](std::uint64_t a, std::uint64_t n) {
    if (is_signed(element_))
      return static_cast<std::uint64_t>(static_cast<std::int64_t>(a) >> std::min(n, width - 1));
    return n < width ? a >> n : std::uint64_t{0};
  });
}

namespace {

/// Whether no uncertainty can change how two numbers compare.
bool separated(Number x, Number y) {
  if ((is_nan(x) && x.bound == 0) || (is_nan(y) && y.bound == 0)) return true;
  if (unbounded(x) || unbounded(y)) return false;
  if (x.bound == 0 && y.bound == 0) return true;
  return std::fabs(x.value - y.value) > x.bound + y.bound;
}

}  // namespace

Number Wide::equal(Number x, Number y) const {
  x = operand(x);
  y = operand(y);
  return choice(x.value == y.value, separated(x, y));
}
Number Wide::less(Number x, Number y) const {
  x = operand(x);
  y = operand(y);
  return choice(x.value < y.value, separated(x, y));
}
Number Wide::less_or_equal(Number x, Number y) const {
  x = operand(x);
  y = operand(y);
  return choice(x.value <= y.value, separated(x, y));
}

Number Wide::select(Number condition, Number x, Number y) {
  const Number& taken = condition.value != 0 ? x : y;
  const Number& other = condition.value != 0 ? y : x;
  if (condition.bound == 0) return taken;
  if (taken.value == other.value || (is_nan(taken) && is_nan(other)))
    return {taken.value, std::max(taken.bound, other.bound)};
  const double distance = std::fabs(taken.value - other.value) + other.bound;
  if (!std::isfinite(distance)) return {taken.value, infinity};
  return {taken.value, std::max(taken.bound, distance)};
}

void Wide::accumulate(Sum& sum, Number x) const {
  x = operand(x);
  sum.value += x.value;
  sum.bound += x.bound;
  sum.magnitude += magnitude(x);
  sum.whole = sum.whole && x.bound == 0 && x.value == std::trunc(x.value);
  if (!is_float_ && sum.whole) sum.modular += modular(x.value);
}

void Wide::accumulate_product(Sum& sum, Number x, Number y) const {
  const double product = x.value * y.value;
  sum.value += product;
  if (x.bound != 0 || y.bound != 0) {
    sum.bound += scaled(x.bound, y.value) + scaled(y.bound, x.value) + x.bound * y.bound;
    sum.whole = false;
  }
  sum.magnitude += std::fabs(product);
  sum.whole = sum.whole && product == std::trunc(product);
  if (!is_float_ && sum.whole) sum.modular += modular(x.value) * modular(y.value);
}

/// The sum after at most that many roundings on the way of any term to the result.
Number Wide::finish_sum(const Sum& sum, std::int64_t roundings) const {
  if (!is_float_) {
    if (sum.whole) return exact_integer(wrap(sum.modular));
    const double bound = sum.bound + own_error * sum.magnitude;
    const bool wraps = sum.magnitude + bound >= integer_end(element_);
    return {sum.value, wraps ? infinity : bound};
  }
  if (std::isnan(sum.bound)) return {sum.value, infinity};
  if (!std::isfinite(sum.value)) return {sum.value, sum.bound == infinity ? infinity : 0};
  const double size = sum.magnitude + sum.bound;
  const double exact_limit = 1 / storage_.unit_roundoff;
  if (sum.whole && size <= exact_limit) return {sum.value, 0};
  const double count = static_cast<double>(roundings);
  const double growth = count * storage_.unit_roundoff;
  if (growth >= 0.5 || size == infinity) return {sum.value, infinity};
  double error = growth / (1 - growth) * size + count * 0x1p-52 * size +
                 0.5 * count * storage_.ulp(0);
  if (mode_ == NumericMode::fast) error += count * normal_;
  // A partial sum may overflow although the whole does not.
  const bool one_sign = std::fabs(sum.value) + error >= sum.magnitude;
  if (size + error >= storage_.overflow_threshold && !one_sign) return {sum.value, infinity};
  return limited(sum.value, sum.bound + error);
}

void Wide::accumulate_row(Reader left, Reader right, Writer out, std::int64_t depth,
                          std::int64_t columns) const {
  std::vector<Sum> row(static_cast<std::size_t>(columns));
  for (std::int64_t k = 0; k < depth; ++k) {
    const Number factor = operand(left[k]);
    const Reader line = right.from(k * columns);
    for (std::int64_t j = 0; j < columns; ++j)
      accumulate_product(row[j], factor, operand(line[j]));
  }
  for (std::int64_t j = 0; j < columns; ++j) out.set(j, finish_sum(row[j], depth));
}

Number Wide::cast_from(ElementType source, Number x) const {
  if (source == element_) return x;
  x = Wide(source, mode_).operand(x);
  if (element_ == ElementType::boolean)
    return choice(x.value != 0, x.bound == 0 || std::fabs(x.value) > x.bound);
  if (is_float_) {
    if (unbounded(x) || !std::isfinite(x.value) || (x.bound == 0 && representable(x.value)))
      return x;
    const bool narrow = is_float(source) && source != ElementType::f64;
    const bool exact = x.bound == 0 && static_cast<double>(static_cast<float>(x.value)) == x.value;
    if (narrow || exact) return stored(x.value, x.bound);
    return rounded(MathFunction::add, x.value, x.bound, 0);
  }
  if (unbounded(x)) return {0, infinity};
  const double low = lowest_integer(element_);
  const double end = integer_end(element_);
  if (!is_float(source)) {  // wraps
    if (x.bound == 0) return exact_integer(wrap(modular(x.value)));
    return {x.value, magnitude(x) >= end || x.value - x.bound < low ? infinity : x.bound};
  }
  if (is_nan(x)) return {0, 0};
  const double largest = end > 0x1p53 ? end : end - 1;
  const auto convert = [&](double v) { return std::clamp(std::trunc(v), low, largest); };
  const Number made = exact_integer(convert(x.value));
  const double spread = std::max(convert(x.value + x.bound) - made.value,
                                 made.value - convert(x.value - x.bound));
  return {made.value, made.bound + spread};
}

void settle(WideTensor& tensor) {
  if (!is_float(tensor.element)) return;
  const double threshold = precision(tensor.element).overflow_threshold;
  for (std::size_t index = 0; index < tensor.value.size(); ++index) {
    double& value = tensor.value[index];
    double& bound = tensor.bound[index];
    if (!std::isfinite(value) || std::fabs(value) + bound < threshold) continue;
    const bool certain = std::fabs(value) - bound >= threshold;
    if (certain) value = std::copysign(infinity, value);
    bound = certain ? 0 : infinity;
  }
}

}  // namespace accy::tensor
