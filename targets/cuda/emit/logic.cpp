// and, or, xor, not, shl, shr, compare, select.
#include <fmt/format.h>

#include "targets/cuda/emit/emitter.hpp"

namespace accy::cuda {

namespace {

ElementType element_of_operand(const choir::Operation& operation, std::size_t index) {
  return kernel::element_of(operation.operand(index)->type());
}

Status emit_bitwise(Emitter& emitter, const choir::Operation& operation, std::string_view opcode) {
  const ElementType element = element_of_operand(operation, 0);
  emitter.define(operation.result(),
                 emitter.writer().value(
                     class_of(element), fmt::format("{}.{}", opcode, bits_type(element)),
                     {emitter.scalar(operation.operand(0)), emitter.scalar(operation.operand(1))}));
  return {};
}

Status emit_and(Emitter& emitter, const choir::Operation& operation) {
  return emit_bitwise(emitter, operation, "and");
}

Status emit_or(Emitter& emitter, const choir::Operation& operation) {
  return emit_bitwise(emitter, operation, "or");
}

Status emit_xor(Emitter& emitter, const choir::Operation& operation) {
  return emit_bitwise(emitter, operation, "xor");
}

Status emit_not(Emitter& emitter, const choir::Operation& operation) {
  const ElementType element = element_of_operand(operation, 0);
  const Register result =
      emitter.writer().value(class_of(element), fmt::format("not.{}", bits_type(element)),
                             {emitter.scalar(operation.operand(0))});
  emitter.define(operation.result(), emitter.normalized(result, element));
  return {};
}

/// The amount as a 32-bit register. PTX clamps an amount above the width; a 64-bit one is brought
/// into 32 bits first without losing that it is too large. A negative small amount is extended by
/// its sign, hence too large as well.
Register shift_amount(Emitter& emitter, const choir::Operation& operation) {
  PtxWriter& writer = emitter.writer();
  const Register amount = emitter.scalar(operation.operand(1));
  if (amount.kind != RegisterClass::b64) return amount;
  const Register clamped = writer.value(RegisterClass::b64, "min.u64", {amount, 64});
  return writer.value(RegisterClass::b32, "cvt.u32.u64", {clamped});
}

Status emit_shl(Emitter& emitter, const choir::Operation& operation) {
  const ElementType element = element_of_operand(operation, 0);
  const Register amount = shift_amount(emitter, operation);
  const Register result =
      emitter.writer().value(class_of(element), fmt::format("shl.{}", bits_type(element)),
                             {emitter.scalar(operation.operand(0)), amount});
  emitter.define(operation.result(), emitter.normalized(result, element));
  return {};
}

Status emit_shr(Emitter& emitter, const choir::Operation& operation) {
  const ElementType element = element_of_operand(operation, 0);
  const Register amount = shift_amount(emitter, operation);
  emitter.define(operation.result(),
                 emitter.writer().value(class_of(element),
                                        fmt::format("shr.{}", arithmetic_type(element)),
                                        {emitter.scalar(operation.operand(0)), amount}));
  return {};
}

std::string_view comparison(kernel::Predicate predicate, bool floating) {
  switch (predicate) {
    case kernel::Predicate::eq: return "eq";
    case kernel::Predicate::ne: return floating ? "neu" : "ne";  // a NaN is unequal
    case kernel::Predicate::lt: return "lt";
    case kernel::Predicate::le: return "le";
    case kernel::Predicate::gt: return "gt";
    case kernel::Predicate::ge: return "ge";
  }
  return "eq";
}

Status emit_compare(Emitter& emitter, const choir::Operation& operation) {
  PtxWriter& writer = emitter.writer();
  const ElementType element = element_of_operand(operation, 0);
  const kernel::Predicate predicate = kernel::predicate(operation);
  const Register a = emitter.scalar(operation.operand(0));
  const Register b = emitter.scalar(operation.operand(1));
  Register result;
  if (element == ElementType::boolean) {
    result = writer.value(RegisterClass::predicate, "xor.pred", {a, b});
    if (predicate == kernel::Predicate::eq)
      result = writer.value(RegisterClass::predicate, "not.pred", {result});
  } else {
    result = writer.value(RegisterClass::predicate,
                          fmt::format("setp.{}.{}", comparison(predicate, is_float(element)),
                                      arithmetic_type(element)),
                          {a, b});
  }
  emitter.define(operation.result(), result);
  return {};
}

/// selp takes no predicate operands.
Register select_predicate(PtxWriter& writer, Register condition, Register a, Register b) {
  const Register taken = writer.value(RegisterClass::predicate, "and.pred", {condition, a});
  const Register inverse = writer.value(RegisterClass::predicate, "not.pred", {condition});
  const Register other = writer.value(RegisterClass::predicate, "and.pred", {inverse, b});
  return writer.value(RegisterClass::predicate, "or.pred", {taken, other});
}

Status emit_select(Emitter& emitter, const choir::Operation& operation) {
  PtxWriter& writer = emitter.writer();
  const ElementType element = kernel::element_of(operation.result()->type());
  const Register condition = emitter.scalar(operation.operand(0));
  const Register a = emitter.scalar(operation.operand(1));
  const Register b = emitter.scalar(operation.operand(2));
  if (element == ElementType::boolean) {
    emitter.define(operation.result(), select_predicate(writer, condition, a, b));
    return {};
  }
  const RegisterClass kind = class_of(element);
  const std::string_view type = kind == RegisterClass::f32 || kind == RegisterClass::f64
                                    ? arithmetic_type(element)
                                    : bits_type(element);
  emitter.define(operation.result(),
                 writer.value(kind, fmt::format("selp.{}", type), {a, b, condition}));
  return {};
}

constexpr OperationEntry table[] = {
    {kernel::op::and_op, emit_and},      {kernel::op::or_op, emit_or},
    {kernel::op::xor_op, emit_xor},      {kernel::op::not_op, emit_not},
    {kernel::op::shl, emit_shl},         {kernel::op::shr, emit_shr},
    {kernel::op::compare, emit_compare}, {kernel::op::select, emit_select},
};

}  // namespace

std::span<const OperationEntry> logic_operations() { return table; }

}  // namespace accy::cuda
