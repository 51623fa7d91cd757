#include "targets/vulkan/legalize/exact_division.hpp"

#include "target/expansion_builder.hpp"

namespace accy::vulkan {

namespace {

using target::ExpansionBuilder;
using Value = ExpansionBuilder::Value;

constexpr std::uint32_t fraction_mask = 0x007fffffU;
constexpr std::uint32_t hidden_bit = 0x00800000U;
constexpr std::uint32_t one_bits = 0x3f800000U;
constexpr std::uint32_t infinity_bits = 0x7f800000U;
constexpr std::uint32_t quiet_nan_bits = 0x7fc00000U;
constexpr std::uint32_t magnitude_mask = 0x7fffffffU;
constexpr std::uint32_t sign_bit = 0x80000000U;
constexpr double two_to_24 = 16777216.0;
constexpr double two_to_25 = 33554432.0;
constexpr double round_to_integer = 12582912.0;  // 1.5 * 2^23
constexpr std::uint32_t round_to_integer_bits = 0x4b400000U;

/// A positive magnitude as significand * 2^(exponent - 150), significand in [2^23, 2^24).
struct Normalized {
  Value significand = nullptr;  ///< u32
  Value exponent = nullptr;     ///< i32; 1 to 254 for normal numbers, down to -22 for subnormal
};

class Expansion {
 public:
  explicit Expansion(ExpansionBuilder& build) : build_(build) {}

  Value divide(Value a, Value b);
  Value square_root(Value x);

 private:
  Value u32(std::uint32_t value) { return build_.u32(value); }
  Value bits_of(Value value) { return build_.bitcast(value, ElementType::u32); }
  Value as_float(Value bits) { return build_.bitcast(bits, ElementType::f32); }
  Value to_float(Value integer) { return build_.cast(integer, ElementType::f32); }

  Normalized normalize(Value magnitude) {
    // A subnormal is its own bits times 2^-149; converting them normalizes.
    const Value raised = bits_of(to_float(magnitude));
    const Value subnormal = build_.less(magnitude, u32(hidden_bit));
    const Value source = build_.select(subnormal, raised, magnitude);
    const Value field = build_.cast(build_.shr(source, u32(23)), ElementType::i32);
    const Value offset = build_.select(subnormal, build_.i32(149), build_.i32(0));
    return {build_.bit_or(build_.bit_and(source, u32(fraction_mask)), u32(hidden_bit)),
            build_.sub(field, offset)};
  }

  /// A significand of 24 bits as the f32 in [1, 2).
  Value unit_float(Value significand) {
    return as_float(build_.bit_or(build_.bit_and(significand, u32(fraction_mask)), u32(one_bits)));
  }

  /// 1 / b for b in [1, 2), to within 2^-22: the seed's error of 1/17 is squared three times.
  Value reciprocal(Value b) {
    Value r = build_.sub(build_.f32(48.0 / 17.0 / 2.0),
                         build_.mul(build_.f32(32.0 / 17.0 / 4.0), b));
    for (int step = 0; step < 3; ++step) {
      const Value error = build_.sub(build_.f32(1.0), build_.mul(b, r));
      r = build_.add(r, build_.mul(r, error));
    }
    return r;
  }

  /// 1 / sqrt(v) for v in [1, 4), to within 2^-21.
  Value reciprocal_root(Value v) {
    Value y = as_float(build_.sub(u32(0x5f375a86U), build_.shr(bits_of(v), u32(1))));
    const Value half = build_.mul(v, build_.f32(0.5));
    for (int step = 0; step < 3; ++step) {
      const Value product = build_.mul(build_.mul(half, y), y);
      y = build_.mul(y, build_.sub(build_.f32(1.5), product));
    }
    return y;
  }

  /// The integer nearest to a float of magnitude below 2^22, as u32 that wraps.
  Value nearest_integer(Value x) {
    return build_.sub(bits_of(build_.add(x, build_.f32(round_to_integer))),
                      u32(round_to_integer_bits));
  }

  Value signed_float(Value word) {
    return to_float(build_.bitcast(word, ElementType::i32));
  }
  Value is_negative(Value word) {
    return build_.less(build_.bitcast(word, ElementType::i32), build_.i32(0));
  }

  Value round_and_pack(Value quotient, Value exponent);
  Value quotient_of(Value numerator, Value divisor, Value numerator_float, Value& rest);

  ExpansionBuilder& build_;
};

/// floor(numerator * 2^25 / divisor) where that lies in [2^25, 2^26), and the rest. The estimate is
/// off by less than 32, so that its remainder is known from its lowest 32 bits; with the nearest
/// integer to remainder / divisor added it is off by at most a half, so the floor is it or one
/// less.
Value Expansion::quotient_of(Value numerator, Value divisor, Value numerator_float, Value& rest) {
  const Value r = reciprocal(unit_float(divisor));
  const Value estimate =
      build_.cast(build_.mul(build_.mul(numerator_float, r), build_.f32(two_to_25)),
                  ElementType::u32);
  Value remainder =
      build_.sub(build_.shl(numerator, u32(25)), build_.mul(estimate, divisor));
  // remainder / divisor, with divisor = 2^23 * its unit float.
  const Value correction = nearest_integer(build_.mul(
      build_.mul(signed_float(remainder), r), build_.f32(1.0 / 8388608.0)));
  Value quotient = build_.add(estimate, correction);
  remainder = build_.sub(remainder, build_.mul(correction, divisor));
  const Value below = is_negative(remainder);
  quotient = build_.sub(quotient, build_.select(below, u32(1), u32(0)));
  rest = build_.add(remainder, build_.select(below, divisor, u32(0)));
  return quotient;
}

/// Bits of quotient * 2^(exponent - 127 - 26), rounded to nearest even; quotient in [2^26, 2^27)
/// with its lowest bit set when anything was cut off.
Value Expansion::round_and_pack(Value quotient, Value exponent) {
  const Value one = build_.i32(1);
  const Value bounded = build_.min(exponent, build_.i32(255));
  const Value field = build_.sub(build_.max(bounded, one), one);
  const Value missing = build_.max(build_.sub(one, bounded), build_.i32(0));
  const Value shift = build_.cast(
      build_.add(build_.min(missing, build_.i32(27)), build_.i32(3)), ElementType::u32);
  const Value half = build_.shl(u32(1), build_.sub(shift, u32(1)));
  const Value lowest = build_.bit_and(build_.shr(quotient, shift), u32(1));
  const Value bias = build_.add(build_.sub(half, u32(1)), lowest);
  const Value significand = build_.shr(build_.add(quotient, bias), shift);
  const Value base = build_.shl(build_.cast(field, ElementType::u32), u32(23));
  return build_.min(build_.add(base, significand), u32(infinity_bits));
}

Value Expansion::divide(Value a, Value b) {
  const Value bits_a = bits_of(a);
  const Value bits_b = bits_of(b);
  const Value sign = build_.bit_and(build_.bit_xor(bits_a, bits_b), u32(sign_bit));
  const Value magnitude_a = build_.bit_and(bits_a, u32(magnitude_mask));
  const Value magnitude_b = build_.bit_and(bits_b, u32(magnitude_mask));
  const Normalized parts_a = normalize(magnitude_a);
  const Normalized parts_b = normalize(magnitude_b);

  // The quotient of the significands is brought into [1, 2).
  const Value doubled = build_.less(parts_a.significand, parts_b.significand);
  const Value numerator =
      build_.shl(parts_a.significand, build_.select(doubled, u32(1), u32(0)));
  const Value unit = unit_float(parts_a.significand);
  const Value numerator_float = build_.select(doubled, build_.add(unit, unit), unit);
  Value rest = nullptr;
  const Value quotient = quotient_of(numerator, parts_b.significand, numerator_float, rest);
  const Value sticky = build_.select(build_.equal(rest, u32(0)), u32(0), u32(1));
  const Value with_sticky = build_.bit_or(build_.shl(quotient, u32(1)), sticky);
  const Value exponent = build_.sub(
      build_.add(build_.sub(parts_a.exponent, parts_b.exponent), build_.i32(127)),
      build_.select(doubled, build_.i32(1), build_.i32(0)));
  Value result = round_and_pack(with_sticky, exponent);

  const Value infinity = u32(infinity_bits);
  const Value a_zero = build_.equal(magnitude_a, u32(0));
  const Value b_zero = build_.equal(magnitude_b, u32(0));
  const Value a_infinite = build_.equal(magnitude_a, infinity);
  const Value b_infinite = build_.equal(magnitude_b, infinity);
  result = build_.select(build_.bit_or(a_zero, b_infinite), u32(0), result);
  result = build_.select(build_.bit_or(b_zero, a_infinite), infinity, result);
  const Value either_nan =
      build_.bit_or(build_.less(infinity, magnitude_a), build_.less(infinity, magnitude_b));
  const Value undefined = build_.bit_or(build_.bit_and(a_zero, b_zero),
                                        build_.bit_and(a_infinite, b_infinite));
  const Value signed_result = build_.bit_or(result, sign);
  return as_float(build_.select(build_.bit_or(either_nan, undefined), u32(quiet_nan_bits),
                                signed_result));
}

/// floor(sqrt(m * 2^25)) for m in [2^23, 2^25) has 25 bits; a root is never a tie, so its lowest
/// bit decides the rounding alone. As in the quotient, the corrected root is the floor or one more.
Value Expansion::square_root(Value x) {
  const Value bits = bits_of(x);
  const Value magnitude = build_.bit_and(bits, u32(magnitude_mask));
  const Normalized parts = normalize(magnitude);
  const Value unbiased = build_.sub(parts.exponent, build_.i32(127));
  const Value odd = build_.bit_and(unbiased, build_.i32(1));
  const Value m = build_.shl(parts.significand, build_.cast(odd, ElementType::u32));
  const Value v = build_.mul(to_float(m), build_.f32(1.0 / 8388608.0));

  const Value y = reciprocal_root(v);
  const Value estimate = build_.cast(build_.mul(build_.mul(v, y), build_.f32(two_to_24)),
                                     ElementType::u32);
  const Value radicand = build_.shl(m, u32(25));  // its lowest 32 bits
  const Value first_rest = build_.sub(radicand, build_.mul(estimate, estimate));
  // rest / (2 * root), with 1 / root = y * 2^-24.
  const Value correction = nearest_integer(build_.mul(
      build_.mul(signed_float(first_rest), y), build_.f32(1.0 / two_to_25)));
  Value root = build_.add(estimate, correction);
  const Value rest = build_.sub(radicand, build_.mul(root, root));
  root = build_.sub(root, build_.select(is_negative(rest), u32(1), u32(0)));

  const Value significand = build_.shr(build_.add(root, u32(1)), u32(1));
  const Value field =
      build_.add(build_.shr(build_.sub(unbiased, odd), build_.i32(1)), build_.i32(126));
  Value result = build_.add(build_.shl(build_.cast(field, ElementType::u32), u32(23)),
                            significand);
  const Value infinity = u32(infinity_bits);
  result = build_.select(build_.equal(magnitude, infinity), infinity, result);
  const Value undefined = build_.bit_or(build_.less(infinity, magnitude),
                                        build_.less(u32(sign_bit), bits));
  result = build_.select(undefined, u32(quiet_nan_bits), result);
  return as_float(build_.select(build_.equal(magnitude, u32(0)), bits, result));
}

}  // namespace

void expand_exact_division(choir::Operation& function) {
  for (choir::Operation* operation : target::find_operations(function, kernel::op::div)) {
    if (kernel::element_of(operation->result()->type()) != ElementType::f32) continue;
    ExpansionBuilder build(*operation);
    target::replace_operation(
        *operation, Expansion(build).divide(operation->operand(0), operation->operand(1)));
  }
  for (choir::Operation* operation : target::find_operations(function, kernel::op::sqrt)) {
    if (kernel::element_of(operation->result()->type()) != ElementType::f32) continue;
    ExpansionBuilder build(*operation);
    target::replace_operation(*operation, Expansion(build).square_root(operation->operand(0)));
  }
}

}  // namespace accy::vulkan
