// Comparison to bool, and choice by a bool.
#include "dialect/tensor/ops/elementwise.hpp"

namespace accy::tensor {

using choir::AttributeKind;

struct Compare : Operator {
  static constexpr std::string_view name = "tensor.compare";
  static constexpr std::string_view summary =
      "x <predicate> y as bool; with a NaN only ne is true; bools compare eq and ne";
  static constexpr int operand_count = 2;
  static constexpr std::array attributes{
      AttributeRule{"predicate", AttributeKind::word, true, "eq, ne, lt, le, gt or ge"}};

  enum Predicate : std::size_t { eq, ne, lt, le, gt, ge };
  static Result<Predicate> predicate(const choir::Operation& operation) {
    static constexpr std::string_view names[] = {"eq", "ne", "lt", "le", "gt", "ge"};
    ACCY_TRY(required_attribute(operation, "predicate", AttributeKind::word));
    ACCY_TRY_ASSIGN(const std::size_t index, choice_attribute(operation, "predicate", names));
    return static_cast<Predicate>(index);
  }

  static Result<std::vector<choir::Type>> infer(const choir::Operation& operation) {
    ACCY_TRY_ASSIGN(const TensorType left, operand_type(operation, 0));
    ACCY_TRY_ASSIGN(const TensorType right, operand_type(operation, 1));
    ACCY_TRY(check_equal(left, right));
    ACCY_TRY_ASSIGN(const Predicate wanted, predicate(operation));
    if (left.element() == ElementType::boolean && wanted != eq && wanted != ne)
      return invalid("operand is " + type_to_string(left) + ", which has no order");
    return std::vector<choir::Type>{
        TensorType::get(operation.context(), ElementType::boolean, left.shape())};
  }

  template <class Tensor>
  static Result<Tensor> evaluate(const Call<Tensor>& call) {
    ACCY_TRY_ASSIGN(Predicate wanted, predicate(call.operation));
    ACCY_TRY_ASSIGN(Tensor out, make_zeros<Tensor>(ElementType::boolean, call.shape));
    const bool swapped = wanted == gt || wanted == ge;
    const Tensor& left = *call.operands[swapped ? 1 : 0];
    const Tensor& right = *call.operands[swapped ? 0 : 1];
    with_any<Tensor>(left.element, call.mode, [&](const auto& arithmetic) {
      const auto fill = [&](auto compare) {
        const auto x = arithmetic.reader(left);
        const auto y = arithmetic.reader(right);
        auto result = boolean_arithmetic<Tensor>(call.mode).writer(out);
        const std::int64_t count = out.count();
        for (std::int64_t index = 0; index < count; ++index)
          result.set(index, compare(x[index], y[index]));
      };
      if (wanted == eq || wanted == ne)
        fill([&](auto x, auto y) { return arithmetic.equal(x, y); });
      else if (wanted == lt || wanted == gt)
        fill([&](auto x, auto y) { return arithmetic.less(x, y); });
      else
        fill([&](auto x, auto y) { return arithmetic.less_or_equal(x, y); });
    });
    if (wanted == ne) invert(out);
    return out;
  }

  static void invert(HostTensor& tensor) {
    for (std::byte& byte : tensor.bytes) byte ^= std::byte{1};
  }
  static void invert(WideTensor& tensor) {
    for (double& value : tensor.value) value = 1 - value;
  }
};

struct Select : Operator {
  static constexpr std::string_view name = "tensor.select";
  static constexpr std::string_view summary = "x where the condition is true, else y";
  static constexpr int operand_count = 3;

  static Result<std::vector<choir::Type>> infer(const choir::Operation& operation) {
    ACCY_TRY_ASSIGN(const TensorType condition, operand_type(operation, 0));
    ACCY_TRY_ASSIGN(const TensorType left, operand_type(operation, 1));
    ACCY_TRY_ASSIGN(const TensorType right, operand_type(operation, 2));
    if (condition.element() != ElementType::boolean)
      return invalid("condition is " + type_to_string(condition) + ", expected bool elements");
    if (condition.shape() != left.shape())
      return invalid("condition has shape " + shape_to_string(condition.shape()) +
                     ", but the values have " + shape_to_string(left.shape()));
    ACCY_TRY(check_equal(left, right));
    return std::vector<choir::Type>{left};
  }

  template <class Tensor>
  static Result<Tensor> evaluate(const Call<Tensor>& call) {
    ACCY_TRY_ASSIGN(Tensor out, make_zeros<Tensor>(call.element, call.shape));
    choose(*call.operands[0], *call.operands[1], *call.operands[2], out);
    return out;
  }

  static void choose(const HostTensor& condition, const HostTensor& left, const HostTensor& right,
                     HostTensor& out) {
    const std::span<const std::uint8_t> taken = condition.view<std::uint8_t>();
    out.bytes = right.bytes;
    for_planes(left, out, [&](const auto* from, auto* to) {
      for (std::size_t index = 0; index < taken.size(); ++index)
        if (taken[index] != 0) to[index] = from[index];
    });
  }
  static void choose(const WideTensor& condition, const WideTensor& left, const WideTensor& right,
                     WideTensor& out) {
    const Wide::Reader taken = Wide::reader(condition);
    const Wide::Reader x = Wide::reader(left);
    const Wide::Reader y = Wide::reader(right);
    Wide::Writer result = Wide::writer(out);
    for (std::int64_t index = 0; index < out.count(); ++index)
      result.set(index, Wide::select(taken[index], x[index], y[index]));
  }
};

template const choir::OperationDefinition& definition<Compare>();
template const choir::OperationDefinition& definition<Select>();

}  // namespace accy::tensor
