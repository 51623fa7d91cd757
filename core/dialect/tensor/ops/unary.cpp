// Elementwise functions of one tensor.
#include "dialect/tensor/ops/elementwise.hpp"

namespace accy::tensor {

struct Negate : UnaryOperator<Negate> {
  static constexpr std::string_view name = "tensor.neg";
  static constexpr std::string_view summary = "-x: the sign bit of floats; integers wrap";
  static auto apply(const auto& arithmetic, auto x) { return arithmetic.negate(x); }
};

struct Absolute : UnaryOperator<Absolute> {
  static constexpr std::string_view name = "tensor.abs";
  static constexpr std::string_view summary = "|x|; the smallest integer stays";
  static auto apply(const auto& arithmetic, auto x) { return arithmetic.absolute(x); }
};

struct Exponential : FloatOperator<Exponential> {
  static constexpr std::string_view name = "tensor.exp";
  static constexpr std::string_view summary = "e to the power x";
  static constexpr bool expensive = true;
  static constexpr bool approximate = true;
  static auto apply(const auto& arithmetic, auto x) { return arithmetic.exponential(x); }
};

struct Logarithm : FloatOperator<Logarithm> {
  static constexpr std::string_view name = "tensor.log";
  static constexpr std::string_view summary = "natural logarithm; NaN below zero";
  static constexpr bool expensive = true;
  static constexpr bool approximate = true;
  static auto apply(const auto& arithmetic, auto x) { return arithmetic.logarithm(x); }
};

struct SquareRoot : FloatOperator<SquareRoot> {
  static constexpr std::string_view name = "tensor.sqrt";
  static constexpr std::string_view summary = "square root; NaN below zero";
  static constexpr bool expensive = true;
  static auto apply(const auto& arithmetic, auto x) { return arithmetic.square_root(x); }
};

struct HyperbolicTangent : FloatOperator<HyperbolicTangent> {
  static constexpr std::string_view name = "tensor.tanh";
  static constexpr std::string_view summary = "hyperbolic tangent";
  static constexpr bool expensive = true;
  static constexpr bool approximate = true;
  static auto apply(const auto& arithmetic, auto x) { return arithmetic.hyperbolic_tangent(x); }
};

struct ErrorFunction : FloatOperator<ErrorFunction> {
  static constexpr std::string_view name = "tensor.erf";
  static constexpr std::string_view summary = "error function";
  static constexpr bool expensive = true;
  static constexpr bool approximate = true;
  static auto apply(const auto& arithmetic, auto x) { return arithmetic.error_function(x); }
};

struct Sine : FloatOperator<Sine> {
  static constexpr std::string_view name = "tensor.sin";
  static constexpr std::string_view summary = "sine of x in radians";
  static constexpr bool expensive = true;
  static constexpr bool approximate = true;
  static auto apply(const auto& arithmetic, auto x) { return arithmetic.sine(x); }
};

struct Cosine : FloatOperator<Cosine> {
  static constexpr std::string_view name = "tensor.cos";
  static constexpr std::string_view summary = "cosine of x in radians";
  static constexpr bool expensive = true;
  static constexpr bool approximate = true;
  static auto apply(const auto& arithmetic, auto x) { return arithmetic.cosine(x); }
};

template const choir::OperationDefinition& definition<Negate>();
template const choir::OperationDefinition& definition<Absolute>();
template const choir::OperationDefinition& definition<Exponential>();
template const choir::OperationDefinition& definition<Logarithm>();
template const choir::OperationDefinition& definition<SquareRoot>();
template const choir::OperationDefinition& definition<HyperbolicTangent>();
template const choir::OperationDefinition& definition<ErrorFunction>();
template const choir::OperationDefinition& definition<Sine>();
template const choir::OperationDefinition& definition<Cosine>();

}  // namespace accy::tensor
