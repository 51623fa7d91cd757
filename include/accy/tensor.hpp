// Tensor: a handle on a value of a graph under construction, with operators and functions that read
// as NumPy's do. Shapes broadcast by NumPy's rules; element types never change by themselves: a
// number takes the type of the tensor beside it, two tensors must agree.
//
// A mistake is kept by the graph with the line of the call, and GraphBuilder::finish returns it.
// The tensor that a mistake gives is failed, and what is computed from it fails silently.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "accy/element_type.hpp"
#include "accy/export.hpp"

namespace accy {

namespace frontend {
class Graph;
}

/// The line of a program that calls a function; a default argument gives the caller's.
struct CallSite {
  const char* file = "";  ///< static storage
  std::uint32_t line = 0;

  static constexpr CallSite here(const char* file = __builtin_FILE(),
                                 std::uint32_t line = __builtin_LINE()) {
    return {file, line};
  }
};

/// What a named dimension may be, in elements.
struct DimensionRange {
  std::optional<std::int64_t> default_size;  ///< where SessionOptions::dimensions says nothing
  std::optional<std::int64_t> minimum;       ///< 0 when absent
  std::optional<std::int64_t> maximum;
  friend bool operator==(const DimensionRange&, const DimensionRange&) = default;
};

/// One axis of a shape: a size in elements, or a name whose size is given when compiling.
class Dimension {
 public:
  template <std::integral Size>
    requires(!std::same_as<Size, bool>)
  Dimension(Size size) : size_(static_cast<std::int64_t>(size)) {}

  bool is_named() const { return !name_.empty(); }
  const std::string& name() const { return name_; }
  std::int64_t size() const { return size_; }  ///< 0 when named
  const DimensionRange& range() const { return range_; }
  friend bool operator==(const Dimension& a, const Dimension& b) {
    return a.name_ == b.name_ && a.size_ == b.size_;
  }

 private:
  friend Dimension dimension(std::string name, DimensionRange range);
  Dimension(std::string name, DimensionRange range)
      : name_(std::move(name)), range_(std::move(range)) {}

  std::int64_t size_ = 0;
  std::string name_;
  DimensionRange range_;
};

/// The dimension of that name; equal names are equal sizes. The range needs to be given once.
inline Dimension dimension(std::string name, DimensionRange range = {}) {
  return {std::move(name), std::move(range)};
}

using Shape = std::vector<Dimension>;

/// A value of a GraphBuilder, which must outlive it; cheap to copy.
class ACCY_EXPORT Tensor {
 public:
  /// Belongs to no graph; using it is an error of the graph that it is used with.
  Tensor() = default;
  bool failed() const { return value_ == 0; }
  /// f32 when failed.
  ElementType element() const;
  /// Empty when failed.
  Shape shape() const;

 private:
  friend class frontend::Graph;
  Tensor(frontend::Graph* graph, std::size_t value) : graph_(graph), value_(value) {}
  frontend::Graph* graph_ = nullptr;
  std::size_t value_ = 0;  // counts from 1; 0 is a failed one
};

/// A tensor or a number, where either will do, with the line that wrote it.
class Operand {
 public:
  using Number = std::variant<bool, std::int64_t, std::uint64_t, double>;

  Operand(const Tensor& tensor, CallSite site = CallSite::here()) : value_(tensor), site_(site) {}
  template <class T>
    requires std::is_arithmetic_v<T>
  Operand(T number, CallSite site = CallSite::here()) : value_(to_number(number)), site_(site) {}

  /// Null for a number.
  const Tensor* tensor() const { return std::get_if<Tensor>(&value_); }
  const Number& number() const { return std::get<Number>(value_); }
  CallSite site() const { return site_; }

 private:
  template <class T>
  static Number to_number(T number) {
    if constexpr (std::same_as<T, bool>) return number;
    else if constexpr (std::floating_point<T>) return static_cast<double>(number);
    else if constexpr (std::is_signed_v<T>) return static_cast<std::int64_t>(number);
    else return static_cast<std::uint64_t>(number);
  }
  std::variant<Tensor, Number> value_;
  CallSite site_;
};

/// Axes of a tensor, negative ones counted from the last; by default all of them.
class Axes {
 public:
  Axes() = default;
  Axes(std::int64_t axis) : list_(std::vector{axis}) {}
  Axes(std::initializer_list<std::int64_t> axes) : list_(axes) {}
  Axes(std::vector<std::int64_t> axes) : list_(std::move(axes)) {}
  /// Nothing where all axes are meant.
  const std::optional<std::vector<std::int64_t>>& list() const { return list_; }

 private:
  std::optional<std::vector<std::int64_t>> list_;
};

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

// Activations.
ACCY_EXPORT Tensor relu(const Tensor& x, CallSite site = CallSite::here());
/// min(max(x, 0), 6)
ACCY_EXPORT Tensor relu6(const Tensor& x, CallSite site = CallSite::here());
/// x above zero, else alpha * x.
ACCY_EXPORT Tensor leaky_relu(const Tensor& x, double alpha = 0.01,
                              CallSite site = CallSite::here());
/// x above alpha, else 0.
ACCY_EXPORT Tensor thresholded_relu(const Tensor& x, double alpha = 1,
                                    CallSite site = CallSite::here());
/// x above zero, else alpha * (exp(x) - 1).
ACCY_EXPORT Tensor elu(const Tensor& x, double alpha = 1, CallSite site = CallSite::here());
/// gamma * x above zero, else gamma * alpha * (exp(x) - 1), with the constants of Klambauer et al.
ACCY_EXPORT Tensor selu(const Tensor& x, CallSite site = CallSite::here());
/// x above zero, else alpha * (exp(x / alpha) - 1).
ACCY_EXPORT Tensor celu(const Tensor& x, double alpha = 1, CallSite site = CallSite::here());
/// alpha * x + beta within 0 and 1.
ACCY_EXPORT Tensor hard_sigmoid(const Tensor& x, double alpha = 0.2, double beta = 0.5,
                                CallSite site = CallSite::here());
/// x * min(max(x + 3, 0), 6) / 6
ACCY_EXPORT Tensor hard_swish(const Tensor& x, CallSite site = CallSite::here());
/// min(max(x, low), high)
ACCY_EXPORT Tensor hard_tanh(const Tensor& x, double low = -1, double high = 1,
                             CallSite site = CallSite::here());
/// x * sigmoid(x): swish.
ACCY_EXPORT Tensor silu(const Tensor& x, CallSite site = CallSite::here());
/// x * sigmoid(alpha * x)
ACCY_EXPORT Tensor quick_gelu(const Tensor& x, double alpha = 1.702,
                              CallSite site = CallSite::here());
/// x * tanh(softplus(x))
ACCY_EXPORT Tensor mish(const Tensor& x, CallSite site = CallSite::here());
/// x / (1 + |x|)
ACCY_EXPORT Tensor softsign(const Tensor& x, CallSite site = CallSite::here());
/// log(sigmoid(x)), without overflow.
ACCY_EXPORT Tensor log_sigmoid(const Tensor& x, CallSite site = CallSite::here());
ACCY_EXPORT Tensor sigmoid(const Tensor& x, CallSite site = CallSite::here());
/// log(1 + exp(x)), without overflow or cancellation.
ACCY_EXPORT Tensor softplus(const Tensor& x, CallSite site = CallSite::here());

enum class GeluForm : std::uint8_t {
  exact,  ///< by erf
  tanh,   ///< the approximation by tanh
};
ACCY_EXPORT Tensor gelu(const Tensor& x, GeluForm form = GeluForm::exact,
                        CallSite site = CallSite::here());

/// exp(x - max) over its sum along one axis.
ACCY_EXPORT Tensor softmax(const Tensor& x, std::int64_t axis = -1,
                           CallSite site = CallSite::here());

/// The logarithm of softmax along one axis, without overflow.
ACCY_EXPORT Tensor log_softmax(const Tensor& x, std::int64_t axis = -1,
                               CallSite site = CallSite::here());

/// Conversion to another element type: floats round to nearest even, float to integer truncates and
/// saturates, integers wrap, to bool is x != 0.
ACCY_EXPORT Tensor cast(const Tensor& x, ElementType element, CallSite site = CallSite::here());

/// Axes of size 1 repeat, and new axes come first.
ACCY_EXPORT Tensor broadcast_to(const Tensor& x, const Shape& shape,
                                CallSite site = CallSite::here());
/// The same elements, row major; one size may be -1: what is left of the element count.
ACCY_EXPORT Tensor reshape(const Tensor& x, const Shape& shape, CallSite site = CallSite::here());
/// Axis i of the result is axis permutation[i] of x; by default in reverse order.
ACCY_EXPORT Tensor transpose(const Tensor& x, const Axes& permutation = {},
                             CallSite site = CallSite::here());

struct ReduceOptions {
  bool keep_dimensions = false;  ///< reduced axes stay with size 1
};
/// Sum over axes, which the result drops; the graph's numeric contract says in what type and order.
ACCY_EXPORT Tensor sum(const Tensor& x, const Axes& axes = {}, ReduceOptions options = {},
                       CallSite site = CallSite::here());
/// Largest element over axes.
ACCY_EXPORT Tensor max(const Tensor& x, const Axes& axes = {}, ReduceOptions options = {},
                       CallSite site = CallSite::here());

/// Matrix product [.., M, K] x [.., K, N]; batch axes broadcast. A tensor of rank 1 is a row on the
/// left and a column on the right, and its added axis is dropped again.
ACCY_EXPORT Tensor matmul(const Tensor& left, const Tensor& right,
                          CallSite site = CallSite::here());

}  // namespace accy
