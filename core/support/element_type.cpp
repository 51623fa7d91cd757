#include "accy/element_type.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace accy {
namespace {

struct ElementInfo {
  std::string_view name;
  int bits;
};

constexpr std::array<ElementInfo, 13> table{{{"bool", 8}, {"i8", 8}, {"i16", 16}, {"i32", 32},
                                             {"i64", 64}, {"u8", 8}, {"u16", 16}, {"u32", 32},
                                             {"u64", 64}, {"f16", 16}, {"bf16", 16}, {"f32", 32},
                                             {"f64", 64}}};

/// At most four bytes as one number, which is compared faster than a text.
constexpr std::uint32_t key_of(std::string_view name) {
  std::uint32_t key = 0;
  for (char byte : name) key = key << 8U | static_cast<unsigned char>(byte);
  return key;
}

/// Rounds |value| (finite) to `mantissa_bits` fraction bits with exponents from `minimum_exponent`,
/// by the exact power-of-two scaling that puts the last kept bit at one.
double round_to_precision(double magnitude, int mantissa_bits, int minimum_exponent) {
  int exponent = std::max(std::ilogb(magnitude), minimum_exponent);
  return std::ldexp(std::nearbyint(std::ldexp(magnitude, mantissa_bits - exponent)),
                    exponent - mantissa_bits);
}

}  // namespace

std::string_view to_string(ElementType type) { return table[static_cast<std::size_t>(type)].name; }

std::optional<ElementType> element_type_from(std::string_view name) {
  constexpr std::size_t longest = 4;
  if (name.empty() || name.size() > longest || name.front() == '\0') return std::nullopt;
  switch (key_of(name)) {
    case key_of("bool"): return ElementType::boolean;
    case key_of("i8"): return ElementType::i8;
    case key_of("i16"): return ElementType::i16;
    case key_of("i32"): return ElementType::i32;
    case key_of("i64"): return ElementType::i64;
    case key_of("u8"): return ElementType::u8;
    case key_of("u16"): return ElementType::u16;
    case key_of("u32"): return ElementType::u32;
    case key_of("u64"): return ElementType::u64;
    case key_of("f16"): return ElementType::f16;
    case key_of("bf16"): return ElementType::bf16;
    case key_of("f32"): return ElementType::f32;
    case key_of("f64"): return ElementType::f64;
    default: return std::nullopt;
  }
}

int bit_width(ElementType type) { return table[static_cast<std::size_t>(type)].bits; }
std::int64_t size_bytes(ElementType type) { return bit_width(type) / 8; }
bool is_float(ElementType type) { return type >= ElementType::f16; }
bool is_integer(ElementType type) { return type != ElementType::boolean && !is_float(type); }
bool is_signed(ElementType type) {
  return is_float(type) || (type >= ElementType::i8 && type <= ElementType::i64);
}

std::uint16_t half_from_double(double value) {
  const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  if (std::isnan(value)) return static_cast<std::uint16_t>(sign | 0x7e00);
  double magnitude = std::fabs(value);
  if (magnitude == 0) return sign;
  if (std::isfinite(magnitude)) magnitude = round_to_precision(magnitude, 10, -14);
  if (magnitude >= 65536.0) return static_cast<std::uint16_t>(sign | 0x7c00);
  if (magnitude < 0x1p-14)
    return static_cast<std::uint16_t>(sign | static_cast<int>(magnitude * 0x1p24));
  const int exponent = std::ilogb(magnitude);
  const int fraction = static_cast<int>(std::ldexp(magnitude, 10 - exponent)) & 0x3ff;
  return static_cast<std::uint16_t>(sign | ((exponent + 15) << 10) | fraction);
}

double double_from_half(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 0x1f;
  const int fraction = bits & 0x3ff;
  double magnitude = 0;
  if (exponent == 31)
    magnitude = fraction != 0 ? std::nan("") : HUGE_VAL;
  else if (exponent == 0)
    magnitude = std::ldexp(fraction, -24);
  else
    magnitude = std::ldexp(1024 + fraction, exponent - 25);
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

std::uint16_t bfloat16_from_double(double value) {
  if (std::isnan(value))
    return static_cast<std::uint16_t>((std::signbit(value) ? 0x8000 : 0) | 0x7fc0);
  double rounded = value;
  if (std::isfinite(value) && value != 0)
    rounded = std::copysign(round_to_precision(std::fabs(value), 7, -126), value);
  // Exact now, so the conversion to float cannot round again; overflow gives infinity.
  return static_cast<std::uint16_t>(
      std::bit_cast<std::uint32_t>(static_cast<float>(rounded)) >> 16);
}

double double_from_bfloat16(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

}  // namespace accy
