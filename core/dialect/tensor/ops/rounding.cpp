// Rounding of floats to integral floats. Infinities, NaN and the sign of a zero stay.
#include "dialect/tensor/ops/elementwise.hpp"

namespace accy::tensor {

struct Floor : FloatOperator<Floor> {
  static constexpr std::string_view name = "tensor.floor";
  static constexpr std::string_view summary = "largest integral value not above x";
  static auto apply(const auto& arithmetic, auto x) { return arithmetic.round_down(x); }
};

struct Ceiling : FloatOperator<Ceiling> {
  static constexpr std::string_view name = "tensor.ceil";
  static constexpr std::string_view summary = "smallest integral value not below x";
  static auto apply(const auto& arithmetic, auto x) { return arithmetic.round_up(x); }
};

struct Round : FloatOperator<Round> {
  static constexpr std::string_view name = "tensor.round";
  static constexpr std::string_view summary = "nearest integral value, ties to even";
  static auto apply(const auto& arithmetic, auto x) { return arithmetic.round_to_nearest(x); }
};

struct Truncate : FloatOperator<Truncate> {
  static constexpr std::string_view name = "tensor.trunc";
  static constexpr std::string_view summary = "integral part of x";
  static auto apply(const auto& arithmetic, auto x) { return arithmetic.truncate(x); }
};

template const choir::OperationDefinition& definition<Floor>();
template const choir::OperationDefinition& definition<Ceiling>();
template const choir::OperationDefinition& definition<Round>();
template const choir::OperationDefinition& definition<Truncate>();

}  // namespace accy::tensor
