// Elementwise evaluation loops, shared by the elementwise ops. Included by ops/*.cpp only.
#pragma once

#include "dialect/tensor/arithmetic/dispatch.hpp"
#include "dialect/tensor/define.hpp"

namespace accy::tensor {

/// out[i] = Op::apply(arithmetic, x[i], y[i]) for equal numeric types.
template <class Op, class Tensor>
Result<Tensor> evaluate_binary(const Call<Tensor>& call) {
  ACCY_TRY_ASSIGN(Tensor out, make_zeros<Tensor>(call.element, call.shape));
  const Tensor& left = *call.operands[0];
  const Tensor& right = *call.operands[1];
  with_numeric<Tensor>(call.element, call.mode, [&](const auto& arithmetic) {
    const auto x = arithmetic.reader(left);
    const auto y = arithmetic.reader(right);
    auto result = arithmetic.writer(out);
    const std::int64_t count = out.count();
    for (std::int64_t index = 0; index < count; ++index)
      result.set(index, Op::apply(arithmetic, x[index], y[index]));
  });
  return out;
}

/// out[i] = Op::apply(arithmetic, x[i], y[i]) for equal types, bool included.
template <class Op, class Tensor>
Result<Tensor> evaluate_bits(const Call<Tensor>& call) {
  ACCY_TRY_ASSIGN(Tensor out, make_zeros<Tensor>(call.element, call.shape));
  with_bits<Tensor>(call.element, call.mode, [&](const auto& arithmetic) {
    const auto x = arithmetic.reader(*call.operands[0]);
    const auto y = arithmetic.reader(*call.operands[Op::operand_count - 1]);
    auto result = arithmetic.writer(out);
    const std::int64_t count = out.count();
    for (std::int64_t index = 0; index < count; ++index)
      result.set(index, Op::apply(arithmetic, x[index], y[index]));
  });
  return out;
}

/// out[i] = Op::apply(arithmetic, x[i]).
template <class Op, class Tensor, class Arithmetic>
void apply_unary(const Arithmetic& arithmetic, const Tensor& in, Tensor& out) {
  const auto x = arithmetic.reader(in);
  auto result = arithmetic.writer(out);
  const std::int64_t count = out.count();
  for (std::int64_t index = 0; index < count; ++index)
    result.set(index, Op::apply(arithmetic, x[index]));
}

/// Two operands and a result of one numeric type.
template <class Op>
struct BinaryOperator : Operator {
  static constexpr int operand_count = 2;
  static Result<std::vector<choir::Type>> infer(const choir::Operation& operation) {
    ACCY_TRY_ASSIGN(const TensorType left, operand_type(operation, 0));
    ACCY_TRY_ASSIGN(const TensorType right, operand_type(operation, 1));
    ACCY_TRY(check_equal(left, right));
    ACCY_TRY(check_numeric(left));
    return std::vector<choir::Type>{left};
  }
  template <class Tensor>
  static Result<Tensor> evaluate(const Call<Tensor>& call) {
    return evaluate_binary<Op>(call);
  }
};

/// One operand and a result of one numeric type.
template <class Op>
struct UnaryOperator : Operator {
  static Result<std::vector<choir::Type>> infer(const choir::Operation& operation) {
    ACCY_TRY_ASSIGN(const TensorType type, operand_type(operation, 0));
    ACCY_TRY(check_numeric(type));
    return std::vector<choir::Type>{type};
  }
  template <class Tensor>
  static Result<Tensor> evaluate(const Call<Tensor>& call) {
    ACCY_TRY_ASSIGN(Tensor out, make_zeros<Tensor>(call.element, call.shape));
    with_numeric<Tensor>(call.element, call.mode, [&](const auto& arithmetic) {
      apply_unary<Op>(arithmetic, *call.operands[0], out);
    });
    return out;
  }
};

/// One operand and a result of one float type.
template <class Op>
struct FloatOperator : Operator {
  static Result<std::vector<choir::Type>> infer(const choir::Operation& operation) {
    ACCY_TRY_ASSIGN(const TensorType type, operand_type(operation, 0));
    ACCY_TRY(check_float(type));
    return std::vector<choir::Type>{type};
  }
  template <class Tensor>
  static Result<Tensor> evaluate(const Call<Tensor>& call) {
    ACCY_TRY_ASSIGN(Tensor out, make_zeros<Tensor>(call.element, call.shape));
    with_float<Tensor>(call.element, call.mode, [&](const auto& arithmetic) {
      apply_unary<Op>(arithmetic, *call.operands[0], out);
    });
    return out;
  }
};

}  // namespace accy::tensor
