// Elementary functions: computed in f64 by the C library and rounded once.
#include <cmath>

#include "evaluate/interpreter/frame.hpp"

namespace accy::evaluate::interpreter {
namespace {

template <class T>
T exponential(T a) {
  return static_cast<T>(std::exp(static_cast<double>(a)));
}
template <class T>
T logarithm(T a) {
  return static_cast<T>(std::log(static_cast<double>(a)));
}
template <class T>
T hyperbolic_tangent(T a) {
  return static_cast<T>(std::tanh(static_cast<double>(a)));
}
template <class T>
T error_function(T a) {
  return static_cast<T>(std::erf(static_cast<double>(a)));
}
template <class T>
T sine(T a) {
  return static_cast<T>(std::sin(static_cast<double>(a)));
}
template <class T>
T cosine(T a) {
  return static_cast<T>(std::cos(static_cast<double>(a)));
}
template <class T>
T square_root(T a) {
  return std::sqrt(a);
}
template <class T>
T round_down(T a) {
  return std::floor(a);
}
template <class T>
T round_up(T a) {
  return std::ceil(a);
}

/// To even in the default rounding mode, which nothing here changes.
template <class T>
T round_to_nearest(T a) {
  return std::nearbyint(a);
}
template <class T>
T round_to_zero(T a) {
  return std::trunc(a);
}

template <class T>
Handler handler_of(std::string_view name) {
  namespace op = kernel::op;
  if (name == op::exp) return map_unary<T, T, exponential<T>>;
  if (name == op::log) return map_unary<T, T, logarithm<T>>;
  if (name == op::tanh) return map_unary<T, T, hyperbolic_tangent<T>>;
  if (name == op::erf) return map_unary<T, T, error_function<T>>;
  if (name == op::sin) return map_unary<T, T, sine<T>>;
  if (name == op::cos) return map_unary<T, T, cosine<T>>;
  if (name == op::sqrt) return map_unary<T, T, square_root<T>>;
  if (name == op::floor) return map_unary<T, T, round_down<T>>;
  if (name == op::ceil) return map_unary<T, T, round_up<T>>;
  if (name == op::round) return map_unary<T, T, round_to_nearest<T>>;
  if (name == op::trunc) return map_unary<T, T, round_to_zero<T>>;
  return nullptr;
}

}  // namespace

Handler math_handler(const choir::Operation& operation) {
  if (operation.operand_count() != 1) return nullptr;
  const auto type = kernel::as_scalar(operation.operand(0)->type());
  if (type == ElementType::f32) return handler_of<float>(operation.name());
  if (type == ElementType::f64) return handler_of<double>(operation.name());
  return nullptr;
}

}  // namespace accy::evaluate::interpreter
