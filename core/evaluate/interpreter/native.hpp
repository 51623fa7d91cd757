// From element types to the types that registers hold: bool is one byte, f16 and bf16 two.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "accy/element_type.hpp"

namespace accy::evaluate::interpreter {

/// Gives the handler made by `Maker<T>::make()` for a type that arithmetic takes; null for others.
template <template <class> class Maker>
auto for_computable(ElementType element) -> decltype(Maker<float>::make()) {
  switch (element) {
    case ElementType::i8: return Maker<std::int8_t>::make();
    case ElementType::i16: return Maker<std::int16_t>::make();
    case ElementType::i32: return Maker<std::int32_t>::make();
    case ElementType::i64: return Maker<std::int64_t>::make();
    case ElementType::u8: return Maker<std::uint8_t>::make();
    case ElementType::u16: return Maker<std::uint16_t>::make();
    case ElementType::u32: return Maker<std::uint32_t>::make();
    case ElementType::u64: return Maker<std::uint64_t>::make();
    case ElementType::f32: return Maker<float>::make();
    case ElementType::f64: return Maker<double>::make();
    default: return nullptr;
  }
}

/// An unsigned type of at least 32 bits in which arithmetic on T wraps without promotion to int.
template <class T>
using Wrapping = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

/// The unsigned type that holds the bits of T.
template <class T>
using Bits = std::conditional_t<
    sizeof(T) == 1, std::uint8_t,
    std::conditional_t<sizeof(T) == 2, std::uint16_t,
                       std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>>;

/// Minimum and maximum of the dialect: NaN if either is, -0 below +0. Shared with the reduction.
template <class T>
T minimum(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (a != a || b != b) return a + b;
    if (a == b) return std::bit_cast<T>(std::bit_cast<Bits<T>>(a) | std::bit_cast<Bits<T>>(b));
  }
  return a < b ? a : b;
}

template <class T>
T maximum(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (a != a || b != b) return a + b;
    if (a == b) return std::bit_cast<T>(std::bit_cast<Bits<T>>(a) & std::bit_cast<Bits<T>>(b));
  }
  return a > b ? a : b;
}

template <class T>
T sum(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    return a + b;
  else
    return static_cast<T>(static_cast<Wrapping<T>>(a) + static_cast<Wrapping<T>>(b));
}

}  // namespace accy::evaluate::interpreter
