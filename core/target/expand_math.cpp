#include "target/expand_math.hpp"

#include <array>
#include <string>

#include "target/expand_remainder.hpp"
#include "target/expand_trigonometry.hpp"
#include "target/expansion_builder.hpp"

namespace accy::target {

namespace {

using choir::Operation;
using Value = ExpansionBuilder::Value;
using kernel::Predicate;

constexpr double exp_argument_minimum = -104.0;  // e^x rounds to 0 below
constexpr double exp_argument_maximum = 89.0;   // e^x is above the largest f32
constexpr double log2_e = 1.44269504088896340736;
// ln 2 in two parts; the first has 15 significant bits, so that its product with an exponent is
// exact.
constexpr double ln2_high = 0.693145751953125;
constexpr double ln2_low = 1.42860682030941723212e-6;
constexpr double round_to_integer = 12582912.0;  // 1.5 * 2^23: its lowest bit counts ones
constexpr std::int32_t round_to_integer_bits = 0x4b400000;
constexpr std::uint32_t sign_bit = 0x80000000U;

// Coefficients: weighted minimax fits by iteratively reweighted least squares, in f64.
/// (e^r - 1 - r) / r^2 on |r| <= ln 2 / 2, error of e^r 3.1e-9.
constexpr std::array exp_coefficients{0.5, 0.166665181517601, 0.04166620597243309,
                                      0.008368889801204205, 0.0013950489228591323};
/// (log(1 + f) - f + f^2 / 2) / f^3 on sqrt(1/2) <= 1 + f <= sqrt(2), relative error 5.8e-9.
constexpr std::array log_coefficients{0.3333333134651184,   -0.250008225440979,
                                      0.20001226663589478,  -0.16623356938362122,
                                      0.14201761782169342,  -0.131601944565773,
                                      0.12761549651622772,  -0.07634429633617401};
/// (tanh(x) / x - 1) / x^2 over x^2, |x| <= 0.625, relative error 4.1e-9.
constexpr std::array tanh_coefficients{-0.3333328366279602, 0.13331490755081177,
                                       -0.05374349653720856, 0.020650578662753105,
                                       -0.005717036779969931};
/// erf(x) / x over x^2, |x| <= 1, error 1.2e-9.
constexpr std::array erf_coefficients{1.1283791065216064,    -0.3761262595653534,
                                      0.11283600330352783,   -0.026854444295167923,
                                      0.005189535208046436,  -0.0008020841050893068,
                                      7.889119297033176e-05};
/// log(erfc(x)) on 1 <= x <= 4, error of erf 2.2e-11.
constexpr std::array log_erfc_coefficients{
    0.00018846777675207704, -1.1295802593231201,  -0.633216381072998,     -0.10842210054397583,
    0.025210341438651085,   -0.0042052860371768475, 0.00044147291919216514,
    -2.1697638658224605e-05};

/// 2^n as f32 for an i32 n in the range of normal numbers.
Value power_of_two(ExpansionBuilder& build, Value n) {
  const Value field = build.add(n, build.i32(127));
  return build.bitcast(build.shl(field, build.i32(23)), ElementType::f32);
}

/// An integral f32 of magnitude below 2^22 as i32.
Value small_integer(ExpansionBuilder& build, Value x) {
  const Value moved = build.add(x, build.f32(round_to_integer));
  return build.sub(build.bitcast(moved, ElementType::i32), build.i32(round_to_integer_bits));
}

/// `magnitude` with the sign of x.
Value with_sign_of(ExpansionBuilder& build, Value magnitude, Value x) {
  const Value sign = build.bit_and(build.bitcast(x, ElementType::u32), build.u32(sign_bit));
  return build.bitcast(build.bit_or(build.bitcast(magnitude, ElementType::u32), sign),
                       ElementType::f32);
}

Value expand_exp(ExpansionBuilder& build, Value operand) {
  const Value x = build.min(build.max(operand, build.f32(exp_argument_minimum)),
                            build.f32(exp_argument_maximum));
  const Value n = build.floor(build.add(build.mul(x, build.f32(log2_e)), build.f32(0.5)));
  Value r = build.sub(x, build.mul(n, build.f32(ln2_high)));
  r = build.sub(r, build.mul(n, build.f32(ln2_low)));
  const Value tail = build.mul(build.mul(r, r), build.polynomial(r, exp_coefficients));
  const Value reduced = build.add(build.f32(1.0), build.add(r, tail));
  // In two steps, as 2^n itself may be below or above the normal numbers.
  const Value exponent = small_integer(build, n);
  const Value first = build.shr(exponent, build.i32(1));
  const Value second = build.sub(exponent, first);
  return build.mul(build.mul(reduced, power_of_two(build, first)), power_of_two(build, second));
}

Value expand_log(ExpansionBuilder& build, Value x) {
  const Value zero = build.f32(0.0);
  const Value small = build.less(x, build.f32_bits(0x00800000));
  const Value normal = build.select(small, build.mul(x, build.f32(33554432.0)), x);  // 2^25
  const Value bits = build.bitcast(normal, ElementType::i32);
  const Value exponent = build.shr(build.sub(bits, build.i32(0x3f3504f3)), build.i32(23));
  const Value reduced = build.bitcast(build.sub(bits, build.shl(exponent, build.i32(23))),
                                      ElementType::f32);
  const Value correction = build.select(small, build.i32(25), build.i32(0));
  const Value n = build.cast(build.sub(exponent, correction), ElementType::f32);
  const Value f = build.sub(reduced, build.f32(1.0));
  const Value square = build.mul(f, f);
  const Value cubic = build.mul(build.mul(f, square), build.polynomial(f, log_coefficients));
  Value tail = build.add(cubic, build.mul(n, build.f32(ln2_low)));
  tail = build.sub(tail, build.mul(build.f32(0.5), square));
  const Value sum = build.add(build.mul(n, build.f32(ln2_high)), build.add(f, tail));
  // NaN and infinity are their own logarithms.
  Value result = build.select(build.less(x, build.f32_bits(0x7f800000)), sum, x);
  result = build.select(build.less(x, zero), build.f32_bits(0x7fc00000), result);
  return build.select(build.equal(x, zero), build.f32_bits(0xff800000), result);
}

Value expand_tanh(ExpansionBuilder& build, Value x) {
  const Value magnitude = build.abs(x);
  const Value square = build.mul(x, x);
  const Value near =
      build.add(x, build.mul(x, build.mul(square, build.polynomial(square, tanh_coefficients))));
  const Value bounded = build.min(magnitude, build.f32(10.0));  // tanh(10) rounds to 1
  const Value power = build.exp(build.add(bounded, bounded));
  const Value quotient = build.div(build.f32(2.0), build.add(power, build.f32(1.0)));
  const Value far = with_sign_of(build, build.sub(build.f32(1.0), quotient), x);
  return build.select(build.less(magnitude, build.f32(0.625)), near, far);
}

Value expand_erf(ExpansionBuilder& build, Value x) {
  const Value magnitude = build.abs(x);
  const Value square = build.mul(x, x);
  const Value near = build.mul(x, build.polynomial(square, erf_coefficients));
  const Value bounded = build.min(magnitude, build.f32(4.0));  // erf(4) rounds to 1
  const Value complement = build.exp(build.polynomial(bounded, log_erfc_coefficients));
  const Value far = with_sign_of(build, build.sub(build.f32(1.0), complement), x);
  return build.select(build.less(magnitude, build.f32(1.0)), near, far);
}

/// Expands all operations of a name; f32 only.
Status expand_all(Operation& function, std::string_view name,
                  Value (*expand)(ExpansionBuilder&, Value)) {
  for (Operation* operation : find_operations(function, name)) {
    const Value operand = operation->operand(0);
    if (kernel::element_of(operand->type()) != ElementType::f32)
      return fail(ErrorCode::unsupported,
                  std::string(name) + " has no expansion for " +
                      std::string(to_string(kernel::element_of(operand->type()))) +
                      " (f32 only)",
                  operation->location().first(), std::string(name));
    ExpansionBuilder build(*operation);
    replace_operation(*operation, expand(build, operand));
  }
  return {};
}

}  // namespace

Status expand_math(Operation& function, MathExpansion options) {
  if (options.tanh) ACCY_TRY(expand_all(function, kernel::op::tanh, expand_tanh));
  if (options.erf) ACCY_TRY(expand_all(function, kernel::op::erf, expand_erf));
  if (options.exp) ACCY_TRY(expand_all(function, kernel::op::exp, expand_exp));
  if (options.log) ACCY_TRY(expand_all(function, kernel::op::log, expand_log));
  if (options.trigonometry) {
    ACCY_TRY(expand_all(function, kernel::op::sin, expand_sin));
    ACCY_TRY(expand_all(function, kernel::op::cos, expand_cos));
  }
  if (!options.remainder) return {};
  for (Operation* operation : find_operations(function, kernel::op::rem)) {
    if (!is_float(kernel::element_of(operation->result()->type()))) continue;
    ExpansionBuilder build(*operation);
    replace_operation(*operation,
                      expand_remainder(build, operation->operand(0), operation->operand(1)));
  }
  return {};
}

}  // namespace accy::target
