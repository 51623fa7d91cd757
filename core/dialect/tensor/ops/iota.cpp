// Indices as numbers.
#include "dialect/tensor/arithmetic/dispatch.hpp"
#include "dialect/tensor/define.hpp"
#include "dialect/tensor/ops/cast.hpp"
#include "dialect/tensor/strides.hpp"

namespace accy::tensor {

struct Iota : Operator {
  static constexpr std::string_view name = "tensor.iota";
  static constexpr std::string_view summary =
      "each element's index along an axis; narrow integers wrap, floats round";
  static constexpr int operand_count = 0;
  static constexpr std::array attributes{
      AttributeRule{"axis", choir::AttributeKind::integer, true, "axis of the result"}};

  static Status check(const choir::Operation& operation) {
    ACCY_TRY_ASSIGN(const TensorType type, result_type(operation));
    ACCY_TRY(check_numeric(type));
    ACCY_TRY(axis_attribute(operation, "axis", type.rank()));
    return {};
  }
  template <class Tensor>
  static Result<Tensor> evaluate(const Call<Tensor>& call) {
    ACCY_TRY_ASSIGN(const std::size_t axis,
                    axis_attribute(call.operation, "axis", call.shape.size()));
    ACCY_TRY_ASSIGN(Tensor indices, make_zeros<Tensor>(ElementType::i64, call.shape));
    std::vector<std::int64_t> strides(call.shape.size(), 0);
    strides[axis] = 1;
    with_integer<Tensor>(ElementType::i64, call.mode, [&](const auto& arithmetic) {
      auto result = arithmetic.writer(indices);
      StridedCounter counter(call.shape, strides);
      const std::int64_t count = indices.count();
      for (std::int64_t index = 0; index < count; ++index, counter.advance())
        result.set(index, arithmetic.constant(static_cast<double>(counter.offset())));
    });
    return cast_tensor(indices, call.element, call.mode);
  }
};

template const choir::OperationDefinition& definition<Iota>();

}  // namespace accy::tensor
