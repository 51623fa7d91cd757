// Checked size arithmetic: the only way to multiply dimensions or add byte offsets.
#pragma once

#include <cstdint>
#include <span>

#include "accy/result.hpp"

namespace accy {

/// Limits that untrusted input must keep; see SECURITY in docs/architecture.md.
namespace limits {
inline constexpr std::int64_t dimension = std::int64_t{1} << 40;  ///< elements along one axis
inline constexpr std::int64_t elements = std::int64_t{1} << 40;   ///< elements of one tensor
inline constexpr std::size_t rank = 8;                            ///< axes of one tensor
inline constexpr std::size_t nesting = 64;  ///< regions, types or attributes inside each other
}  // namespace limits

/// a * b, or an error naming both factors.
Result<std::int64_t> checked_multiply(std::int64_t a, std::int64_t b);
/// a + b, or an error naming both terms.
Result<std::int64_t> checked_add(std::int64_t a, std::int64_t b);
/// Product of non-negative dimensions, at most limits::elements. A zero anywhere gives zero, but
/// each dimension is checked against limits::dimension first.
Result<std::int64_t> element_count(std::span<const std::int64_t> shape);
/// element_count(shape) * bytes_per_element, checked.
Result<std::int64_t> byte_count(std::span<const std::int64_t> shape,
                                std::int64_t bytes_per_element);
/// value rounded up to a multiple of alignment (a power of two), checked.
Result<std::int64_t> checked_align(std::int64_t value, std::int64_t alignment);

/// Ceiling of a / b for a >= 0, b > 0; cannot overflow.
constexpr std::int64_t ceil_divide(std::int64_t a, std::int64_t b) {
  return a / b + (a % b != 0 ? 1 : 0);
}

}  // namespace accy
