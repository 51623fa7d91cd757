// Matrix product, batched.
#include <algorithm>

#include "dialect/tensor/arithmetic/dispatch.hpp"
#include "dialect/tensor/define.hpp"
#include "dialect/tensor/ops/cast.hpp"

namespace accy::tensor {

using choir::AttributeKind;

struct MatrixMultiply : Operator {
  static constexpr std::string_view name = "tensor.matmul";
  static constexpr std::string_view summary =
      "[batch.., M, K] x [batch.., K, N], or x [K, N] for all batches, to [batch.., M, N]; K = 0 "
      "gives zeros";
  static constexpr int operand_count = 2;
  static constexpr std::array attributes{
      AttributeRule{"accumulate", AttributeKind::word, false, "element type of the partial sums"},
      AttributeRule{"order", AttributeKind::word, false, "free or fixed"}};

  static Status check_shapes(TensorType left, TensorType right) {
    if (left.rank() < 2 || right.rank() < 2)
      return invalid("matmul takes matrices, but the operands are " + type_to_string(left) +
                     " and " + type_to_string(right));
    if (right.rank() != 2 && right.rank() != left.rank())
      return invalid("ranks of the operands differ (" + std::to_string(left.rank()) + " and " +
                     std::to_string(right.rank()) + ")");
    for (std::size_t axis = 0; right.rank() > 2 && axis + 2 < left.rank(); ++axis)
      if (left.dimension(axis) != right.dimension(axis))
        return invalid("batch axis " + std::to_string(axis) + " differs (" +
                       left.dimension(axis).to_string() + " and " +
                       right.dimension(axis).to_string() + ")");
    const Dimension columns = left.dimension(left.rank() - 1);
    const Dimension rows = right.dimension(right.rank() - 2);
    if (columns != rows)
      return invalid("inner sizes differ (" + columns.to_string() + " columns, " +
                     rows.to_string() + " rows)");
    return {};
  }

  static Result<std::vector<choir::Type>> infer(const choir::Operation& operation) {
    static constexpr std::string_view orders[] = {"free", "fixed"};
    ACCY_TRY_ASSIGN(const TensorType left, operand_type(operation, 0));
    ACCY_TRY_ASSIGN(const TensorType right, operand_type(operation, 1));
    ACCY_TRY(check_numeric(left));
    if (left.element() != right.element())
      return invalid("element types differ (" + std::string(to_string(left.element())) + " and " +
                     std::string(to_string(right.element())) + ")");
    ACCY_TRY(check_shapes(left, right));
    ACCY_TRY(choice_attribute(operation, "order", orders));
    ACCY_TRY(check_accumulate(operation, left.element()));
    std::vector<Dimension> shape = left.shape();
    shape.back() = right.dimension(right.rank() - 1);
    ACCY_TRY(check_elements(shape));
    return std::vector<choir::Type>{TensorType::get(operation.context(), left.element(), shape)};
  }

  template <class Tensor>
  static Result<Tensor> evaluate(const Call<Tensor>& call) {
    const ElementType wide = accumulate_type(call.operation, call.element);
    ACCY_TRY_ASSIGN(const Tensor left, cast_tensor(*call.operands[0], wide, call.mode));
    ACCY_TRY_ASSIGN(const Tensor right, cast_tensor(*call.operands[1], wide, call.mode));
    ACCY_TRY_ASSIGN(Tensor out, make_zeros<Tensor>(wide, call.shape));
    const std::size_t rank = left.shape.size();
    const std::int64_t rows = left.shape[rank - 2];
    const std::int64_t depth = left.shape[rank - 1];
    const std::int64_t columns = call.shape[rank - 1];
    if (out.count() == 0) return cast_tensor(out, call.element, call.mode);
    const std::int64_t matrix = right.shape.size() == 2 ? 0 : depth * columns;
    with_numeric<Tensor>(wide, call.mode, [&](const auto& arithmetic) {
      const auto a = arithmetic.reader(left);
      const auto b = arithmetic.reader(right);
      auto result = arithmetic.writer(out);
      const std::int64_t lines = out.count() / columns;
      for (std::int64_t line = 0; line < lines; ++line)
        arithmetic.accumulate_row(a.from(line * depth), b.from(line / rows * matrix),
                                  result.from(line * columns), depth, columns);
    });
    return cast_tensor(out, call.element, call.mode);
  }
};

template const choir::OperationDefinition& definition<MatrixMultiply>();

}  // namespace accy::tensor
