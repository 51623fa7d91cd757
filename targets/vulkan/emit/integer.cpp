// Integer division and shifts, guarded where SPIR-V leaves the result undefined.
#include <array>

#include "targets/vulkan/emit/emitter.hpp"

namespace accy::vulkan {

namespace {

using choir::Operation;

/// Unsigned quotient or remainder where a divisor of zero gives quotient 0 and remainder a.
Id divide_guarded(Emitter& emitter, std::uint32_t width, Id a, Id b, bool remainder) {
  WordMath math(emitter, width);
  const Id by_zero = math.equal(b, math.constant(0));
  const Id divisor = math.select(by_zero, math.constant(1), b);
  const Id result = math.binary(remainder ? spv::Op::OpUMod : spv::Op::OpUDiv, a, divisor);
  return math.select(by_zero, remainder ? a : math.constant(0), result);
}

template <bool Remainder>
Status emit_division(Emitter& emitter, const Operation& operation) {
  const ElementType element = kernel::element_of(operation.operand(0)->type());
  ModuleBuilder& builder = emitter.builder();
  const Id a = emitter.operand(operation, 0);
  const Id b = emitter.operand(operation, 1);
  if (is_float(element)) {
    if (Remainder)
      return fail(ErrorCode::internal, "a float remainder reaches the vulkan emitter",
                  operation.location().first(), std::string(operation.name()));
    emitter.bind(operation.result(),
                 builder.emit(spv::Op::OpFDiv, emitter.type(element), {a, b}));
    return {};
  }
  const std::uint32_t width = emitter.width(element);
  WordMath math(emitter, width);
  if (kernel::is_index_math(operation)) {
    emitter.bind(operation.result(),
                 math.binary(Remainder ? spv::Op::OpUMod : spv::Op::OpUDiv, a, b));
    return {};
  }
  if (!is_signed(element)) {
    emitter.bind(operation.result(), divide_guarded(emitter, width, a, b, Remainder));
    return {};
  }
  // By magnitudes: that of the least value is right as an unsigned number.
  const Id zero = math.constant(0);
  const Id a_negative = math.less_signed(a, zero);
  const Id b_negative = math.less_signed(b, zero);
  const Id a_magnitude = math.select(a_negative, math.neg(a), a);
  const Id b_magnitude = math.select(b_negative, math.neg(b), b);
  const Id magnitude = divide_guarded(emitter, width, a_magnitude, b_magnitude, Remainder);
  const Id negative =
      Remainder ? a_negative : math.test(spv::Op::OpLogicalNotEqual, a_negative, b_negative);
  emitter.bind(operation.result(), math.select(negative, math.neg(magnitude), magnitude));
  return {};
}

Status emit_shl(Emitter& emitter, const Operation& operation) {
  const std::uint32_t width = emitter.width(kernel::element_of(operation.operand(0)->type()));
  WordMath math(emitter, width);
  const Id count = emitter.operand(operation, 1);
  const Id in_range = math.less(count, math.constant(width));
  const Id shifted = math.shl(emitter.operand(operation, 0),
                              math.bit_and(count, math.constant(width - 1)));
  emitter.bind(operation.result(), math.select(in_range, shifted, math.constant(0)));
  return {};
}

Status emit_shr(Emitter& emitter, const Operation& operation) {
  const ElementType element = kernel::element_of(operation.operand(0)->type());
  const std::uint32_t width = emitter.width(element);
  WordMath math(emitter, width);
  const Id value = emitter.operand(operation, 0);
  const Id count = emitter.operand(operation, 1);
  const Id in_range = math.less(count, math.constant(width));
  const Id last = math.constant(width - 1);
  if (is_signed(element)) {
    emitter.bind(operation.result(), math.sar(value, math.select(in_range, count, last)));
  } else {
    const Id shifted = math.shr(value, math.bit_and(count, last));
    emitter.bind(operation.result(), math.select(in_range, shifted, math.constant(0)));
  }
  return {};
}

constexpr std::array rules{
    OpRule{kernel::op::div, emit_division<false>},
    OpRule{kernel::op::rem, emit_division<true>},
    OpRule{kernel::op::shl, emit_shl},
    OpRule{kernel::op::shr, emit_shr},
};

}  // namespace

std::span<const OpRule> integer_rules() { return rules; }

}  // namespace accy::vulkan
