// Conversions by value and by bits, and between stored and computed elements.
#include <algorithm>
#include <array>

#include "targets/vulkan/emit/narrow_float.hpp"

namespace accy::vulkan {

namespace {

using choir::Operation;
using kernel::Predicate;

bool is_narrow_float(ElementType element) {
  return element == ElementType::f16 || element == ElementType::bf16;
}

/// An integer value in another width, extended by the source's sign.
Id resize_integer(Emitter& emitter, ElementType from, std::uint32_t width, Id value) {
  if (emitter.width(from) == width) return value;
  if (width == 64) emitter.builder().capability(spv::Capability::Int64);
  return emitter.builder().emit(
      is_signed(from) ? spv::Op::OpSConvert : spv::Op::OpUConvert,
      emitter.builder().int_type(width), {value});
}

/// Bits of f32 or f64 for a power of two.
std::uint64_t power_of_two(ElementType element, std::uint32_t exponent) {
  return element == ElementType::f64 ? std::uint64_t{1023 + exponent} << 52U
                                     : std::uint64_t{127 + exponent} << 23U;
}

/// f32 or f64 to an integer: truncates, saturates, NaN gives 0. Only values that fit are given to
/// the instruction, which leaves the others undefined.
Id integer_from_float(Emitter& emitter, ElementType from, ElementType to, Id value) {
  ModuleBuilder& builder = emitter.builder();
  const std::uint32_t width = emitter.width(to) == 64 ? 64 : 32;
  WordMath math(emitter, width);
  const bool with_sign = is_signed(to);
  const std::uint32_t value_bits = emitter.width(to) - (with_sign ? 1 : 0);
  const std::uint64_t most = value_bits == 64 ? ~std::uint64_t{0}
                                              : (std::uint64_t{1} << value_bits) - 1;
  const std::uint64_t sign = from == ElementType::f64 ? 0x8000000000000000U : 0x80000000U;
  const Id type = emitter.type(from);
  const auto constant = [&](std::uint64_t bits) {
    return builder.float_constant(emitter.width(from), bits);
  };
  const std::uint64_t above = power_of_two(from, value_bits);
  const Id one = constant(power_of_two(from, 0));
  const Id at_top = compare_floats(emitter, from, Predicate::ge, value, constant(above));
  const Id below_top = compare_floats(emitter, from, Predicate::lt, value, constant(above));
  // A signed range is closed below at -2^n; an unsigned result below 1 is 0 anyhow.
  const Id low = with_sign ? constant(above | sign) : one;
  const Id at_least = compare_floats(emitter, from, Predicate::ge, value, low);
  const Id fits = math.both(below_top, at_least);
  const Id safe = builder.emit(spv::Op::OpSelect, type, {fits, value, one});
  const Id converted = builder.emit(
      with_sign ? spv::Op::OpConvertFToS : spv::Op::OpConvertFToU, math.type(), {safe});
  Id outside = math.constant(0);
  if (with_sign) {
    const Id below = compare_floats(emitter, from, Predicate::lt, value, low);
    outside = math.select(below, math.constant(~most & (width == 64 ? ~std::uint64_t{0}
                                                                    : 0xffffffffU)),
                          outside);
  }
  outside = math.select(at_top, math.constant(most), outside);
  const Id result = math.select(fits, converted, outside);
  if (emitter.width(to) >= 32) return result;
  return builder.emit(spv::Op::OpUConvert, emitter.type(to), {result});
}

/// Whether f32 or f64 differs from zero, by its bits, as a device may flush subnormals.
Id float_is_nonzero(Emitter& emitter, ElementType from, Id value) {
  WordMath math(emitter, emitter.width(from));
  const std::uint64_t mask =
      from == ElementType::f64 ? 0x7fffffffffffffffU : std::uint64_t{0x7fffffffU};
  const Id magnitude = math.bit_and(math.bits(value), math.constant(mask));
  return math.test(spv::Op::OpINotEqual, magnitude, math.constant(0));
}

/// f32 or f64 from an integer that is not wider than 32 bits, or any where `to` is not narrow.
Id float_from_integer(Emitter& emitter, ElementType from, ElementType to, Id value) {
  const std::uint32_t width = std::max(emitter.width(from), 32U);
  const Id wide = resize_integer(emitter, from, width, value);
  const spv::Op op = is_signed(from) ? spv::Op::OpConvertSToF : spv::Op::OpConvertUToF;
  return emitter.opaque(to, emitter.builder().emit(op, emitter.type(to), {wide}));
}

/// The low bits of an integer above 2^24 folded into one: f32 holds the result exactly, and its
/// rounding to a narrow float is that of the integer.
Id fold_for_narrow(Emitter& emitter, ElementType from, Id value) {
  const std::uint32_t width = std::max(emitter.width(from), 32U);
  WordMath math(emitter, width);
  const Id wide = resize_integer(emitter, from, width, value);
  const Id zero = math.constant(0);
  const Id negative = is_signed(from) ? math.less_signed(wide, zero) : Id{0};
  Id magnitude = is_signed(from) ? math.select(negative, math.neg(wide), wide) : wide;
  for (std::uint32_t top = width; top > 24; top -= 12) {
    const std::uint32_t lowest = top - 24;  // the bit that stands for all below it
    const std::uint64_t mask = (std::uint64_t{1} << (lowest + 1)) - 1;
    const Id low = math.bit_and(magnitude, math.constant(mask));
    const Id sticky = math.select(math.equal(low, zero), zero,
                                  math.constant(std::uint64_t{1} << lowest));
    const Id folded = math.bit_or(
        math.bit_and(magnitude, math.constant(~mask & (width == 64 ? ~std::uint64_t{0}
                                                                   : 0xffffffffU))),
        sticky);
    const Id applies = math.test(spv::Op::OpUGreaterThanEqual, magnitude,
                                 math.constant(std::uint64_t{1} << std::min(top - 12, 63U)));
    magnitude = math.select(applies, folded, magnitude);
  }
  return is_signed(from) ? math.select(negative, math.neg(magnitude), magnitude) : magnitude;
}

Id narrow_from_f32(Emitter& emitter, ElementType to, Id value) {
  ModuleBuilder& builder = emitter.builder();
  if (to == ElementType::f16 && !emitter.half_as_bits())
    return builder.emit(spv::Op::OpFConvert, emitter.type(to), {value});
  const Id bits = to == ElementType::bf16 ? bfloat16_bits_from_f32(emitter, value)
                                          : half_bits_from_f32(emitter, value);
  return builder.emit(spv::Op::OpUConvert, emitter.type(to), {bits});
}

Id f32_from_narrow(Emitter& emitter, ElementType from, Id value) {
  ModuleBuilder& builder = emitter.builder();
  if (from == ElementType::f16 && !emitter.half_as_bits())
    return builder.emit(spv::Op::OpFConvert, emitter.type(ElementType::f32), {value});
  const Id bits = builder.emit(spv::Op::OpUConvert, builder.int_type(32), {value});
  return from == ElementType::bf16 ? f32_from_bfloat16_bits(emitter, bits)
                                   : f32_from_half_bits(emitter, bits);
}

Id convert(Emitter& emitter, ElementType from, ElementType to, Id value);

Id convert_to_narrow(Emitter& emitter, ElementType from, ElementType to, Id value) {
  Id single = value;
  if (from == ElementType::f64) {
    single = f32_to_odd_from_f64(emitter, value);
  } else if (is_integer(from)) {
    const ElementType wide = emitter.width(from) == 64
                                 ? from
                                 : (is_signed(from) ? ElementType::i32 : ElementType::u32);
    single = float_from_integer(emitter, wide, ElementType::f32,
                                fold_for_narrow(emitter, from, value));
  } else {
    single = convert(emitter, from, ElementType::f32, value);
  }
  return narrow_from_f32(emitter, to, single);
}

Id convert_from_bool(Emitter& emitter, ElementType to, Id value) {
  ModuleBuilder& builder = emitter.builder();
  WordMath math(emitter);
  const Id word = math.select(value, math.constant(1), math.constant(0));
  if (is_float(to))
    return emitter.opaque(to, builder.emit(spv::Op::OpConvertUToF, emitter.type(to), {word}));
  return resize_integer(emitter, ElementType::u32, emitter.width(to), word);
}

Id convert_to_bool(Emitter& emitter, ElementType from, Id value) {
  if (is_float(from)) return float_is_nonzero(emitter, from, value);
  const std::uint32_t width = std::max(emitter.width(from), 32U);
  WordMath math(emitter, width);
  return math.test(spv::Op::OpINotEqual, resize_integer(emitter, from, width, value),
                   math.constant(0));
}

Id convert(Emitter& emitter, ElementType from, ElementType to, Id value) {
  if (from == to) return value;
  if (is_narrow_float(from))
    return convert(emitter, ElementType::f32, to, f32_from_narrow(emitter, from, value));
  if (is_narrow_float(to)) return convert_to_narrow(emitter, from, to, value);
  if (from == ElementType::boolean) return convert_from_bool(emitter, to, value);
  if (to == ElementType::boolean) return convert_to_bool(emitter, from, value);
  if (is_float(from) && is_float(to))
    return emitter.builder().emit(spv::Op::OpFConvert, emitter.type(to), {value});
  if (is_float(from)) return integer_from_float(emitter, from, to, value);
  if (is_float(to)) return float_from_integer(emitter, from, to, value);
  return resize_integer(emitter, from, emitter.width(to), value);
}

Status emit_cast(Emitter& emitter, const Operation& operation) {
  const ElementType from = kernel::element_of(operation.operand(0)->type());
  const ElementType to = kernel::element_of(operation.result()->type());
  emitter.type(to);  // declares the capability
  emitter.bind(operation.result(), convert(emitter, from, to, emitter.operand(operation, 0)));
  return {};
}

Status emit_bitcast(Emitter& emitter, const Operation& operation) {
  const ElementType from = kernel::element_of(operation.operand(0)->type());
  const ElementType to = kernel::element_of(operation.result()->type());
  Id value = emitter.operand(operation, 0);
  if (is_float(from) != is_float(to))
    value = emitter.builder().emit(spv::Op::OpBitcast, emitter.type(to), {value});
  emitter.bind(operation.result(),
               is_float(to) && !is_float(from) ? emitter.opaque(to, value) : value);
  return {};
}

constexpr std::array rules{
    OpRule{kernel::op::cast, emit_cast},
    OpRule{kernel::op::bitcast, emit_bitcast},
};

}  // namespace

std::span<const OpRule> conversion_rules() { return rules; }

Id from_stored(Emitter& emitter, ElementType element, Id stored) {
  if (element != ElementType::boolean) return stored;
  return convert_to_bool(emitter, ElementType::u8, stored);
}

Id to_stored(Emitter& emitter, ElementType element, Id value) {
  if (element != ElementType::boolean) return value;
  return convert_from_bool(emitter, ElementType::u8, value);
}

}  // namespace accy::vulkan
