// From a run-time element type and a kind of tensor to the arithmetic that computes with it.
#pragma once

#include <type_traits>

#include "dialect/tensor/arithmetic/typed.hpp"
#include "dialect/tensor/arithmetic/wide.hpp"

namespace accy::tensor {

/// visit(arithmetic) for a float type.
template <class Tensor, class Visit>
void with_float(ElementType element, NumericMode mode, Visit&& visit) {
  if constexpr (std::is_same_v<Tensor, WideTensor>) {
    visit(Wide(element, mode));
  } else {
    switch (element) {
      case ElementType::f16: return visit(Typed<ElementType::f16>{});
      case ElementType::bf16: return visit(Typed<ElementType::bf16>{});
      case ElementType::f32: return visit(Typed<ElementType::f32>{});
      case ElementType::f64: return visit(Typed<ElementType::f64>{});
      default: ACCY_ASSERT(false, "float arithmetic on another type");
    }
  }
}

/// visit(arithmetic) for an integer type.
template <class Tensor, class Visit>
void with_integer(ElementType element, NumericMode mode, Visit&& visit) {
  if constexpr (std::is_same_v<Tensor, WideTensor>) {
    visit(Wide(element, mode));
  } else {
    switch (element) {
      case ElementType::i8: return visit(Typed<ElementType::i8>{});
      case ElementType::i16: return visit(Typed<ElementType::i16>{});
      case ElementType::i32: return visit(Typed<ElementType::i32>{});
      case ElementType::i64: return visit(Typed<ElementType::i64>{});
      case ElementType::u8: return visit(Typed<ElementType::u8>{});
      case ElementType::u16: return visit(Typed<ElementType::u16>{});
      case ElementType::u32: return visit(Typed<ElementType::u32>{});
      case ElementType::u64: return visit(Typed<ElementType::u64>{});
      default: ACCY_ASSERT(false, "integer arithmetic on another type");
    }
  }
}

/// visit(arithmetic) for an integer type or bool.
template <class Tensor, class Visit>
void with_bits(ElementType element, NumericMode mode, Visit&& visit) {
  if constexpr (std::is_same_v<Tensor, HostTensor>)
    if (element == ElementType::boolean) return visit(Typed<ElementType::boolean>{});
  with_integer<Tensor>(element, mode, visit);
}

/// visit(arithmetic) for an integer or float type.
template <class Tensor, class Visit>
void with_numeric(ElementType element, NumericMode mode, Visit&& visit) {
  if (std::is_same_v<Tensor, WideTensor> || is_float(element))
    with_float<Tensor>(element, mode, visit);
  else
    with_integer<Tensor>(element, mode, visit);
}

/// visit(arithmetic) for any element type.
template <class Tensor, class Visit>
void with_any(ElementType element, NumericMode mode, Visit&& visit) {
  if constexpr (std::is_same_v<Tensor, HostTensor>)
    if (element == ElementType::boolean) return visit(Typed<ElementType::boolean>{});
  with_numeric<Tensor>(element, mode, visit);
}

/// The arithmetic of bool results.
template <class Tensor>
auto boolean_arithmetic(NumericMode mode) {
  if constexpr (std::is_same_v<Tensor, WideTensor>)
    return Wide(ElementType::boolean, mode);
  else
    return Typed<ElementType::boolean>{};
}

/// Calls move(in, out) with pointers to the raw elements: once for a HostTensor, by element size;
/// for values and for bounds of a WideTensor.
template <class Move>
void for_planes(const HostTensor& in, HostTensor& out, Move&& move) {
  const std::byte* from = in.bytes.data();
  std::byte* to = out.bytes.data();
  const auto as = [&]<class T>(T) {
    move(reinterpret_cast<const T*>(from), reinterpret_cast<T*>(to));
  };
  switch (size_bytes(in.element)) {
    case 1: return as(std::uint8_t{});
    case 2: return as(std::uint16_t{});
    case 4: return as(std::uint32_t{});
    default: return as(std::uint64_t{});
  }
}
template <class Move>
void for_planes(const WideTensor& in, WideTensor& out, Move&& move) {
  move(in.value.data(), out.value.data());
  move(in.bound.data(), out.bound.data());
}

}  // namespace accy::tensor
