#include "target/expand_remainder.hpp"

namespace accy::target {

namespace {

using Value = ExpansionBuilder::Value;
using kernel::Predicate;

/// The parts of a binary format and the integer type of its size.
struct FloatFormat {
  ElementType element;
  ElementType word;         ///< unsigned
  ElementType signed_word;
  std::int64_t fraction_bits;
  std::int64_t exponent_maximum;  ///< the field of infinity and NaN
  std::int64_t bias;
};

constexpr FloatFormat single{ElementType::f32, ElementType::u32, ElementType::i32, 23, 255, 127};
constexpr FloatFormat twice{ElementType::f64, ElementType::u64, ElementType::i64, 52, 2047, 1023};

/// A magnitude as significand * 2^(exponent - bias - fraction bits).
struct Parts {
  Value significand = nullptr;  ///< word; below 2^(fraction bits + 1)
  Value exponent = nullptr;     ///< i32, at least 1
};

class Remainder {
 public:
  Remainder(ExpansionBuilder& build, const FloatFormat& format) : build_(build), format_(format) {}

  Value expand(Value a, Value b) {
    const Value bits_a = build_.bitcast(a, format_.word);
    const Value sign_mask = word(std::int64_t{1} << (width() - 1));
    const Value sign = build_.bit_and(bits_a, sign_mask);
    const Value magnitude_a = build_.bit_xor(bits_a, sign);
    const Value magnitude_b =
        build_.bit_and(build_.bitcast(b, format_.word), build_.bit_not(sign_mask));
    const Value infinity = word(format_.exponent_maximum << format_.fraction_bits);
    const Value rest = scaled(reduce(split(magnitude_a), split(magnitude_b)),
                              split(magnitude_b).exponent);
    const Value signed_rest =
        build_.bitcast(build_.bit_or(build_.bitcast(rest, format_.word), sign), format_.element);
    // A smaller magnitude, also any finite one by infinity, is its own remainder.
    Value result = build_.select(build_.less(magnitude_a, magnitude_b), a, signed_rest);
    const Value undefined = build_.bit_or(
        build_.compare(Predicate::ge, magnitude_a, infinity),
        build_.bit_or(build_.less(infinity, magnitude_b), build_.equal(magnitude_b, word(0))));
    const Value nan = build_.bitcast(
        word((format_.exponent_maximum << format_.fraction_bits) |
             (std::int64_t{1} << (format_.fraction_bits - 1))),
        format_.element);
    return build_.select(undefined, nan, result);
  }

 private:
  std::int64_t width() const { return bit_width(format_.element); }
  Value word(std::int64_t value) { return build_.integer(format_.word, value); }

  Parts split(Value magnitude) {
    const Value hidden = word(std::int64_t{1} << format_.fraction_bits);
    const Value field = build_.shr(magnitude, word(format_.fraction_bits));
    const Value fraction =
        build_.bit_and(magnitude, word((std::int64_t{1} << format_.fraction_bits) - 1));
    const Value subnormal = build_.equal(field, word(0));
    return {build_.select(subnormal, fraction, build_.bit_or(fraction, hidden)),
            build_.max(build_.cast(field, ElementType::i32), build_.i32(1))};
  }

  /// (a's significand * 2^(a's exponent - b's)) rem b's significand.
  Value reduce(const Parts& a, const Parts& b) {
    // The product of a rest below 2^(fraction bits + 1) and 2^chunk fits a word.
    const std::int64_t chunk = width() - format_.fraction_bits - 1;
    const std::int64_t maximum_trips = (format_.exponent_maximum + chunk - 1) / chunk;
    const Value divisor = build_.max(b.significand, word(1));
    const Value distance =
        build_.max(build_.sub(a.exponent, b.exponent), build_.i32(0));
    const Value chunk_value = build_.i32(static_cast<std::int32_t>(chunk));
    const Value trips = quotient_up(distance, chunk);
    const auto body = [&](ExpansionBuilder& inner, const ExpansionBuilder::Values& carried) {
      const Value step = inner.min(carried[1], chunk_value);
      const Value shifted = inner.shl(carried[0], inner.cast(step, format_.word));
      return ExpansionBuilder::Values{inner.positive_rem(shifted, divisor),
                                      inner.sub(carried[1], step)};
    };
    return build_
        .loop(trips, maximum_trips, {build_.positive_rem(a.significand, divisor), distance},
              body)
        .front();
  }

  /// Ceiling of a small non-negative i32 over a constant, by one multiplication: distance is below
  /// 2^11, so the error of the reciprocal in units of 2^-16 does not reach the next integer.
  Value quotient_up(Value distance, std::int64_t divisor) {
    const auto reciprocal = static_cast<std::int32_t>((65536 + divisor - 1) / divisor);
    const Value raised =
        build_.add(distance, build_.i32(static_cast<std::int32_t>(divisor) - 1));
    return build_.shr(build_.mul(raised, build_.i32(reciprocal)), build_.i32(16));
  }

  /// rest * 2^(exponent - bias - fraction bits), in two exact steps.
  Value scaled(Value rest, Value exponent) {
    const Value power = build_.sub(
        exponent, build_.i32(static_cast<std::int32_t>(format_.bias + format_.fraction_bits)));
    const Value first = build_.shr(power, build_.i32(1));
    const Value second = build_.sub(power, first);
    const Value number = build_.cast(rest, format_.element);
    return build_.mul(build_.mul(number, power_of_two(first)), power_of_two(second));
  }

  Value power_of_two(Value exponent) {
    const Value field = build_.add(exponent, build_.i32(static_cast<std::int32_t>(format_.bias)));
    const Value wide = build_.cast(field, format_.word);
    return build_.bitcast(build_.shl(wide, word(format_.fraction_bits)), format_.element);
  }

  ExpansionBuilder& build_;
  const FloatFormat& format_;
};

}  // namespace

Value expand_remainder(ExpansionBuilder& build, Value a, Value b) {
  const bool is_double = kernel::element_of(a->type()) == ElementType::f64;
  return Remainder(build, is_double ? twice : single).expand(a, b);
}

}  // namespace accy::target
