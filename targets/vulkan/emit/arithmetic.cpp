// Arithmetic, comparison, selection and bits of every type; integer division and shifts have a
// file of their own.
#include <array>

#include "targets/vulkan/emit/emitter.hpp"

namespace accy::vulkan {

namespace {

using choir::Operation;
using kernel::Predicate;

ElementType operand_element(const Operation& operation, std::size_t index = 0) {
  return kernel::element_of(operation.operand(index)->type());
}

/// Bits of a float but its sign, and the bits of infinity.
struct FloatBits {
  std::uint64_t magnitude;
  std::uint64_t infinity;
};

FloatBits float_bits(ElementType element) {
  if (element == ElementType::f64) return {0x7fffffffffffffffU, 0x7ff0000000000000U};
  return {0x7fffffffU, 0x7f800000U};
}

template <spv::Op Float, spv::Op Integer>
Status emit_binary(Emitter& emitter, const Operation& operation) {
  const ElementType element = operand_element(operation);
  const Id result = emitter.builder().emit(
      is_float(element) ? Float : Integer, emitter.type(element),
      {emitter.operand(operation, 0), emitter.operand(operation, 1)});
  emitter.bind(operation.result(), is_float(element) ? emitter.precise(result) : result);
  return {};
}

template <spv::Op Logical, spv::Op Bitwise>
Status emit_logical(Emitter& emitter, const Operation& operation) {
  const ElementType element = operand_element(operation);
  emitter.bind(operation.result(),
               emitter.builder().emit(
                   element == ElementType::boolean ? Logical : Bitwise, emitter.type(element),
                   {emitter.operand(operation, 0), emitter.operand(operation, 1)}));
  return {};
}

Status emit_not(Emitter& emitter, const Operation& operation) {
  const ElementType element = operand_element(operation);
  emitter.bind(operation.result(),
               emitter.builder().emit(
                   element == ElementType::boolean ? spv::Op::OpLogicalNot : spv::Op::OpNot,
                   emitter.type(element), {emitter.operand(operation, 0)}));
  return {};
}

/// Applies an operation to a float's bits and gives the float back.
template <class Change>
Id with_bits(Emitter& emitter, ElementType element, Id value, const Change& change) {
  WordMath math(emitter, emitter.width(element));
  const Id changed = change(math, math.bits(value));
  return emitter.builder().emit(spv::Op::OpBitcast, emitter.type(element), {changed});
}

Status emit_neg(Emitter& emitter, const Operation& operation) {
  const ElementType element = operand_element(operation);
  const Id value = emitter.operand(operation, 0);
  Id result = 0;
  if (!is_float(element)) {
    result = WordMath(emitter, emitter.width(element)).neg(value);
  } else if (!emitter.exact()) {
    result = emitter.builder().emit(spv::Op::OpFNegate, emitter.type(element), {value});
  } else {
    const std::uint64_t sign = float_bits(element).magnitude + 1;
    result = with_bits(emitter, element, value, [&](WordMath& math, Id bits) {
      return math.bit_xor(bits, math.constant(sign));
    });
  }
  emitter.bind(operation.result(), result);
  return {};
}

Status emit_abs(Emitter& emitter, const Operation& operation) {
  const ElementType element = operand_element(operation);
  const Id value = emitter.operand(operation, 0);
  WordMath math(emitter, emitter.width(element));
  if (is_float(element)) {
    const std::uint64_t magnitude = float_bits(element).magnitude;
    emitter.bind(operation.result(),
                 with_bits(emitter, element, value, [&](WordMath& words, Id bits) {
                   return words.bit_and(bits, words.constant(magnitude));
                 }));
  } else if (is_signed(element)) {
    const Id negative = math.less_signed(value, math.constant(0));
    emitter.bind(operation.result(), math.select(negative, math.neg(value), value));
  } else {
    emitter.bind(operation.result(), value);
  }
  return {};
}

/// min and max with -0 below +0 and NaN if either is, by integers that order as the floats do.
Id exact_minimum_or_maximum(Emitter& emitter, ElementType element, bool minimum, Id a, Id b) {
  WordMath math(emitter, emitter.width(element));
  const Id magnitude = math.constant(float_bits(element).magnitude);
  const Id sign_shift = math.constant(emitter.width(element) - 1);
  const auto key = [&](Id value) {
    const Id bits = math.bits(value);
    return math.bit_xor(bits, math.bit_and(math.sar(bits, sign_shift), magnitude));
  };
  const Id key_a = key(a);
  const Id key_b = key(b);
  const Id takes_a = minimum ? math.less_signed(key_a, key_b) : math.less_signed(key_b, key_a);
  ModuleBuilder& builder = emitter.builder();
  const Id type = emitter.type(element);
  const Id ordered = builder.emit(spv::Op::OpSelect, type, {takes_a, a, b});
  const Id b_or_better =
      builder.emit(spv::Op::OpSelect, type, {is_nan(emitter, element, b), b, ordered});
  return builder.emit(spv::Op::OpSelect, type, {is_nan(emitter, element, a), a, b_or_better});
}

template <bool Minimum>
Status emit_minimum_or_maximum(Emitter& emitter, const Operation& operation) {
  emitter.bind(operation.result(),
               minimum_or_maximum(emitter, operand_element(operation), Minimum,
                                  emitter.operand(operation, 0), emitter.operand(operation, 1)));
  return {};
}

spv::Op integer_comparison(Predicate predicate, bool with_sign) {
  switch (predicate) {
    case Predicate::eq: return spv::Op::OpIEqual;
    case Predicate::ne: return spv::Op::OpINotEqual;
    case Predicate::lt: return with_sign ? spv::Op::OpSLessThan : spv::Op::OpULessThan;
    case Predicate::le: return with_sign ? spv::Op::OpSLessThanEqual : spv::Op::OpULessThanEqual;
    case Predicate::gt: return with_sign ? spv::Op::OpSGreaterThan : spv::Op::OpUGreaterThan;
    case Predicate::ge: break;
  }
  return with_sign ? spv::Op::OpSGreaterThanEqual : spv::Op::OpUGreaterThanEqual;
}

spv::Op float_comparison(Predicate predicate) {
  switch (predicate) {
    case Predicate::eq: return spv::Op::OpFOrdEqual;
    case Predicate::ne: return spv::Op::OpFUnordNotEqual;
    case Predicate::lt: return spv::Op::OpFOrdLessThan;
    case Predicate::le: return spv::Op::OpFOrdLessThanEqual;
    case Predicate::gt: return spv::Op::OpFOrdGreaterThan;
    case Predicate::ge: break;
  }
  return spv::Op::OpFOrdGreaterThanEqual;
}

Status emit_compare(Emitter& emitter, const Operation& operation) {
  const ElementType element = operand_element(operation);
  const Predicate predicate = kernel::predicate(operation);
  const Id a = emitter.operand(operation, 0);
  const Id b = emitter.operand(operation, 1);
  if (is_float(element)) {
    emitter.bind(operation.result(), compare_floats(emitter, element, predicate, a, b));
    return {};
  }
  const spv::Op op = element != ElementType::boolean
                         ? integer_comparison(predicate, is_signed(element))
                     : predicate == Predicate::eq ? spv::Op::OpLogicalEqual
                                                  : spv::Op::OpLogicalNotEqual;
  emitter.bind(operation.result(), WordMath(emitter).test(op, a, b));
  return {};
}

Status emit_select(Emitter& emitter, const Operation& operation) {
  const ElementType element = operand_element(operation, 1);
  emitter.bind(operation.result(),
               emitter.builder().emit(spv::Op::OpSelect, emitter.type(element),
                                      {emitter.operand(operation, 0),
                                       emitter.operand(operation, 1),
                                       emitter.operand(operation, 2)}));
  return {};
}

constexpr std::array rules{
    OpRule{kernel::op::add, emit_binary<spv::Op::OpFAdd, spv::Op::OpIAdd>},
    OpRule{kernel::op::sub, emit_binary<spv::Op::OpFSub, spv::Op::OpISub>},
    OpRule{kernel::op::mul, emit_binary<spv::Op::OpFMul, spv::Op::OpIMul>},
    OpRule{kernel::op::min, emit_minimum_or_maximum<true>},
    OpRule{kernel::op::max, emit_minimum_or_maximum<false>},
    OpRule{kernel::op::neg, emit_neg},
    OpRule{kernel::op::abs, emit_abs},
    OpRule{kernel::op::and_op, emit_logical<spv::Op::OpLogicalAnd, spv::Op::OpBitwiseAnd>},
    OpRule{kernel::op::or_op, emit_logical<spv::Op::OpLogicalOr, spv::Op::OpBitwiseOr>},
    OpRule{kernel::op::xor_op, emit_logical<spv::Op::OpLogicalNotEqual, spv::Op::OpBitwiseXor>},
    OpRule{kernel::op::not_op, emit_not},
    OpRule{kernel::op::compare, emit_compare},
    OpRule{kernel::op::select, emit_select},
};

}  // namespace

std::span<const OpRule> arithmetic_rules() { return rules; }

Id is_nan(Emitter& emitter, ElementType element, Id value) {
  const FloatBits bits = float_bits(element);
  WordMath math(emitter, emitter.width(element));
  const Id magnitude = math.bit_and(math.bits(value), math.constant(bits.magnitude));
  return math.less(math.constant(bits.infinity), magnitude);
}

Id compare_floats(Emitter& emitter, ElementType element, Predicate predicate, Id a, Id b) {
  WordMath math(emitter, emitter.width(element));
  const Id result = math.test(float_comparison(predicate), a, b);
  if (emitter.profile().read(&TargetProfile::signed_zero_inf_nan_f32)) return result;
  // Without the execution mode the device may assume that there is no NaN.
  const Id unordered =
      math.either(is_nan(emitter, element, a), is_nan(emitter, element, b));
  return predicate == Predicate::ne ? math.either(result, unordered)
                                    : math.both(result, math.invert(unordered));
}

Id minimum_or_maximum(Emitter& emitter, ElementType element, bool minimum, Id a, Id b) {
  ModuleBuilder& builder = emitter.builder();
  if (!is_float(element)) {
    const Predicate predicate = minimum ? Predicate::lt : Predicate::gt;
    WordMath math(emitter, emitter.width(element));
    return math.select(
        math.test(integer_comparison(predicate, is_signed(element)), a, b), a, b);
  }
  if (emitter.exact()) return exact_minimum_or_maximum(emitter, element, minimum, a, b);
  // A NaN in b makes the comparison false and b is taken; one in a is taken by the test.
  WordMath math(emitter, emitter.width(element));
  const Id first = compare_floats(emitter, element, minimum ? Predicate::lt : Predicate::gt, a, b);
  const Id takes_a = math.either(first, is_nan(emitter, element, a));
  return builder.emit(spv::Op::OpSelect, emitter.type(element), {takes_a, a, b});
}

}  // namespace accy::vulkan
