// add, sub, mul, div, rem, min, max, fma, neg, abs.
#include <fmt/format.h>

#include "targets/cuda/emit/emitter.hpp"

namespace accy::cuda {

namespace {

ElementType element_of_result(const choir::Operation& operation) {
  return kernel::element_of(operation.result()->type());
}

/// `opcode.type result, operands...` with the operation's operands, made fit for its type.
void emit_simple(Emitter& emitter, const choir::Operation& operation, std::string_view opcode) {
  const ElementType element = element_of_result(operation);
  const std::string full = fmt::format("{}.{}", opcode, arithmetic_type(element));
  PtxWriter& writer = emitter.writer();
  const RegisterClass kind = class_of(element);
  const Register a = emitter.scalar(operation.operand(0));
  Register result;
  if (operation.operand_count() == 1) {
    result = writer.value(kind, full, {a});
  } else {
    result = writer.value(kind, full, {a, emitter.scalar(operation.operand(1))});
  }
  emitter.define(operation.result(), emitter.normalized(result, element));
}

Status emit_add(Emitter& emitter, const choir::Operation& operation) {
  emit_simple(emitter, operation, is_float(element_of_result(operation)) ? "add.rn" : "add");
  return {};
}

Status emit_sub(Emitter& emitter, const choir::Operation& operation) {
  emit_simple(emitter, operation, is_float(element_of_result(operation)) ? "sub.rn" : "sub");
  return {};
}

Status emit_mul(Emitter& emitter, const choir::Operation& operation) {
  emit_simple(emitter, operation, is_float(element_of_result(operation)) ? "mul.rn" : "mul.lo");
  return {};
}

/// Division of index math: both operands are promised non-negative, the divisor positive, so the
/// bare unsigned instruction is right, also on the sign-extended small types.
void emit_index_division(Emitter& emitter, const choir::Operation& operation,
                         std::string_view opcode) {
  const ElementType element = element_of_result(operation);
  const std::string full =
      fmt::format("{}.{}", opcode, class_of(element) == RegisterClass::b64 ? "u64" : "u32");
  emitter.define(operation.result(),
                 emitter.writer().value(
                     class_of(element), full,
                     {emitter.scalar(operation.operand(0)), emitter.scalar(operation.operand(1))}));
}

/// What stands in for the divisors on which the instruction is undefined.
struct GuardedDivisor {
  Register divisor;  ///< 1 where the instruction must not see the original
  Register is_zero;
  Register is_minus_one;  ///< signed only
};

GuardedDivisor guard_divisor(Emitter& emitter, Register divisor, ElementType element) {
  PtxWriter& writer = emitter.writer();
  const RegisterClass kind = class_of(element);
  const std::string compare = fmt::format("setp.eq.{}", arithmetic_type(element));
  const std::string select = fmt::format("selp.{}", bits_type(element));
  GuardedDivisor guarded;
  guarded.is_zero = writer.value(RegisterClass::predicate, compare, {divisor, 0});
  Register bad = guarded.is_zero;
  if (is_signed(element)) {
    guarded.is_minus_one = writer.value(RegisterClass::predicate, compare, {divisor, -1});
    bad = writer.value(RegisterClass::predicate, "or.pred", {bad, guarded.is_minus_one});
  }
  guarded.divisor = writer.value(kind, select, {1, divisor, bad});
  return guarded;
}

/// x/0 = 0, x rem 0 = x, MIN/-1 = MIN and MIN rem -1 = 0. A constant divisor other than 0 and -1
/// needs no guard.
void emit_integer_division(Emitter& emitter, const choir::Operation& operation, bool remainder) {
  PtxWriter& writer = emitter.writer();
  const ElementType element = element_of_result(operation);
  const RegisterClass kind = class_of(element);
  const std::string_view type = arithmetic_type(element);
  const std::string divide = fmt::format("{}.{}", remainder ? "rem" : "div", type);
  const std::string select = fmt::format("selp.{}", bits_type(element));
  const Register a = emitter.scalar(operation.operand(0));
  const Register b = emitter.scalar(operation.operand(1));
  const auto constant = kernel::constant_integer(operation.operand(1));
  if (constant && *constant != 0 && *constant != -1) {
    emitter.define(operation.result(), writer.value(kind, divide, {a, b}));
    return;
  }
  const GuardedDivisor guarded = guard_divisor(emitter, b, element);
  Register result = writer.value(kind, divide, {a, guarded.divisor});
  if (remainder) {  // a rem 1 = 0 is right for -1 as well
    result = writer.value(kind, select, {a, result, guarded.is_zero});
  } else {
    if (is_signed(element)) {
      const Register negated = writer.value(kind, fmt::format("neg.{}", type), {a});
      result = writer.value(kind, select, {negated, result, guarded.is_minus_one});
    }
    result = writer.value(kind, select, {0, result, guarded.is_zero});
  }
  emitter.define(operation.result(), emitter.normalized(result, element));
}

Status emit_div(Emitter& emitter, const choir::Operation& operation) {
  const ElementType element = element_of_result(operation);
  if (kernel::is_index_math(operation)) {
    emit_index_division(emitter, operation, "div");
  } else if (is_float(element)) {
    const bool fast = element == ElementType::f32 && !emitter.exact();
    emit_simple(emitter, operation, fast ? "div.full" : "div.rn");
  } else {
    emit_integer_division(emitter, operation, false);
  }
  return {};
}

Status emit_rem(Emitter& emitter, const choir::Operation& operation) {
  const ElementType element = element_of_result(operation);
  if (kernel::is_index_math(operation)) {
    emit_index_division(emitter, operation, "rem");
  } else if (is_float(element)) {
    return unsupported(operation, "a float remainder has no PTX form; legalize expands it");
  } else {
    emit_integer_division(emitter, operation, true);
  }
  return {};
}

Status emit_extremum(Emitter& emitter, const choir::Operation& operation, std::string_view opcode) {
  emitter.define(operation.result(),
                 emit_minimum_or_maximum(emitter, opcode, emitter.scalar(operation.operand(0)),
                                         emitter.scalar(operation.operand(1)),
                                         element_of_result(operation)));
  return {};
}

Status emit_min(Emitter& emitter, const choir::Operation& operation) {
  return emit_extremum(emitter, operation, "min");
}

Status emit_max(Emitter& emitter, const choir::Operation& operation) {
  return emit_extremum(emitter, operation, "max");
}

Status emit_fma(Emitter& emitter, const choir::Operation& operation) {
  const ElementType element = element_of_result(operation);
  emitter.define(operation.result(),
                 emitter.writer().value(
                     class_of(element), fmt::format("fma.rn.{}", arithmetic_type(element)),
                     {emitter.scalar(operation.operand(0)), emitter.scalar(operation.operand(1)),
                      emitter.scalar(operation.operand(2))}));
  return {};
}

/// PTX leaves the sign of neg and abs of a NaN open, so exact functions work on the bits.
Register emit_sign_bit(Emitter& emitter, Register a, ElementType element, bool negate) {
  const bool wide = element == ElementType::f64;
  const std::string opcode = fmt::format("{}.{}", negate ? "xor" : "and", wide ? "b64" : "b32");
  const Operand mask = negate ? (wide ? "0x8000000000000000" : "0x80000000")
                              : (wide ? "0x7fffffffffffffff" : "0x7fffffff");
  return emitter.writer().value(class_of(element), opcode, {a, mask});
}

Status emit_neg(Emitter& emitter, const choir::Operation& operation) {
  const ElementType element = element_of_result(operation);
  const Register a = emitter.scalar(operation.operand(0));
  if (is_float(element) && emitter.exact()) {
    emitter.define(operation.result(), emit_sign_bit(emitter, a, element, true));
    return {};
  }
  const std::string_view type = is_float(element)                         ? arithmetic_type(element)
                                : class_of(element) == RegisterClass::b64 ? "s64"
                                                                          : "s32";
  const Register result =
      emitter.writer().value(class_of(element), fmt::format("neg.{}", type), {a});
  emitter.define(operation.result(), emitter.normalized(result, element));
  return {};
}

Status emit_abs(Emitter& emitter, const choir::Operation& operation) {
  const ElementType element = element_of_result(operation);
  const Register a = emitter.scalar(operation.operand(0));
  PtxWriter& writer = emitter.writer();
  const std::string_view type = arithmetic_type(element);
  if (is_float(element)) {
    emitter.define(operation.result(),
                   emitter.exact()
                       ? emit_sign_bit(emitter, a, element, false)
                       : writer.value(class_of(element), fmt::format("abs.{}", type), {a}));
  } else if (!is_signed(element)) {
    emitter.define(operation.result(), a);
  } else {  // max(a, -a): MIN stays MIN, which PTX does not promise for abs
    const Register negated = writer.value(class_of(element), fmt::format("neg.{}", type), {a});
    const Register result =
        writer.value(class_of(element), fmt::format("max.{}", type), {a, negated});
    emitter.define(operation.result(), emitter.normalized(result, element));
  }
  return {};
}

constexpr OperationEntry table[] = {
    {kernel::op::add, emit_add}, {kernel::op::sub, emit_sub}, {kernel::op::mul, emit_mul},
    {kernel::op::div, emit_div}, {kernel::op::rem, emit_rem}, {kernel::op::min, emit_min},
    {kernel::op::max, emit_max}, {kernel::op::fma, emit_fma}, {kernel::op::neg, emit_neg},
    {kernel::op::abs, emit_abs},
};

}  // namespace

std::span<const OperationEntry> arithmetic_operations() { return table; }

Register emit_minimum_or_maximum(Emitter& emitter, std::string_view opcode, Register a, Register b,
                                 ElementType element) {
  PtxWriter& writer = emitter.writer();
  const std::string_view type = arithmetic_type(element);
  const RegisterClass kind = class_of(element);
  if (!is_float(element)) return writer.value(kind, fmt::format("{}.{}", opcode, type), {a, b});
  if (element == ElementType::f32 && emitter.compute_capability() >= 80) {
    writer.require_version(70);
    return writer.value(kind, fmt::format("{}.NaN.f32", opcode), {a, b});
  }
  // The plain instruction returns the number when one operand is NaN.
  const Register number = writer.value(kind, fmt::format("{}.{}", opcode, type), {a, b});
  const Register unordered =
      writer.value(RegisterClass::predicate, fmt::format("setp.nan.{}", type), {a, b});
  const Operand nan = element == ElementType::f32 ? float_immediate(0x7fffffffU)
                                                  : double_immediate(0x7fffffffffffffffU);
  return writer.value(kind, fmt::format("selp.{}", type), {nan, number, unordered});
}

}  // namespace accy::cuda
