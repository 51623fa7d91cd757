// Format<E>: how an element type is stored and in which C++ type it is computed. f16 and bf16 are
// computed in f32 and rounded when stored, which gives the correctly rounded result of one
// addition, product, quotient or square root.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "accy/element_type.hpp"

namespace accy::tensor {

/// The value of binary16 bits.
inline float float_from_half(std::uint16_t bits) {
  const std::uint32_t magnitude = static_cast<std::uint32_t>(bits & 0x7fffU) << 13;
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000U) << 16;
  // Scaling by 2^112 moves the exponent bias from 15 to 127 and normalizes subnormals.
  const std::uint32_t finite = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) *
                                                            0x1p112F);
  const std::uint32_t special = magnitude | 0x7f800000U;
  return std::bit_cast<float>(sign | (magnitude >= 0x0f800000U ? special : finite));
}

/// Rounds to the nearest binary16, ties to even.
inline std::uint16_t half_from_float(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000U);
  const std::uint32_t magnitude = bits & 0x7fffffffU;
  if (magnitude > 0x7f800000U) return static_cast<std::uint16_t>(sign | 0x7e00U);
  if (magnitude >= 0x477ff000U) return static_cast<std::uint16_t>(sign | 0x7c00U);  // from 65520 on
  std::uint32_t half = 0;
  if (magnitude < 0x38800000U) {  // below 2^-14: the sum's last bit is worth 2^-24
    half = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5F) - 0x3f000000U;
  } else {
    half = (magnitude + 0xfffU + ((magnitude >> 13) & 1U) - (112U << 23)) >> 13;
  }
  return static_cast<std::uint16_t>(sign | half);
}

inline float float_from_bfloat16(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

inline std::uint16_t bfloat16_from_float(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7fffffffU) > 0x7f800000U)
    return static_cast<std::uint16_t>(((bits >> 16) & 0x8000U) | 0x7fc0U);
  return static_cast<std::uint16_t>((bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16);
}

/// Stored and computed as the C++ type T.
template <class T>
struct NativeFormat {
  using Storage = T;
  using Number = T;
  static Number load(Storage stored) { return stored; }
  static Storage store(Number number) { return number; }
  /// To the nearest value of the format.
  static Number round(Number number) { return number; }
  static Number round_double(double number) { return static_cast<Number>(number); }
};

template <ElementType E>
struct Format;
template <> struct Format<ElementType::boolean> : NativeFormat<std::uint8_t> {};
template <> struct Format<ElementType::i8> : NativeFormat<std::int8_t> {};
template <> struct Format<ElementType::i16> : NativeFormat<std::int16_t> {};
template <> struct Format<ElementType::i32> : NativeFormat<std::int32_t> {};
template <> struct Format<ElementType::i64> : NativeFormat<std::int64_t> {};
template <> struct Format<ElementType::u8> : NativeFormat<std::uint8_t> {};
template <> struct Format<ElementType::u16> : NativeFormat<std::uint16_t> {};
template <> struct Format<ElementType::u32> : NativeFormat<std::uint32_t> {};
template <> struct Format<ElementType::u64> : NativeFormat<std::uint64_t> {};
template <> struct Format<ElementType::f32> : NativeFormat<float> {};
template <> struct Format<ElementType::f64> : NativeFormat<double> {};

template <>
struct Format<ElementType::f16> {
  using Storage = std::uint16_t;
  using Number = float;
  static Number load(Storage stored) { return float_from_half(stored); }
  static Storage store(Number number) { return half_from_float(number); }
  static Number round(Number number) { return load(store(number)); }
  static Number round_double(double number) { return load(half_from_double(number)); }
};

template <>
struct Format<ElementType::bf16> {
  using Storage = std::uint16_t;
  using Number = float;
  static Number load(Storage stored) { return float_from_bfloat16(stored); }
  static Storage store(Number number) { return bfloat16_from_float(number); }
  static Number round(Number number) { return load(store(number)); }
  static Number round_double(double number) { return load(bfloat16_from_double(number)); }
};

}  // namespace accy::tensor
