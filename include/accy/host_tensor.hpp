// HostTensor: a tensor in host memory, row major and dense. The currency of inputs, outputs,
// weights and the evaluators.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "accy/element_type.hpp"
#include "accy/export.hpp"
#include "accy/result.hpp"

namespace accy {

/// Whether elements of that type may be viewed as T: the C++ type of the same representation;
/// std::uint8_t for bool, std::uint16_t also for the bits of f16 and bf16.
template <class T>
constexpr bool stores(ElementType element) {
  switch (element) {
    case ElementType::boolean: return std::same_as<T, std::uint8_t>;
    case ElementType::i8: return std::same_as<T, std::int8_t>;
    case ElementType::i16: return std::same_as<T, std::int16_t>;
    case ElementType::i32: return std::same_as<T, std::int32_t>;
    case ElementType::i64: return std::same_as<T, std::int64_t>;
    case ElementType::u8: return std::same_as<T, std::uint8_t>;
    case ElementType::u16: return std::same_as<T, std::uint16_t>;
    case ElementType::u32: return std::same_as<T, std::uint32_t>;
    case ElementType::u64: return std::same_as<T, std::uint64_t>;
    case ElementType::f16: return std::same_as<T, std::uint16_t>;
    case ElementType::bf16: return std::same_as<T, std::uint16_t>;
    case ElementType::f32: return std::same_as<T, float>;
    case ElementType::f64: return std::same_as<T, double>;
  }
  return false;
}

/// bytes.size() is the product of the shape times the element's size; the functions below keep
/// that rule, and whoever sets the members by hand must.
struct ACCY_EXPORT HostTensor {
  ElementType element = ElementType::f32;
  std::vector<std::int64_t> shape;  ///< elements by axis; empty for a scalar
  std::vector<std::byte> bytes;     ///< little endian

  /// All zero bits. Errors: a dimension or the count is outside support/checked.hpp's limits.
  static Result<HostTensor> zeros(ElementType element, std::span<const std::int64_t> shape);
  /// Takes the bytes; their count must fit the shape exactly, and a bool must be 0 or 1.
  static Result<HostTensor> from_bytes(ElementType element, std::span<const std::int64_t> shape,
                                       std::vector<std::byte> bytes);
  /// Row-major values, as many as the shape holds, each converted to the element type: rounded to
  /// nearest even, truncated and saturated for integers (NaN gives 0), != 0 for bool.
  static Result<HostTensor> from_values(ElementType element, std::span<const std::int64_t> shape,
                                        std::span<const double> values);

  /// Elements.
  std::int64_t count() const;

  /// The elements as T; asserts stores<T>(element).
  template <class T>
  std::span<const T> view() const {
    ACCY_ASSERT(stores<T>(element), "tensor viewed as another element type");
    return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
  }
  template <class T>
  std::span<T> view() {
    ACCY_ASSERT(stores<T>(element), "tensor viewed as another element type");
    return {reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)};
  }

  /// The element at a row-major index as f64: exact but for 64-bit integers beyond 2^53.
  double at(std::int64_t index) const;
  /// Stores at a row-major index, converted as from_values does.
  void set(std::int64_t index, double value);

  /// Equal element type, shape and bytes: NaN equals the same NaN, -0 differs from +0.
  friend bool operator==(const HostTensor&, const HostTensor&) = default;
};

}  // namespace accy
