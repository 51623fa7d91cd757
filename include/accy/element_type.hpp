// The element types of tensors and buffers, their sizes and their bit conversions.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "accy/export.hpp"

namespace accy {

enum class ElementType : std::uint8_t {
  boolean, i8, i16, i32, i64, u8, u16, u32, u64, f16, bf16, f32, f64,
};

/// "bool", "i32", "f16", ...: the name in program text and in JSON.
ACCY_EXPORT std::string_view to_string(ElementType type);
ACCY_EXPORT std::optional<ElementType> element_type_from(std::string_view name);

/// Bytes of one stored element; bool is stored as one byte, 0 or 1.
ACCY_EXPORT std::int64_t size_bytes(ElementType type);
ACCY_EXPORT bool is_float(ElementType type);
ACCY_EXPORT bool is_integer(ElementType type);   ///< signed or unsigned, not bool
ACCY_EXPORT bool is_signed(ElementType type);    ///< signed integer or float
ACCY_EXPORT int bit_width(ElementType type);     ///< bool counts as 8, as stored

/// IEEE binary16 bits of the value rounded to nearest even; overflow gives infinity, NaN stays NaN.
ACCY_EXPORT std::uint16_t half_from_double(double value);
ACCY_EXPORT double double_from_half(std::uint16_t bits);
/// bfloat16 bits of the value rounded to nearest even.
ACCY_EXPORT std::uint16_t bfloat16_from_double(double value);
ACCY_EXPORT double double_from_bfloat16(std::uint16_t bits);

}  // namespace accy
