// exp, log, sqrt and the roundings; legalize expands the other functions.
#include <fmt/format.h>

#include "targets/cuda/emit/emitter.hpp"

namespace accy::cuda {

namespace {

constexpr RegisterClass f32 = RegisterClass::f32;
constexpr RegisterClass predicate = RegisterClass::predicate;

// log2(e) as a sum of two f32, and ln(2) in f32.
constexpr std::uint32_t log2_e_high = 0x3fb8aa3bU;
constexpr std::uint32_t log2_e_low = 0x32a57060U;
constexpr std::uint32_t ln_2 = 0x3f317218U;

ElementType element_of_result(const choir::Operation& operation) {
  return kernel::element_of(operation.result()->type());
}

Status require_f32(const choir::Operation& operation) {
  if (element_of_result(operation) == ElementType::f32) return {};
  return unsupported(operation, fmt::format("{} of {} has no PTX form (f32 only)", operation.name(),
                                            to_string(element_of_result(operation))));
}

/// 2^(x log2 e) with the product in two parts: the high part goes through ex2, the rest enters as
/// the factor 1 + rest ln 2, so that the error does not grow with x. Beyond |x| = 128 the result
/// is 0, infinite or NaN by the high part alone.
Status emit_exp(Emitter& emitter, const choir::Operation& operation) {
  ACCY_TRY(require_f32(operation));
  PtxWriter& writer = emitter.writer();
  const Register x = emitter.scalar(operation.operand(0));
  const Operand high_factor = float_immediate(log2_e_high);
  const Register high = writer.value(f32, "mul.rn.f32", {x, high_factor});
  const Register negated = writer.value(f32, "neg.f32", {high});
  const Register error = writer.value(f32, "fma.rn.f32", {x, high_factor, negated});
  const Register rest = writer.value(f32, "fma.rn.f32", {x, float_immediate(log2_e_low), error});
  const Register magnitude = writer.value(f32, "abs.f32", {x});
  const Register finite =
      writer.value(predicate, "setp.lt.f32", {magnitude, float_immediate(0x43000000U)});
  const Register kept = writer.value(f32, "selp.f32", {rest, float_immediate(0), finite});
  const Register factor =
      writer.value(f32, "fma.rn.f32", {kept, float_immediate(ln_2), float_immediate(0x3f800000U)});
  const Register power = writer.value(f32, "ex2.approx.f32", {high});
  emitter.define(operation.result(), writer.value(f32, "mul.rn.f32", {power, factor}));
  return {};
}

Status emit_log(Emitter& emitter, const choir::Operation& operation) {
  ACCY_TRY(require_f32(operation));
  PtxWriter& writer = emitter.writer();
  const Register binary =
      writer.value(f32, "lg2.approx.f32", {emitter.scalar(operation.operand(0))});
  emitter.define(operation.result(),
                 writer.value(f32, "mul.rn.f32", {binary, float_immediate(ln_2)}));
  return {};
}

void emit_unary(Emitter& emitter, const choir::Operation& operation, std::string_view opcode) {
  emitter.define(operation.result(),
                 emitter.writer().value(class_of(element_of_result(operation)), opcode,
                                        {emitter.scalar(operation.operand(0))}));
}

Status emit_sqrt(Emitter& emitter, const choir::Operation& operation) {
  emit_unary(emitter, operation,
             fmt::format("sqrt.rn.{}", arithmetic_type(element_of_result(operation))));
  return {};
}

Status emit_round(Emitter& emitter, const choir::Operation& operation, std::string_view rounding) {
  const std::string_view type = arithmetic_type(element_of_result(operation));
  emit_unary(emitter, operation, fmt::format("cvt.{}.{}.{}", rounding, type, type));
  return {};
}

Status emit_floor(Emitter& emitter, const choir::Operation& operation) {
  return emit_round(emitter, operation, "rmi");
}

Status emit_ceil(Emitter& emitter, const choir::Operation& operation) {
  return emit_round(emitter, operation, "rpi");
}

Status emit_nearest(Emitter& emitter, const choir::Operation& operation) {
  return emit_round(emitter, operation, "rni");
}

Status emit_trunc(Emitter& emitter, const choir::Operation& operation) {
  return emit_round(emitter, operation, "rzi");
}

constexpr OperationEntry table[] = {
    {kernel::op::exp, emit_exp},     {kernel::op::log, emit_log},
    {kernel::op::sqrt, emit_sqrt},   {kernel::op::floor, emit_floor},
    {kernel::op::ceil, emit_ceil},   {kernel::op::round, emit_nearest},
    {kernel::op::trunc, emit_trunc},
};

}  // namespace

std::span<const OperationEntry> math_operations() { return table; }

}  // namespace accy::cuda
