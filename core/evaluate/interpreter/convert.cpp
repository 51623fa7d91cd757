// Conversions by value and by bits. Each rounds once.
#include <bit>
#include <cmath>
#include <limits>

#include "evaluate/interpreter/frame.hpp"
#include "evaluate/interpreter/native.hpp"

namespace accy::evaluate::interpreter {
namespace {

// Types of register elements that C++ has no arithmetic type for.
struct Boolean {
  std::uint8_t bits;
};
struct Half {
  std::uint16_t bits;
};
struct Bfloat {
  std::uint16_t bits;
};

float float_from_half(std::uint16_t bits) {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000U) << 16;
  const std::uint32_t exponent = (bits >> 10) & 0x1fU;
  const std::uint32_t fraction = bits & 0x3ffU;
  if (exponent == 0) {  // zero and subnormals: fraction * 2^-24, exact
    const float magnitude = static_cast<float>(fraction) * 0x1p-24F;
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(magnitude) | sign);
  }
  const std::uint32_t rebiased = exponent == 31 ? 255U : exponent + 112U;
  return std::bit_cast<float>(sign | (rebiased << 23) | (fraction << 13));
}

std::uint16_t half_from_float(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = (bits >> 16) & 0x8000U;
  const std::uint32_t magnitude = bits & 0x7fffffffU;
  if (magnitude > 0x7f800000U) return static_cast<std::uint16_t>(sign | 0x7e00U);
  if (magnitude >= 0x477ff000U) return static_cast<std::uint16_t>(sign | 0x7c00U);  // >= 65520
  if (magnitude < 0x38800000U) {  // below 2^-14: adding 0.5 rounds to a multiple of 2^-24
    const float shifted = std::fabs(value) + 0.5F;
    const std::uint32_t fraction = std::bit_cast<std::uint32_t>(shifted) - 0x3f000000U;
    return static_cast<std::uint16_t>(sign | fraction);
  }
  const std::uint32_t odd = (magnitude >> 13) & 1U;
  const std::uint32_t rounded = magnitude - 0x38000000U + 0xfffU + odd;
  return static_cast<std::uint16_t>(sign | (rounded >> 13));
}

std::uint16_t bfloat_from_float(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7fffffffU) > 0x7f800000U)
    return static_cast<std::uint16_t>((bits >> 16) | 0x40U);  // stays a NaN
  return static_cast<std::uint16_t>((bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16);
}

/// An integer as a float with its lost low bits or-ed into the last kept one, so that a further
/// rounding to fewer bits is correct.
template <class T>
float sticky_float(T value) {
  const bool negative = value < 0;
  const std::uint64_t magnitude =
      negative ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
  const int excess = 64 - std::countl_zero(magnitude) - 24;
  if (excess <= 0) return static_cast<float>(value);
  const std::uint64_t kept = magnitude >> excess;
  const std::uint64_t lost = magnitude & ((std::uint64_t{1} << excess) - 1);
  const float result = std::ldexp(static_cast<float>(kept | (lost != 0 ? 1U : 0U)), excess);
  return negative ? -result : result;
}

/// Truncates; saturates; NaN gives 0.
template <class To, class From>
To integer_from_float(From value) {
  if (value != value) return 0;
  using Limits = std::numeric_limits<To>;
  // 2^digits, one above the largest value, and exact in every float type.
  const From bound = std::ldexp(From{1}, Limits::digits);
  if (value >= bound) return Limits::max();
  if constexpr (std::is_signed_v<To>) {
    if (value < -bound) return Limits::min();
  } else if (value <= From{-1}) {
    return 0;
  }
  return static_cast<To>(value);
}

template <class To, class From>
To convert_number(From value) {
  if constexpr (std::is_same_v<To, Boolean>)
    return {static_cast<std::uint8_t>(value != 0)};
  else if constexpr (std::is_same_v<To, Half> && std::is_same_v<From, double>)
    return {half_from_double(value)};
  else if constexpr (std::is_same_v<To, Half> && std::is_integral_v<From>)
    return {half_from_float(sticky_float(value))};
  else if constexpr (std::is_same_v<To, Half>)
    return {half_from_float(value)};
  else if constexpr (std::is_same_v<To, Bfloat> && std::is_same_v<From, double>)
    return {bfloat16_from_double(value)};
  else if constexpr (std::is_same_v<To, Bfloat> && std::is_integral_v<From>)
    return {bfloat_from_float(sticky_float(value))};
  else if constexpr (std::is_same_v<To, Bfloat>)
    return {bfloat_from_float(value)};
  else if constexpr (std::is_integral_v<To> && std::is_floating_point_v<From>)
    return integer_from_float<To>(value);
  else
    return static_cast<To>(value);
}

template <class To, class From>
To convert(From value) {
  if constexpr (std::is_same_v<To, From>)
    return value;
  else if constexpr (std::is_same_v<From, Boolean>)
    return convert_number<To>(static_cast<std::int32_t>(value.bits));
  else if constexpr (std::is_same_v<From, Half>)
    return convert_number<To>(float_from_half(value.bits));
  else if constexpr (std::is_same_v<From, Bfloat>)
    return convert_number<To>(std::bit_cast<float>(static_cast<std::uint32_t>(value.bits) << 16));
  else
    return convert_number<To>(value);
}

template <class From>
Handler to_handler(ElementType to) {
  switch (to) {
    case ElementType::boolean: return map_unary<From, Boolean, convert<Boolean, From>>;
    case ElementType::i8: return map_unary<From, std::int8_t, convert<std::int8_t, From>>;
    case ElementType::i16: return map_unary<From, std::int16_t, convert<std::int16_t, From>>;
    case ElementType::i32: return map_unary<From, std::int32_t, convert<std::int32_t, From>>;
    case ElementType::i64: return map_unary<From, std::int64_t, convert<std::int64_t, From>>;
    case ElementType::u8: return map_unary<From, std::uint8_t, convert<std::uint8_t, From>>;
    case ElementType::u16: return map_unary<From, std::uint16_t, convert<std::uint16_t, From>>;
    case ElementType::u32: return map_unary<From, std::uint32_t, convert<std::uint32_t, From>>;
    case ElementType::u64: return map_unary<From, std::uint64_t, convert<std::uint64_t, From>>;
    case ElementType::f16: return map_unary<From, Half, convert<Half, From>>;
    case ElementType::bf16: return map_unary<From, Bfloat, convert<Bfloat, From>>;
    case ElementType::f32: return map_unary<From, float, convert<float, From>>;
    case ElementType::f64: return map_unary<From, double, convert<double, From>>;
  }
  return nullptr;
}

template <class From>
struct Convert {
  static Handler (*make())(ElementType) { return to_handler<From>; }
};

Handler cast_handler(ElementType from, ElementType to) {
  if (from == ElementType::boolean) return to_handler<Boolean>(to);
  if (from == ElementType::f16) return to_handler<Half>(to);
  if (from == ElementType::bf16) return to_handler<Bfloat>(to);
  return for_computable<Convert>(from)(to);
}

template <class T>
T identity(T value) {
  return value;
}

Handler bitcast_handler(std::int64_t size) {
  switch (size) {
    case 1: return map_unary<std::uint8_t, std::uint8_t, identity<std::uint8_t>>;
    case 2: return map_unary<std::uint16_t, std::uint16_t, identity<std::uint16_t>>;
    case 4: return map_unary<std::uint32_t, std::uint32_t, identity<std::uint32_t>>;
    case 8: return map_unary<std::uint64_t, std::uint64_t, identity<std::uint64_t>>;
    default: return nullptr;
  }
}

}  // namespace

Handler convert_handler(const choir::Operation& operation) {
  const bool is_cast = operation.name() == kernel::op::cast;
  if (!is_cast && operation.name() != kernel::op::bitcast) return nullptr;
  const ElementType from = *kernel::as_scalar(operation.operand(0)->type());
  const ElementType to = *kernel::as_scalar(operation.result()->type());
  return is_cast ? cast_handler(from, to) : bitcast_handler(size_bytes(from));
}

}  // namespace accy::evaluate::interpreter
