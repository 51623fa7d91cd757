// Elementwise arithmetic on two tensors of one type; no implicit broadcast.
#include "dialect/tensor/ops/elementwise.hpp"

namespace accy::tensor {

using choir::Trait;

struct Add : BinaryOperator<Add> {
  static constexpr std::string_view name = "tensor.add";
  static constexpr std::string_view summary = "x + y; integers wrap";
  static constexpr std::uint32_t traits = Trait::pure | Trait::commutative;
  static auto apply(const auto& arithmetic, auto x, auto y) { return arithmetic.add(x, y); }
};

struct Subtract : BinaryOperator<Subtract> {
  static constexpr std::string_view name = "tensor.sub";
  static constexpr std::string_view summary = "x - y; integers wrap";
  static auto apply(const auto& arithmetic, auto x, auto y) { return arithmetic.subtract(x, y); }
};

struct Multiply : BinaryOperator<Multiply> {
  static constexpr std::string_view name = "tensor.mul";
  static constexpr std::string_view summary = "x * y; integers wrap";
  static constexpr std::uint32_t traits = Trait::pure | Trait::commutative;
  static auto apply(const auto& arithmetic, auto x, auto y) { return arithmetic.multiply(x, y); }
};

struct Divide : BinaryOperator<Divide> {
  static constexpr std::string_view name = "tensor.div";
  static constexpr std::string_view summary =
      "x / y; integers truncate, x / 0 = 0, the minimum over -1 is the minimum";
  static constexpr bool expensive = true;
  static auto apply(const auto& arithmetic, auto x, auto y) { return arithmetic.divide(x, y); }
};

struct Remainder : BinaryOperator<Remainder> {
  static constexpr std::string_view name = "tensor.rem";
  static constexpr std::string_view summary =
      "x - y * trunc(x / y), exact, with the sign of x; integers: x rem 0 = x";
  static constexpr bool expensive = true;
  static auto apply(const auto& arithmetic, auto x, auto y) { return arithmetic.remainder(x, y); }
};

struct Maximum : BinaryOperator<Maximum> {
  static constexpr std::string_view name = "tensor.max";
  static constexpr std::string_view summary = "the larger; NaN if either is, max(-0, +0) = +0";
  static constexpr std::uint32_t traits = Trait::pure | Trait::commutative;
  static auto apply(const auto& arithmetic, auto x, auto y) { return arithmetic.maximum(x, y); }
};

struct Minimum : BinaryOperator<Minimum> {
  static constexpr std::string_view name = "tensor.min";
  static constexpr std::string_view summary = "the smaller; NaN if either is, min(-0, +0) = -0";
  static constexpr std::uint32_t traits = Trait::pure | Trait::commutative;
  static auto apply(const auto& arithmetic, auto x, auto y) { return arithmetic.minimum(x, y); }
};

template const choir::OperationDefinition& definition<Add>();
template const choir::OperationDefinition& definition<Subtract>();
template const choir::OperationDefinition& definition<Multiply>();
template const choir::OperationDefinition& definition<Divide>();
template const choir::OperationDefinition& definition<Remainder>();
template const choir::OperationDefinition& definition<Maximum>();
template const choir::OperationDefinition& definition<Minimum>();

}  // namespace accy::tensor
