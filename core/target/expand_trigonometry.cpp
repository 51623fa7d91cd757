#include "target/expand_trigonometry.hpp"

#include <array>

namespace accy::target {

namespace {

using Value = ExpansionBuilder::Value;
using Values = ExpansionBuilder::Values;

constexpr double two_over_pi = 0.63661977236758134308;
constexpr double half_pi = 1.57079632679489661923;
/// pi / 2 in parts: products of the first three with an integer below 2^13 are exact.
constexpr std::array half_pi_parts{1.5703125, 0.0004837512969970703125, 7.5495336204767227173e-08,
                                   2.563344068257089603e-12};
constexpr double split_limit = 8192.0;  ///< of the magnitudes reduced by those parts
/// A zero word, and the bits of 2 / pi behind the point.
constexpr std::array<std::uint32_t, 8> two_over_pi_bits{
    0, 0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab};
constexpr double round_to_integer = 12582912.0;  // 1.5 * 2^23: its lowest bit counts ones

// Coefficients: minimax fits by iteratively reweighted least squares on |r| <= pi / 4, in f64.
/// (sin(r) / r - 1) / r^2 over r^2, relative error 3.8e-9.
constexpr std::array sin_coefficients{-0.16666654534782543, 0.00833215593257311,
                                      -0.00019514614893369813};
/// (cos(r) - 1 + r^2 / 2) / r^4 over r^2, error of cos 1.2e-10.
constexpr std::array cos_coefficients{0.04166664555156952, -0.0013887309721398629,
                                      2.443239595513736e-05};

/// What is left of a magnitude, within pi / 4 of zero (f32), and the multiple of pi / 2 that was
/// taken away, modulo 4 (the low bits of a u32).
Values reduce_by_parts(ExpansionBuilder& build, Value magnitude) {
  const Value count =
      build.floor(build.add(build.mul(magnitude, build.f32(two_over_pi)), build.f32(0.5)));
  Value rest = magnitude;
  for (const double part : half_pi_parts) rest = build.sub(rest, build.mul(count, build.f32(part)));
  const Value quadrant =
      build.bitcast(build.add(count, build.f32(round_to_integer)), ElementType::u32);
  return {rest, quadrant};
}

/// The upper half of the product of a word and a number below 2^24, by halves.
Value multiply_high(ExpansionBuilder& build, Value word, Value small) {
  const Value half = build.u32(16);
  const Value mask = build.u32(0xffff);
  const Value word_high = build.shr(word, half);
  const Value word_low = build.bit_and(word, mask);
  const Value small_high = build.shr(small, half);
  const Value small_low = build.bit_and(small, mask);
  const Value cross = build.mul(word_low, small_high);
  const Value other = build.mul(word_high, small_low);
  Value middle = build.shr(build.mul(word_low, small_low), half);
  middle = build.add(middle, build.bit_and(cross, mask));
  middle = build.add(middle, build.bit_and(other, mask));
  Value high = build.add(build.mul(word_high, small_high), build.shr(middle, half));
  high = build.add(high, build.shr(cross, half));
  return build.add(high, build.shr(other, half));
}

/// Three words of 2 / pi from a bit position on, which is below 160.
std::array<Value, 3> window(ExpansionBuilder& build, Value position) {
  const Value index = build.shr(position, build.u32(5));
  const Value left = build.bit_and(position, build.u32(31));
  const Value right = build.sub(build.u32(32), left);
  std::array<Value, 4> words;
  for (std::size_t word = 0; word < words.size(); ++word) {
    words[word] = build.u32(two_over_pi_bits[word]);
    for (std::size_t start = 1; start < 5; ++start)
      words[word] = build.select(build.equal(index, build.u32(static_cast<std::uint32_t>(start))),
                                 build.u32(two_over_pi_bits[start + word]), words[word]);
  }
  std::array<Value, 3> shifted;
  for (std::size_t word = 0; word < shifted.size(); ++word)
    shifted[word] = build.bit_or(build.shl(words[word], left), build.shr(words[word + 1], right));
  return shifted;
}

/// Payne and Hanek's reduction ("Radian reduction for trigonometric functions", 1983): the
/// significand times those 96 bits of 2 / pi that make up its fraction and two bits above.
Values reduce_by_bits(ExpansionBuilder& build, Value magnitude) {
  const Value bits = build.bitcast(magnitude, ElementType::u32);
  const Value significand =
      build.bit_or(build.bit_and(bits, build.u32(0x7fffff)), build.u32(0x800000));
  // At 2^13, the least here, the field is 140 and the window begins at bit 20 of the zero word.
  const auto words = window(build, build.sub(build.shr(bits, build.u32(23)), build.u32(120)));
  const Value carried = multiply_high(build, words[2], significand);
  const Value low = build.add(build.mul(words[1], significand), carried);
  const Value carry = build.select(build.less(low, carried), build.u32(1), build.u32(0));
  const Value high = build.add(
      build.add(build.mul(words[0], significand), multiply_high(build, words[1], significand)),
      carry);
  const Value quadrant = build.shr(build.add(high, build.u32(0x20000000)), build.u32(30));
  // The fraction as a signed number of 64 bits.
  const Value upper = build.bit_or(build.shl(high, build.u32(2)), build.shr(low, build.u32(30)));
  const Value lower = build.shl(low, build.u32(2));
  const Value fraction =
      build.add(build.cast(build.bitcast(upper, ElementType::i32), ElementType::f32),
                build.mul(build.cast(lower, ElementType::f32), build.f32(0x1p-32)));
  return {build.mul(fraction, build.f32(half_pi * 0x1p-32)), quadrant};
}

/// sin(x + turn * pi / 2), without the sign of x.
Value expand_turned(ExpansionBuilder& build, Value x, std::uint32_t turn) {
  const Value magnitude = build.abs(x);
  const Values reduced = build.branch(
      build.less(magnitude, build.f32(split_limit)),
      [&](ExpansionBuilder& inner) { return reduce_by_parts(inner, magnitude); },
      [&](ExpansionBuilder& inner) { return reduce_by_bits(inner, magnitude); });
  const Value rest = reduced[0];
  const Value quadrant = build.add(reduced[1], build.u32(turn));
  const Value square = build.mul(rest, rest);
  const Value sine = build.add(
      rest, build.mul(build.mul(rest, square), build.polynomial(square, sin_coefficients)));
  const Value tail =
      build.mul(build.mul(square, square), build.polynomial(square, cos_coefficients));
  const Value cosine =
      build.add(build.sub(build.f32(1.0), build.mul(build.f32(0.5), square)), tail);
  const Value odd = build.equal(build.bit_and(quadrant, build.u32(1)), build.u32(1));
  const Value sign = build.shl(build.bit_and(quadrant, build.u32(2)), build.u32(30));
  const Value value = build.bitcast(build.select(odd, cosine, sine), ElementType::u32);
  const Value defined = build.less(magnitude, build.f32_bits(0x7f800000));
  return build.select(defined, build.bitcast(build.bit_xor(value, sign), ElementType::f32),
                      build.f32_bits(0x7fc00000));
}

}  // namespace

Value expand_sin(ExpansionBuilder& build, Value x) {
  const Value sign = build.bit_and(build.bitcast(x, ElementType::u32), build.u32(0x80000000));
  const Value value = build.bitcast(expand_turned(build, x, 0), ElementType::u32);
  return build.bitcast(build.bit_xor(value, sign), ElementType::f32);
}

Value expand_cos(ExpansionBuilder& build, Value x) { return expand_turned(build, x, 1); }

}  // namespace accy::target
