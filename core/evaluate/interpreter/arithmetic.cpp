// Arithmetic and bit operations, lane by lane.
#include <cmath>
#include <limits>

#include "evaluate/interpreter/frame.hpp"
#include "evaluate/interpreter/native.hpp"

namespace accy::evaluate::interpreter {
namespace {

template <class T>
inline constexpr bool is_float_type = std::is_floating_point_v<T>;

template <class T>
T difference(T a, T b) {
  if constexpr (is_float_type<T>)
    return a - b;
  else
    return static_cast<T>(static_cast<Wrapping<T>>(a) - static_cast<Wrapping<T>>(b));
}

template <class T>
T product(T a, T b) {
  if constexpr (is_float_type<T>)
    return a * b;
  else
    return static_cast<T>(static_cast<Wrapping<T>>(a) * static_cast<Wrapping<T>>(b));
}

template <class T>
T quotient(T a, T b) {
  if constexpr (is_float_type<T>) {
    return a / b;
  } else {
    if (b == 0) return 0;
    if constexpr (std::is_signed_v<T>)
      if (b == -1) return difference<T>(0, a);  // MIN / -1 = MIN
    return static_cast<T>(a / b);
  }
}

template <class T>
T remainder(T a, T b) {
  if constexpr (is_float_type<T>) {
    return std::fmod(a, b);
  } else {
    if (b == 0) return a;
    if constexpr (std::is_signed_v<T>)
      if (b == -1) return T{0};
    return static_cast<T>(a % b);
  }
}

template <class T>
T negation(T a) {
  if constexpr (is_float_type<T>)
    return -a;
  else
    return difference<T>(0, a);
}

template <class T>
T magnitude(T a) {
  if constexpr (is_float_type<T>)
    return std::fabs(a);
  else
    return a < 0 ? negation(a) : a;
}

template <class T>
T conjunction(T a, T b) {
  return static_cast<T>(a & b);
}
template <class T>
T disjunction(T a, T b) {
  return static_cast<T>(a | b);
}
template <class T>
T exclusion(T a, T b) {
  return static_cast<T>(a ^ b);
}
template <class T>
T complement(T a) {
  return static_cast<T>(~a);
}
std::uint8_t bool_complement(std::uint8_t a) { return a ^ 1U; }

template <class T>
T shift_left(T a, T n) {
  const auto count = static_cast<Bits<T>>(n);
  if (count >= sizeof(T) * 8) return 0;
  return static_cast<T>(static_cast<Wrapping<T>>(a) << count);
}

template <class T>
T shift_right(T a, T n) {
  const auto count = static_cast<Bits<T>>(n);
  constexpr Bits<T> width = sizeof(T) * 8;
  if (count >= width) return std::is_signed_v<T> && a < 0 ? static_cast<T>(-1) : T{0};
  return static_cast<T>(a >> count);
}

/// div and rem that promise a >= 0 and b > 0: a broken promise is the generator's defect.
template <class T, T (*function)(T, T)>
bool map_index(Frame& frame, const Instruction& instruction) {
  const T* a = frame.at<T>(instruction.operands[0]);
  const T* b = frame.at<T>(instruction.operands[1]);
  for (const std::uint32_t lane : frame.active)
    if (a[lane] < 0 || b[lane] <= 0)
      return raise(frame, instruction,
                   "index = true promises a >= 0 and b > 0 (a is " + std::to_string(a[lane]) +
                       ", b is " + std::to_string(b[lane]) + ", " + describe_lane(frame, lane) +
                       ")");
  return map_binary<T, T, function>(frame, instruction);
}

template <class T>
bool map_fused(Frame& frame, const Instruction& instruction) {
  const T* a = frame.at<T>(instruction.operands[0]);
  const T* b = frame.at<T>(instruction.operands[1]);
  const T* c = frame.at<T>(instruction.operands[2]);
  T* result = frame.at<T>(instruction.result);
  for (std::size_t lane = 0; lane < frame.lanes; ++lane)
    result[lane] = std::fma(a[lane], b[lane], c[lane]);
  return true;
}

#if defined(__x86_64__) && defined(__GNUC__)
// The same results as std::fma, which a build without FMA instructions calls out of line.
template <class T>
__attribute__((target("avx2,fma"))) bool map_fused_native(Frame& frame,
                                                          const Instruction& instruction) {
  const T* a = reinterpret_cast<const T*>(frame.registers + instruction.operands[0]);
  const T* b = reinterpret_cast<const T*>(frame.registers + instruction.operands[1]);
  const T* c = reinterpret_cast<const T*>(frame.registers + instruction.operands[2]);
  T* result = reinterpret_cast<T*>(frame.registers + instruction.result);
  const std::size_t lanes = frame.lanes;
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    if constexpr (sizeof(T) == 4)
      result[lane] = __builtin_fmaf(a[lane], b[lane], c[lane]);
    else
      result[lane] = __builtin_fma(a[lane], b[lane], c[lane]);
  }
  return true;
}
#endif

template <class T>
Handler fused_handler() {
#if defined(__x86_64__) && defined(__GNUC__)
  if (__builtin_cpu_supports("fma") && __builtin_cpu_supports("avx2")) return map_fused_native<T>;
#endif
  return map_fused<T>;
}

// One maker for each operation and type: a handler, or null where the type does not fit.
#define ACCY_BINARY(name, function)                                 \
  template <class T>                                                \
  struct name {                                                     \
    static Handler make() { return map_binary<T, T, function<T>>; } \
  };
#define ACCY_UNARY(name, function)                                 \
  template <class T>                                               \
  struct name {                                                    \
    static Handler make() { return map_unary<T, T, function<T>>; } \
  };
#define ACCY_INTEGER(name, mapper)         \
  template <class T>                       \
  struct name {                            \
    static Handler make() {                \
      if constexpr (std::is_integral_v<T>) \
        return mapper;                     \
      else                                 \
        return nullptr;                    \
    }                                      \
  };
ACCY_BINARY(Add, sum)
ACCY_BINARY(Subtract, difference)
ACCY_BINARY(Multiply, product)
ACCY_BINARY(Divide, quotient)
ACCY_BINARY(Remainder, remainder)
ACCY_BINARY(Minimum, minimum)
ACCY_BINARY(Maximum, maximum)
ACCY_UNARY(Negate, negation)
ACCY_UNARY(Magnitude, magnitude)
ACCY_INTEGER(And, (map_binary<T, T, conjunction<T>>))
ACCY_INTEGER(Or, (map_binary<T, T, disjunction<T>>))
ACCY_INTEGER(Exclude, (map_binary<T, T, exclusion<T>>))
ACCY_INTEGER(Complement, (map_unary<T, T, complement<T>>))
ACCY_INTEGER(ShiftLeft, (map_binary<T, T, shift_left<T>>))
ACCY_INTEGER(ShiftRight, (map_binary<T, T, shift_right<T>>))
ACCY_INTEGER(IndexDivide, (map_index<T, quotient<T>>))
ACCY_INTEGER(IndexRemainder, (map_index<T, remainder<T>>))
#undef ACCY_BINARY
#undef ACCY_UNARY
#undef ACCY_INTEGER

Handler bool_handler(std::string_view name) {
  using Byte = std::uint8_t;
  if (name == kernel::op::and_op) return map_binary<Byte, Byte, conjunction<Byte>>;
  if (name == kernel::op::or_op) return map_binary<Byte, Byte, disjunction<Byte>>;
  if (name == kernel::op::xor_op) return map_binary<Byte, Byte, exclusion<Byte>>;
  if (name == kernel::op::not_op) return map_unary<Byte, Byte, bool_complement>;
  return nullptr;
}

Handler number_handler(std::string_view name, ElementType type) {
  namespace op = kernel::op;
  if (name == op::add) return for_computable<Add>(type);
  if (name == op::sub) return for_computable<Subtract>(type);
  if (name == op::mul) return for_computable<Multiply>(type);
  if (name == op::div) return for_computable<Divide>(type);
  if (name == op::rem) return for_computable<Remainder>(type);
  if (name == op::min) return for_computable<Minimum>(type);
  if (name == op::max) return for_computable<Maximum>(type);
  if (name == op::neg) return for_computable<Negate>(type);
  if (name == op::abs) return for_computable<Magnitude>(type);
  if (name == op::and_op) return for_computable<And>(type);
  if (name == op::or_op) return for_computable<Or>(type);
  if (name == op::xor_op) return for_computable<Exclude>(type);
  if (name == op::not_op) return for_computable<Complement>(type);
  if (name == op::shl) return for_computable<ShiftLeft>(type);
  if (name == op::shr) return for_computable<ShiftRight>(type);
  return nullptr;
}

}  // namespace

Handler arithmetic_handler(const choir::Operation& operation) {
  const std::string_view name = operation.name();
  if (operation.operand_count() == 0) return nullptr;
  const auto type = kernel::as_scalar(operation.operand(0)->type());
  if (!type) return nullptr;
  if (*type == ElementType::boolean) return bool_handler(name);
  if (name == kernel::op::fma)
    return *type == ElementType::f32 ? fused_handler<float>() : fused_handler<double>();
  if (name == kernel::op::div && kernel::is_index_math(operation))
    return for_computable<IndexDivide>(*type);
  if (name == kernel::op::rem && kernel::is_index_math(operation))
    return for_computable<IndexRemainder>(*type);
  return number_handler(name, *type);
}

}  // namespace accy::evaluate::interpreter
