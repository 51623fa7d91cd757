// Typed arithmetic: every result is a value of the declared element type, rounded to nearest even;
// integers wrap.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <vector>

#include "accy/host_tensor.hpp"
#include "dialect/tensor/arithmetic/format.hpp"

namespace accy::tensor {

/// One number at a time: add(x, y) and so on; and the three sums whose order is defined.
template <ElementType E>
struct Typed {
  using Tensor = HostTensor;
  using Number = typename Format<E>::Number;
  using Storage = typename Format<E>::Storage;
  static constexpr ElementType element = E;
  static constexpr std::int64_t lane_count = 32;

  struct Reader {
    const Storage* data;
    Number operator[](std::int64_t index) const { return Format<E>::load(data[index]); }
    Reader from(std::int64_t offset) const { return {data + offset}; }
  };
  struct Writer {
    Storage* data;
    void set(std::int64_t index, Number number) { data[index] = Format<E>::store(number); }
    Writer from(std::int64_t offset) const { return {data + offset}; }
  };
  static Reader reader(const HostTensor& tensor) { return {tensor.view<Storage>().data()}; }
  static Writer writer(HostTensor& tensor) { return {tensor.view<Storage>().data()}; }

  static Number constant(double value) { return Format<E>::round_double(value); }
  /// The identity of max: minus infinity, or the smallest integer.
  static Number lowest() {
    if constexpr (std::floating_point<Number>)
      return -std::numeric_limits<Number>::infinity();
    else
      return std::numeric_limits<Number>::min();
  }
  static Number highest() {
    if constexpr (std::floating_point<Number>)
      return std::numeric_limits<Number>::infinity();
    else
      return std::numeric_limits<Number>::max();
  }

  static Number add(Number x, Number y) {
    if constexpr (std::floating_point<Number>) return Format<E>::round(x + y);
    else return wrap(modular(x) + modular(y));
  }
  static Number subtract(Number x, Number y) {
    if constexpr (std::floating_point<Number>) return Format<E>::round(x - y);
    else return wrap(modular(x) - modular(y));
  }
  static Number multiply(Number x, Number y) {
    if constexpr (std::floating_point<Number>) return Format<E>::round(x * y);
    else return wrap(modular(x) * modular(y));
  }
  /// Integers: truncated; x / 0 = 0; the minimum over -1 is the minimum.
  static Number divide(Number x, Number y) {
    if constexpr (std::floating_point<Number>) return Format<E>::round(x / y);
    else if (y == 0) return 0;
    else if constexpr (std::is_signed_v<Number>) return y == -1 ? negate(x) : wrap(x / y);
    else return wrap(x / y);
  }
  /// Of the truncated quotient, so that it has the sign of x. Integers: x rem 0 = x.
  static Number remainder(Number x, Number y) {
    if constexpr (std::floating_point<Number>)
      return std::fmod(x, y);
    else if (y == 0)
      return x;
    else if constexpr (std::is_signed_v<Number>)
      return y == -1 ? 0 : wrap(x % y);
    else
      return wrap(x % y);
  }
  static Number maximum(Number x, Number y) {
    if constexpr (std::floating_point<Number>) {
      if (x != x) return x;
      if (x == y) return std::signbit(x) ? y : x;  // max(-0, +0) = +0
      return x > y ? x : y;                        // a NaN in y comes out here
    } else {
      return x > y ? x : y;
    }
  }
  static Number minimum(Number x, Number y) {
    if constexpr (std::floating_point<Number>) {
      if (x != x) return x;
      if (x == y) return std::signbit(x) ? x : y;
      return x < y ? x : y;
    } else {
      return x < y ? x : y;
    }
  }
  static Number negate(Number x) {
    if constexpr (std::floating_point<Number>) return -x;
    else return wrap(modular(Number{0}) - modular(x));
  }
  static Number absolute(Number x) {
    if constexpr (std::floating_point<Number>) return std::fabs(x);
    else if constexpr (std::is_signed_v<Number>) return x < 0 ? negate(x) : x;
    else return x;
  }

  // Only for floats. Computed in f64 and rounded once; f64 itself is within an ulp.
  static Number exponential(Number x) { return Format<E>::round_double(std::exp(double{x})); }
  static Number logarithm(Number x) { return Format<E>::round_double(std::log(double{x})); }
  static Number square_root(Number x) { return Format<E>::round_double(std::sqrt(double{x})); }
  static Number hyperbolic_tangent(Number x) {
    return Format<E>::round_double(std::tanh(double{x}));
  }
  static Number error_function(Number x) { return Format<E>::round_double(std::erf(double{x})); }

  static Number sine(Number x) { return Format<E>::round_double(std::sin(double{x})); }
  static Number cosine(Number x) { return Format<E>::round_double(std::cos(double{x})); }
  static Number round_down(Number x) { return std::floor(x); }
  static Number round_up(Number x) { return std::ceil(x); }
  /// Ties to even: the rounding mode of the process is never another.
  static Number round_to_nearest(Number x) { return Format<E>::round(std::nearbyint(x)); }
  static Number truncate(Number x) { return std::trunc(x); }

  // Only for integers and bool.
  static Number bit_and(Number x, Number y) { return wrap(modular(x) & modular(y)); }
  static Number bit_or(Number x, Number y) { return wrap(modular(x) | modular(y)); }
  static Number bit_xor(Number x, Number y) { return wrap(modular(x) ^ modular(y)); }
  static Number bit_not(Number x) {
    return E == ElementType::boolean ? wrap(modular(x) ^ 1) : wrap(~modular(x));
  }
  /// A count of the width or more, read as unsigned, gives 0, or the sign to the right.
  static Number shift_left(Number x, Number count) {
    return modular(count) < width ? wrap(modular(x) << modular(count)) : Number{0};
  }
  static Number shift_right(Number x, Number count) {
    if (modular(count) < width) return wrap(x >> modular(count));
    return x < 0 ? wrap(~std::uint64_t{0}) : Number{0};
  }

  static std::uint8_t equal(Number x, Number y) { return x == y ? 1 : 0; }
  static std::uint8_t less(Number x, Number y) { return x < y ? 1 : 0; }
  static std::uint8_t less_or_equal(Number x, Number y) { return x <= y ? 1 : 0; }

  /// The 32-lane tree over elements(0) ... elements(count - 1), count > 0: lane j combines elements
  /// j, j + 32, ... in order, then the upper half of the lanes folds onto the lower, to one.
  template <class Elements, class Combine>
  static Number fold(std::int64_t count, Elements elements, Combine combine) {
    std::array<Number, lane_count> lanes;
    const std::int64_t used = std::min(count, lane_count);
    for (std::int64_t lane = 0; lane < used; ++lane) lanes[lane] = elements(lane);
    for (std::int64_t index = used; index < count; ++index)
      lanes[index % lane_count] = combine(lanes[index % lane_count], elements(index));
    for (std::int64_t half = lane_count / 2; half > 0; half /= 2)
      for (std::int64_t lane = 0; lane < half && lane + half < used; ++lane)
        lanes[lane] = combine(lanes[lane], lanes[lane + half]);
    return lanes[0];
  }
  template <class Elements>
  static Number sum(std::int64_t count, Elements elements) {
    return count == 0 ? constant(0) : fold(count, elements, &add);
  }
  template <class Elements>
  static Number largest(std::int64_t count, Elements elements) {
    return count == 0 ? lowest() : fold(count, elements, &maximum);
  }
  template <class Elements>
  static Number smallest(std::int64_t count, Elements elements) {
    return count == 0 ? highest() : fold(count, elements, &minimum);
  }
  template <class Elements>
  static Number product(std::int64_t count, Elements elements) {
    return count == 0 ? constant(1) : fold(count, elements, &multiply);
  }

  /// out[row] = sum over k of left[k] * right[k][row], k ascending from the first product on.
  static void accumulate_row(Reader left, Reader right, Writer out, std::int64_t depth,
                             std::int64_t columns) {
    std::vector<Number> row(static_cast<std::size_t>(columns), constant(0));
    for (std::int64_t k = 0; k < depth; ++k) {
      const Number factor = left[k];
      const Reader line = right.from(k * columns);
      if (k == 0)
        for (std::int64_t j = 0; j < columns; ++j) row[j] = multiply(factor, line[j]);
      else
        for (std::int64_t j = 0; j < columns; ++j) row[j] = add(row[j], multiply(factor, line[j]));
    }
    for (std::int64_t j = 0; j < columns; ++j) out.set(j, row[j]);
  }

 private:
  static constexpr std::uint64_t width = 8 * sizeof(Number);
  using Modular = std::conditional_t<std::integral<Number>, std::uint64_t, Number>;
  /// An integer modulo 2^64, and back to the type: wrapping without signed overflow.
  static Modular modular(Number x) { return static_cast<Modular>(x); }
  template <class Wider>
  static Number wrap(Wider x) { return static_cast<Number>(x); }
};

}  // namespace accy::tensor
