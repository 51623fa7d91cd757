// Bits of integers, and the logic of bool.
#include "dialect/tensor/ops/elementwise.hpp"

namespace accy::tensor {

using choir::Operation;
using choir::Trait;

namespace {

/// `Op::operand_count` operands and a result of one integer type, or of bool where accepted.
template <class Op>
struct BitOperator : Operator {
  static constexpr bool accepts_bool = true;
  static Result<std::vector<choir::Type>> infer(const Operation& operation) {
    ACCY_TRY_ASSIGN(const TensorType type, operand_type(operation, 0));
    for (std::size_t index = 1; index < Op::operand_count; ++index) {
      ACCY_TRY_ASSIGN(const TensorType other, operand_type(operation, index));
      ACCY_TRY(check_equal(type, other));
    }
    const bool accepted = Op::accepts_bool && type.element() == ElementType::boolean;
    if (!accepted) ACCY_TRY(check_integer(type, Op::accepts_bool));
    return std::vector<choir::Type>{type};
  }
  template <class Tensor>
  static Result<Tensor> evaluate(const Call<Tensor>& call) {
    return evaluate_bits<Op>(call);
  }
};

}  // namespace

struct And : BitOperator<And> {
  static constexpr std::string_view name = "tensor.and";
  static constexpr std::string_view summary = "bits set in both";
  static constexpr int operand_count = 2;
  static constexpr std::uint32_t traits = Trait::pure | Trait::commutative;
  static auto apply(const auto& arithmetic, auto x, auto y) { return arithmetic.bit_and(x, y); }
};

struct Or : BitOperator<Or> {
  static constexpr std::string_view name = "tensor.or";
  static constexpr std::string_view summary = "bits set in either";
  static constexpr int operand_count = 2;
  static constexpr std::uint32_t traits = Trait::pure | Trait::commutative;
  static auto apply(const auto& arithmetic, auto x, auto y) { return arithmetic.bit_or(x, y); }
};

struct ExclusiveOr : BitOperator<ExclusiveOr> {
  static constexpr std::string_view name = "tensor.xor";
  static constexpr std::string_view summary = "bits that differ";
  static constexpr int operand_count = 2;
  static constexpr std::uint32_t traits = Trait::pure | Trait::commutative;
  static auto apply(const auto& arithmetic, auto x, auto y) { return arithmetic.bit_xor(x, y); }
};

struct Not : BitOperator<Not> {
  static constexpr std::string_view name = "tensor.not";
  static constexpr std::string_view summary = "every bit turned; the other bool";
  static auto apply(const auto& arithmetic, auto x, auto) { return arithmetic.bit_not(x); }
};

struct ShiftLeft : BitOperator<ShiftLeft> {
  static constexpr std::string_view name = "tensor.shl";
  static constexpr std::string_view summary =
      "x * 2^n, wrapping; 0 where n, read as unsigned, is the width or more";
  static constexpr int operand_count = 2;
  static constexpr bool accepts_bool = false;
  static auto apply(const auto& arithmetic, auto x, auto n) { return arithmetic.shift_left(x, n); }
};

struct ShiftRight : BitOperator<ShiftRight> {
  static constexpr std::string_view name = "tensor.shr";
  static constexpr std::string_view summary =
      "floor(x / 2^n); 0 or -1 by the sign where n, read as unsigned, is the width or more";
  static constexpr int operand_count = 2;
  static constexpr bool accepts_bool = false;
  static auto apply(const auto& arithmetic, auto x, auto n) { return arithmetic.shift_right(x, n); }
};

template const choir::OperationDefinition& definition<And>();
template const choir::OperationDefinition& definition<Or>();
template const choir::OperationDefinition& definition<ExclusiveOr>();
template const choir::OperationDefinition& definition<Not>();
template const choir::OperationDefinition& definition<ShiftLeft>();
template const choir::OperationDefinition& definition<ShiftRight>();

}  // namespace accy::tensor
