// f16 and bf16 to and from f32, by integer code where the device's own conversion promises too
// little: rounded to nearest even, subnormals kept, NaN stays NaN.
#include "targets/vulkan/emit/narrow_float.hpp"

namespace accy::vulkan {

namespace {

constexpr std::uint64_t f32_sign = 0x80000000U;
constexpr std::uint64_t f32_magnitude = 0x7fffffffU;
constexpr std::uint64_t f32_infinity = 0x7f800000U;

}  // namespace

Id bfloat16_bits_from_f32(Emitter& emitter, Id value) {
  WordMath math(emitter);
  const Id bits = math.bits(value);
  const Id upper = math.shr(bits, math.constant(16));
  const Id odd = math.bit_and(upper, math.constant(1));
  const Id rounded =
      math.shr(math.add(bits, math.add(odd, math.constant(0x7fff))), math.constant(16));
  const Id quiet = math.bit_or(upper, math.constant(0x40));
  return math.select(is_nan(emitter, ElementType::f32, value), quiet, rounded);
}

Id f32_from_bfloat16_bits(Emitter& emitter, Id bits) {
  WordMath math(emitter);
  return emitter.builder().emit(spv::Op::OpBitcast, emitter.type(ElementType::f32),
                                {math.shl(bits, math.constant(16))});
}

Id half_bits_from_f32(Emitter& emitter, Id value) {
  WordMath math(emitter);
  const Id bits = math.bits(value);
  const Id sign = math.shr(math.bit_and(bits, math.constant(f32_sign)), math.constant(16));
  const Id magnitude = math.bit_and(bits, math.constant(f32_magnitude));
  const Id one = math.constant(1);

  // Normal results: the exponent is rebiased, thirteen bits are rounded away.
  const Id rebiased = math.sub(magnitude, math.constant(0x38000000));
  const Id odd = math.bit_and(math.shr(rebiased, math.constant(13)), one);
  const Id normal = math.shr(math.add(rebiased, math.add(odd, math.constant(0xfff))),
                             math.constant(13));

  // Subnormal results: the significand in units of 2^-24, so far right that it may vanish.
  const Id exponent = math.shr(magnitude, math.constant(23));
  const Id distance = math.sub(math.constant(126), exponent);
  const Id shift = math.select(math.less(distance, math.constant(25)), distance,
                               math.constant(25));
  const Id safe_shift = math.bit_and(shift, math.constant(31));
  const Id significand = math.bit_or(math.bit_and(magnitude, math.constant(0x7fffff)),
                                     math.constant(0x800000));
  const Id half = math.shl(one, math.bit_and(math.sub(safe_shift, one), math.constant(31)));
  const Id lowest = math.bit_and(math.shr(significand, safe_shift), one);
  const Id subnormal = math.shr(
      math.add(significand, math.add(math.sub(half, one), lowest)), safe_shift);

  const Id small = math.less(magnitude, math.constant(0x38800000));   // 2^-14
  const Id large = math.less(math.constant(0x477fefff), magnitude);   // from 65520 on
  const Id finite = math.select(small, subnormal, normal);
  const Id ordered = math.select(large, math.constant(0x7c00), finite);
  const Id result =
      math.select(math.less(math.constant(f32_infinity), magnitude), math.constant(0x7e00),
                  ordered);
  return math.bit_or(sign, result);
}

Id f32_from_half_bits(Emitter& emitter, Id bits) {
  WordMath math(emitter);
  ModuleBuilder& builder = emitter.builder();
  const Id f32 = emitter.type(ElementType::f32);
  const Id sign = math.shl(math.bit_and(bits, math.constant(0x8000)), math.constant(16));
  const Id magnitude = math.bit_and(bits, math.constant(0x7fff));
  const Id rebias = math.constant(0x38000000);
  const Id normal = math.add(math.shl(magnitude, math.constant(13)), rebias);
  const Id special = math.add(normal, rebias);
  const Id unit = builder.float_constant(32, 0x33800000);  // 2^-24
  const Id count = builder.emit(spv::Op::OpConvertUToF, f32, {magnitude});
  const Id subnormal =
      math.bits(emitter.precise(builder.emit(spv::Op::OpFMul, f32, {count, unit})));
  const Id finite =
      math.select(math.less(magnitude, math.constant(0x400)), subnormal, normal);
  const Id result =
      math.select(math.less(magnitude, math.constant(0x7c00)), finite, special);
  return builder.emit(spv::Op::OpBitcast, f32, {math.bit_or(sign, result)});
}

Id f32_to_odd_from_f64(Emitter& emitter, Id value) {
  WordMath math(emitter);
  WordMath wide(emitter, 64);
  ModuleBuilder& builder = emitter.builder();
  const Id f32 = emitter.type(ElementType::f32);
  const Id nearest = builder.emit(spv::Op::OpFConvert, f32, {value});
  const Id back =
      builder.emit(spv::Op::OpFConvert, emitter.type(ElementType::f64), {nearest});
  const Id magnitude_mask = wide.constant(0x7fffffffffffffffU);
  const Id exact_magnitude = wide.bit_and(wide.bits(value), magnitude_mask);
  const Id back_magnitude = wide.bit_and(wide.bits(back), magnitude_mask);
  const Id bits = math.bits(nearest);
  const Id rounded_up = wide.less(exact_magnitude, back_magnitude);
  const Id truncated =
      math.select(rounded_up, math.sub(bits, math.constant(1)), bits);
  const Id odd = math.bit_or(truncated, math.constant(1));
  const Id keeps = math.either(wide.equal(exact_magnitude, back_magnitude),
                               is_nan(emitter, ElementType::f64, value));
  return builder.emit(spv::Op::OpBitcast, f32, {math.select(keeps, bits, odd)});
}

}  // namespace accy::vulkan
