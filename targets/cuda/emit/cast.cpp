// cast and bitcast.
#include <fmt/format.h>

#include "targets/cuda/emit/emitter.hpp"

namespace accy::cuda {

namespace {

constexpr RegisterClass b16 = RegisterClass::b16;
constexpr RegisterClass b32 = RegisterClass::b32;
constexpr RegisterClass b64 = RegisterClass::b64;
constexpr RegisterClass predicate = RegisterClass::predicate;

bool is_wide(ElementType element) { return class_of(element) == b64; }

// --- bfloat16 -------------------------------------------------------------------------------

Register bfloat16_to_f32(Emitter& emitter, Register a) {
  PtxWriter& writer = emitter.writer();
  const Register low = writer.value(b32, "cvt.u32.u16", {a});
  return writer.value(RegisterClass::f32, "shl.b32", {low, 16});
}

Register f32_to_bfloat16(Emitter& emitter, Register a) {
  PtxWriter& writer = emitter.writer();
  if (emitter.compute_capability() >= 80) {
    writer.require_version(70);
    return writer.value(b16, "cvt.rn.bf16.f32", {a});
  }
  // Round to nearest even on the bits: add half of the last place kept, less one when it is even.
  const Register bits = writer.value(b32, "mov.b32", {a});
  const Register shifted = writer.value(b32, "shr.u32", {bits, 16});
  const Register odd = writer.value(b32, "and.b32", {shifted, 1});
  const Register half = writer.value(b32, "add.s32", {odd, 0x7fff});
  const Register sum = writer.value(b32, "add.s32", {bits, half});
  const Register rounded = writer.value(b32, "shr.u32", {sum, 16});
  const Register is_nan = writer.value(predicate, "setp.nan.f32", {a, a});
  const Register result = writer.value(b32, "selp.b32", {0x7fff, rounded, is_nan});
  return writer.value(b16, "cvt.u16.u32", {result});
}

/// Rounding twice to nearest is wrong; towards zero with the last bit set when inexact ("to odd"),
/// then to nearest, is right, as f32 has more than two bits more than bfloat16.
Register round_to_odd(Emitter& emitter, Register truncated, Register exact) {
  PtxWriter& writer = emitter.writer();
  const Register bits = writer.value(b32, "mov.b32", {truncated});
  const Register odd = writer.value(b32, "or.b32", {bits, 1});
  return writer.value(RegisterClass::f32, "selp.b32", {bits, odd, exact});
}

Register f64_to_odd_f32(Emitter& emitter, Register a) {
  PtxWriter& writer = emitter.writer();
  const Register truncated = writer.value(RegisterClass::f32, "cvt.rz.f32.f64", {a});
  const Register back = writer.value(RegisterClass::f64, "cvt.f64.f32", {truncated});
  // Unordered counts as equal: a NaN is not to be made odd.
  const Register exact = writer.value(predicate, "setp.equ.f64", {a, back});
  return round_to_odd(emitter, truncated, exact);
}

Register integer_to_odd_f32(Emitter& emitter, Register a, ElementType element) {
  PtxWriter& writer = emitter.writer();
  const std::string_view type = arithmetic_type(element);
  const Register truncated =
      writer.value(RegisterClass::f32, fmt::format("cvt.rz.f32.{}", type), {a});
  const Register back =
      writer.value(class_of(element), fmt::format("cvt.rzi.{}.f32", type), {truncated});
  const Register exact = writer.value(predicate, fmt::format("setp.eq.{}", type), {a, back});
  return round_to_odd(emitter, truncated, exact);
}

// --- between numbers ------------------------------------------------------------------------

Register integer_to_integer(Emitter& emitter, Register a, ElementType from, ElementType to) {
  PtxWriter& writer = emitter.writer();
  if (is_wide(from) && is_wide(to)) return a;
  if (is_wide(to)) return writer.value(b64, is_signed(from) ? "cvt.s64.s32" : "cvt.u64.u32", {a});
  if (is_wide(from)) a = writer.value(b32, "cvt.u32.u64", {a});
  return emitter.normalized(a, to);
}

Register integer_to_float(Emitter& emitter, Register a, ElementType from, ElementType to) {
  if (to == ElementType::bf16)
    return f32_to_bfloat16(emitter, integer_to_odd_f32(emitter, a, from));
  return emitter.writer().value(
      class_of(to), fmt::format("cvt.rn.{}.{}", arithmetic_type(to), arithmetic_type(from)), {a});
}

Register float_to_float(Emitter& emitter, Register a, ElementType from, ElementType to) {
  PtxWriter& writer = emitter.writer();
  if (from == to) return a;
  if (from == ElementType::bf16) {
    a = bfloat16_to_f32(emitter, a);
    from = ElementType::f32;
  }
  if (to == ElementType::bf16) {
    if (from == ElementType::f16) a = writer.value(RegisterClass::f32, "cvt.f32.f16", {a});
    if (from == ElementType::f64) a = f64_to_odd_f32(emitter, a);
    return f32_to_bfloat16(emitter, a);
  }
  if (from == to) return a;
  const bool rounds = bit_width(to) < bit_width(from);
  return writer.value(
      class_of(to),
      fmt::format("cvt{}.{}.{}", rounds ? ".rn" : "", arithmetic_type(to), arithmetic_type(from)),
      {a});
}

/// Limits a 32-bit value to the range of an integer of one or two bytes.
Register clamp_small(Emitter& emitter, Register a, ElementType to) {
  PtxWriter& writer = emitter.writer();
  switch (to) {
    case ElementType::i8:
      return writer.value(b32, "max.s32", {writer.value(b32, "min.s32", {a, 127}), -128});
    case ElementType::i16:
      return writer.value(b32, "max.s32", {writer.value(b32, "min.s32", {a, 32767}), -32768});
    case ElementType::u8: return writer.value(b32, "min.u32", {a, 255});
    case ElementType::u16: return writer.value(b32, "min.u32", {a, 65535});
    default: return a;
  }
}

/// Truncates and saturates (PTX clamps this conversion by itself); NaN gives 0, which PTX promises
/// only where neither side has 64 bits.
Register float_to_integer(Emitter& emitter, Register a, ElementType from, ElementType to) {
  PtxWriter& writer = emitter.writer();
  if (from == ElementType::f16 || from == ElementType::bf16) {
    a = float_to_float(emitter, a, from, ElementType::f32);
    from = ElementType::f32;
  }
  Register result = writer.value(
      class_of(to), fmt::format("cvt.rzi.{}.{}", arithmetic_type(to), arithmetic_type(from)), {a});
  if (is_wide(to) || from == ElementType::f64) {
    const Register is_nan =
        writer.value(predicate, fmt::format("setp.nan.{}", arithmetic_type(from)), {a, a});
    result = writer.value(class_of(to), fmt::format("selp.{}", bits_type(to)), {0, result, is_nan});
  }
  return clamp_small(emitter, result, to);
}

// --- bool -----------------------------------------------------------------------------------

Register boolean_to_number(Emitter& emitter, Register a, ElementType to) {
  PtxWriter& writer = emitter.writer();
  switch (to) {
    case ElementType::f16: return writer.value(b16, "selp.b16", {"0x3c00", 0, a});
    case ElementType::bf16: return writer.value(b16, "selp.b16", {"0x3f80", 0, a});
    case ElementType::f32:
      return writer.value(class_of(to), "selp.f32",
                          {float_immediate(0x3f800000U), float_immediate(0), a});
    case ElementType::f64:
      return writer.value(class_of(to), "selp.f64",
                          {double_immediate(0x3ff0000000000000U), double_immediate(0), a});
    default: return writer.value(class_of(to), fmt::format("selp.{}", bits_type(to)), {1, 0, a});
  }
}

Register number_to_boolean(Emitter& emitter, Register a, ElementType from) {
  PtxWriter& writer = emitter.writer();
  if (from == ElementType::f16 || from == ElementType::bf16) {
    a = float_to_float(emitter, a, from, ElementType::f32);
    from = ElementType::f32;
  }
  if (is_float(from)) {
    const Operand zero = from == ElementType::f32 ? float_immediate(0) : double_immediate(0);
    return writer.value(predicate, fmt::format("setp.neu.{}", arithmetic_type(from)), {a, zero});
  }
  return writer.value(predicate, fmt::format("setp.ne.{}", arithmetic_type(from)), {a, 0});
}

Register cast_number(Emitter& emitter, Register a, ElementType from, ElementType to) {
  if (from == to) return a;
  if (from == ElementType::boolean) return boolean_to_number(emitter, a, to);
  if (to == ElementType::boolean) return number_to_boolean(emitter, a, from);
  if (is_float(from)) {
    return is_float(to) ? float_to_float(emitter, a, from, to)
                        : float_to_integer(emitter, a, from, to);
  }
  return is_float(to) ? integer_to_float(emitter, a, from, to)
                      : integer_to_integer(emitter, a, from, to);
}

Status emit_cast(Emitter& emitter, const choir::Operation& operation) {
  const ElementType from = kernel::element_of(operation.operand(0)->type());
  const ElementType to = kernel::element_of(operation.result()->type());
  emitter.define(operation.result(),
                 cast_number(emitter, emitter.scalar(operation.operand(0)), from, to));
  return {};
}

/// Between integers, f32 and f64 of one size.
Status emit_bitcast(Emitter& emitter, const choir::Operation& operation) {
  PtxWriter& writer = emitter.writer();
  const ElementType from = kernel::element_of(operation.operand(0)->type());
  const ElementType to = kernel::element_of(operation.result()->type());
  const RegisterClass source = class_of(from);
  const RegisterClass target = class_of(to);
  Register a = emitter.scalar(operation.operand(0));
  if (source == target) {
    a = emitter.normalized(a, to);
  } else {
    a = writer.value(target, bit_width(from) == 64 ? "mov.b64" : "mov.b32", {a});
  }
  emitter.define(operation.result(), a);
  return {};
}

constexpr OperationEntry table[] = {
    {kernel::op::cast, emit_cast},
    {kernel::op::bitcast, emit_bitcast},
};

}  // namespace

std::span<const OperationEntry> cast_operations() { return table; }

}  // namespace accy::cuda
