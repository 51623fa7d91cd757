// What the encoder and the decoder of the binary form share.
#pragma once

#include <cstdint>
#include <string_view>

namespace accy::choir::bytecode {

inline constexpr std::string_view header = "choir-bytecode-1\n";

// References into a table.
inline constexpr std::uint64_t new_entry = 0;
inline constexpr std::uint64_t no_entry = 1;
inline constexpr std::uint64_t first_entry = 2;

/// In place of a distance to the value's definition.
inline constexpr std::uint64_t value_from_outside = 0;

/// Small negative numbers as small numbers.
constexpr std::uint64_t zigzag(std::int64_t value) {
  return static_cast<std::uint64_t>(value) << 1U ^ static_cast<std::uint64_t>(value >> 63);
}
constexpr std::int64_t from_zigzag(std::uint64_t value) {
  return static_cast<std::int64_t>(value >> 1U ^ (~(value & 1U) + 1U));
}

}  // namespace accy::choir::bytecode
