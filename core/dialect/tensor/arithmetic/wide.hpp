// Wide arithmetic: f64 values that carry a forward error bound, as WideTensor defines it. Each
// operation adds up what its operands' bounds can do to its result, and what a conforming device
// may add by itself.
#pragma once

#include <cstdint>

#include "dialect/tensor/tolerance.hpp"
#include "dialect/tensor/wide_tensor.hpp"

namespace accy::tensor {

/// The same operations as Typed, for one element type and mode; cheap to copy.
///
/// f16 and bf16 values beyond the type's range are kept as they are, because a fused kernel may
/// keep them in f32; an operation that reads one admits both, and `settle` makes outputs infinite.
class Wide {
 public:
  using Tensor = WideTensor;
  struct Number {
    double value;
    double bound;
  };
  struct Reader {
    const double* value;
    const double* bound;
    Number operator[](std::int64_t index) const { return {value[index], bound[index]}; }
    Reader from(std::int64_t offset) const { return {value + offset, bound + offset}; }
  };
  struct Writer {
    double* value;
    double* bound;
    void set(std::int64_t index, Number number) {
      value[index] = number.value;
      bound[index] = number.bound;
    }
    Writer from(std::int64_t offset) const { return {value + offset, bound + offset}; }
  };

  Wide(ElementType element, NumericMode mode);
  static Reader reader(const WideTensor& tensor) {
    return {tensor.value.data(), tensor.bound.data()};
  }
  static Writer writer(WideTensor& tensor) { return {tensor.value.data(), tensor.bound.data()}; }

  Number constant(double value) const { return {value, 0}; }
  Number lowest() const;
  Number highest() const;

  Number add(Number x, Number y) const;
  Number subtract(Number x, Number y) const;
  Number multiply(Number x, Number y) const;
  Number divide(Number x, Number y) const;
  Number remainder(Number x, Number y) const;
  Number maximum(Number x, Number y) const;
  Number minimum(Number x, Number y) const;
  Number negate(Number x) const;
  Number absolute(Number x) const;
  Number exponential(Number x) const;
  Number logarithm(Number x) const;
  Number square_root(Number x) const;
  Number hyperbolic_tangent(Number x) const;
  Number error_function(Number x) const;
  Number sine(Number x) const;
  Number cosine(Number x) const;
  Number round_down(Number x) const;
  Number round_up(Number x) const;
  Number round_to_nearest(Number x) const;
  Number truncate(Number x) const;

  Number bit_and(Number x, Number y) const;
  Number bit_or(Number x, Number y) const;
  Number bit_xor(Number x, Number y) const;
  Number bit_not(Number x) const;
  Number shift_left(Number x, Number count) const;
  Number shift_right(Number x, Number count) const;

  // Results are bools: 0 or 1, with bound 1 when either is possible.
  Number equal(Number x, Number y) const;
  Number less(Number x, Number y) const;
  Number less_or_equal(Number x, Number y) const;

  /// x or y as the bool says; both when it is uncertain.
  static Number select(Number condition, Number x, Number y);

  /// The sum of elements(0) ... elements(count - 1) in any order.
  template <class Elements>
  Number sum(std::int64_t count, Elements elements) const {
    Sum sum;
    for (std::int64_t index = 0; index < count; ++index) accumulate(sum, elements(index));
    return finish_sum(sum, count);
  }
  template <class Elements>
  Number largest(std::int64_t count, Elements elements) const {
    Number best = lowest();
    for (std::int64_t index = 0; index < count; ++index)
      best = index == 0 ? elements(0) : maximum(best, elements(index));
    return best;
  }
  template <class Elements>
  Number smallest(std::int64_t count, Elements elements) const {
    Number best = highest();
    for (std::int64_t index = 0; index < count; ++index)
      best = index == 0 ? elements(0) : minimum(best, elements(index));
    return best;
  }
  /// The product of elements(0) ... elements(count - 1) in any order.
  template <class Elements>
  Number product(std::int64_t count, Elements elements) const {
    Factors factors;
    Number product = constant(1);
    for (std::int64_t index = 0; index < count; ++index) {
      const Number factor = elements(index);
      factors.include(factor);
      product = index == 0 ? factor : multiply(product, factor);
    }
    return in_any_order(product, factors);
  }
  /// out[j] = sum over k of left[k] * right[k * columns + j], in any order.
  void accumulate_row(Reader left, Reader right, Writer out, std::int64_t depth,
                      std::int64_t columns) const;

  /// A value of this type as another arithmetic, of the target type, has it.
  Number cast_from(ElementType source, Number x) const;

 private:
  /// A sum under way: of values, bounds and magnitudes; integers also modulo 2^64.
  struct Sum {
    double value = 0;
    double bound = 0;
    double magnitude = 0;
    std::uint64_t modular = 0;
    bool whole = true;  ///< every term is an integer, exact
  };
  /// What bounds the products of some of the factors of a product.
  struct Factors {
    double largest = 1;   ///< of those that are at least 1 in magnitude
    double smallest = 1;  ///< of the others, zeros left out
    bool zero = false;
    bool nan = false;
    double count = 0;
    void include(Number x);
  };
  /// The product with what another order of multiplying could make of it.
  Number in_any_order(Number product, const Factors& factors) const;
  void accumulate(Sum& sum, Number x) const;
  void accumulate_product(Sum& sum, Number x, Number y) const;
  Number finish_sum(const Sum& sum, std::int64_t roundings) const;

  Number operand(Number x) const;
  Number rounded(MathFunction function, double value, double propagated, double argument) const;
  Number limited(double value, double bound) const;
  Number stored(double value, double bound) const;
  template <class Function>
  Number monotonic(MathFunction math, Number x, Function function) const;
  template <class Function>
  Number stepwise(Number x, Function function) const;
  Number wave(MathFunction math, Number x, double value) const;
  template <class Combine>
  Number bits(Number x, Number y, Combine combine) const;
  template <class Combine>
  Number integer(Number x, Number y, double propagated, Combine combine) const;
  Number exact_integer(double value) const;
  bool representable(double value) const;
  double wrap(std::uint64_t modular) const;

  ElementType element_;
  NumericMode mode_;
  bool is_float_;
  Precision storage_;  ///< of the element type
  Precision compute_;  ///< of the type it is computed in
  double normal_ = 0;  ///< its smallest normal
};

/// What leaves a program is stored in its type: values certain to overflow become infinite, others
/// that may are unbounded.
void settle(WideTensor& tensor);

}  // namespace accy::tensor
