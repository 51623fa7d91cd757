// Operations element by element. Shapes broadcast by NumPy's rules; element types never change by
// themselves: a number takes the type of the tensor beside it, two tensors must agree.
#pragma once

#include "accy/tensor.hpp"

namespace accy {

// Elementwise on numbers: of two operands, broadcast to a common shape. Integers wrap.
ACCY_EXPORT Tensor operator+(const Operand& left, const Operand& right);
ACCY_EXPORT Tensor operator-(const Operand& left, const Operand& right);
ACCY_EXPORT Tensor operator*(const Operand& left, const Operand& right);
ACCY_EXPORT Tensor operator/(const Operand& left, const Operand& right);
/// What is left of the truncated quotient, with the sign of left, exact; x % 0 of integers is x.
ACCY_EXPORT Tensor operator%(const Operand& left, const Operand& right);
/// What is left of the floored quotient, with the sign of right.
ACCY_EXPORT Tensor mod(const Operand& left, const Operand& right);
/// left to the power right, of floats: exp(right * log(|left|)) and the special cases of IEEE 754.
ACCY_EXPORT Tensor pow(const Operand& left, const Operand& right);
ACCY_EXPORT Tensor maximum(const Operand& left, const Operand& right);
ACCY_EXPORT Tensor minimum(const Operand& left, const Operand& right);

// Comparisons: bool tensors. Bools compare by equal and not_equal only.
ACCY_EXPORT Tensor equal(const Operand& left, const Operand& right);
ACCY_EXPORT Tensor not_equal(const Operand& left, const Operand& right);
ACCY_EXPORT Tensor operator<(const Operand& left, const Operand& right);
ACCY_EXPORT Tensor operator<=(const Operand& left, const Operand& right);
ACCY_EXPORT Tensor operator>(const Operand& left, const Operand& right);
ACCY_EXPORT Tensor operator>=(const Operand& left, const Operand& right);

// Bits of integers, and the logic of bool. A shift by the width or more gives 0 or the sign.
ACCY_EXPORT Tensor operator&(const Operand& left, const Operand& right);
ACCY_EXPORT Tensor operator|(const Operand& left, const Operand& right);
ACCY_EXPORT Tensor operator^(const Operand& left, const Operand& right);
ACCY_EXPORT Tensor operator~(const Operand& x);
ACCY_EXPORT Tensor operator<<(const Operand& left, const Operand& right);
ACCY_EXPORT Tensor operator>>(const Operand& left, const Operand& right);

/// `then` where the condition, a bool tensor, is true, else `otherwise`; all three broadcast.
ACCY_EXPORT Tensor select(const Operand& condition, const Operand& then, const Operand& otherwise);

/// min(max(x, low), high); all three broadcast.
ACCY_EXPORT Tensor clamp(const Operand& x, const Operand& low, const Operand& high);

// Elementwise functions of one tensor; all but -, abs, sign, square and relu take floats only.
ACCY_EXPORT Tensor operator-(const Operand& x);
ACCY_EXPORT Tensor abs(const Tensor& x, CallSite site = CallSite::here());
/// -1, 1, or x itself where it is a zero or NaN.
ACCY_EXPORT Tensor sign(const Tensor& x, CallSite site = CallSite::here());
ACCY_EXPORT Tensor square(const Tensor& x, CallSite site = CallSite::here());
ACCY_EXPORT Tensor exp(const Tensor& x, CallSite site = CallSite::here());
ACCY_EXPORT Tensor log(const Tensor& x, CallSite site = CallSite::here());
ACCY_EXPORT Tensor sqrt(const Tensor& x, CallSite site = CallSite::here());
ACCY_EXPORT Tensor reciprocal(const Tensor& x, CallSite site = CallSite::here());
ACCY_EXPORT Tensor rsqrt(const Tensor& x, CallSite site = CallSite::here());
ACCY_EXPORT Tensor sin(const Tensor& x, CallSite site = CallSite::here());
ACCY_EXPORT Tensor cos(const Tensor& x, CallSite site = CallSite::here());
ACCY_EXPORT Tensor tan(const Tensor& x, CallSite site = CallSite::here());
ACCY_EXPORT Tensor tanh(const Tensor& x, CallSite site = CallSite::here());
ACCY_EXPORT Tensor erf(const Tensor& x, CallSite site = CallSite::here());
ACCY_EXPORT Tensor floor(const Tensor& x, CallSite site = CallSite::here());
ACCY_EXPORT Tensor ceil(const Tensor& x, CallSite site = CallSite::here());
/// Ties to even.
ACCY_EXPORT Tensor round(const Tensor& x, CallSite site = CallSite::here());
ACCY_EXPORT Tensor trunc(const Tensor& x, CallSite site = CallSite::here());
// bool tensors.
ACCY_EXPORT Tensor is_nan(const Tensor& x, CallSite site = CallSite::here());
ACCY_EXPORT Tensor is_inf(const Tensor& x, CallSite site = CallSite::here());
ACCY_EXPORT Tensor is_finite(const Tensor& x, CallSite site = CallSite::here());

/// Conversion to another element type: floats round to nearest even, float to integer truncates and
/// saturates, integers wrap, to bool is x != 0.
ACCY_EXPORT Tensor cast(const Tensor& x, ElementType element, CallSite site = CallSite::here());

}  // namespace accy
