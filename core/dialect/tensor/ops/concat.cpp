// Tensors put together: concat and pad.
#include <algorithm>

#include "dialect/tensor/ops/movement.hpp"

namespace accy::tensor {

using choir::AttributeKind;

namespace {

/// out[offset + i in out's strides] = in[i]
template <class Tensor>
void place(const Tensor& in, Tensor& out, std::int64_t offset) {
  const std::vector<std::int64_t> strides = row_major_strides(out.shape);
  const std::int64_t count = in.count();
  for_planes(in, out, [&](const auto* from, auto* to) {
    StridedCounter counter(in.shape, strides);
    for (std::int64_t index = 0; index < count; ++index, counter.advance())
      to[offset + counter.offset()] = from[index];
  });
}

}  // namespace

struct Concat : Operator {
  static constexpr std::string_view name = "tensor.concat";
  static constexpr std::string_view summary = "the operands one after the other along an axis";
  static constexpr int operand_count = -1;
  static constexpr bool displaces = true;
  static constexpr std::array attributes{
      AttributeRule{"axis", AttributeKind::integer, true, "axis of every operand"}};

  static Result<std::vector<choir::Type>> infer(const choir::Operation& operation) {
    ACCY_TRY_ASSIGN(const TensorType first, operand_type(operation, 0));
    ACCY_TRY_ASSIGN(const std::size_t axis, axis_attribute(operation, "axis", first.rank()));
    std::vector<Dimension> shape = first.shape();
    if (operation.operand_count() == 1) return std::vector<choir::Type>{first};
    std::int64_t total = 0;
    for (std::size_t index = 0; index < operation.operand_count(); ++index) {
      ACCY_TRY_ASSIGN(const TensorType type, operand_type(operation, index));
      ACCY_TRY(check_fits(first, type, index, axis));
      ACCY_TRY_ASSIGN(const std::int64_t size, static_size(type, axis));
      if (__builtin_add_overflow(total, size, &total))
        return invalid("size along axis " + std::to_string(axis) + " exceeds 2^63 - 1");
    }
    shape[axis] = {total, {}};
    ACCY_TRY(check_elements(shape));
    return std::vector<choir::Type>{TensorType::get(operation.context(), first.element(), shape)};
  }

  template <class Tensor>
  static Result<Tensor> evaluate(const Call<Tensor>& call) {
    ACCY_TRY_ASSIGN(const std::size_t axis,
                    axis_attribute(call.operation, "axis", call.shape.size()));
    ACCY_TRY_ASSIGN(Tensor out, make_zeros<Tensor>(call.element, call.shape));
    const std::int64_t stride = row_major_strides(call.shape)[axis];
    std::int64_t before = 0;
    for (const Tensor* operand : call.operands) {
      place(*operand, out, before * stride);
      before += operand->shape[axis];
    }
    return out;
  }

 private:
  static Status check_fits(TensorType first, TensorType type, std::size_t index, std::size_t axis) {
    std::vector<Dimension> expected = first.shape();
    std::vector<Dimension> shape = type.shape();
    if (shape.size() == expected.size()) shape[axis] = expected[axis];
    if (type.element() == first.element() && shape == expected) return {};
    return invalid("operand " + std::to_string(index) + " is " + type_to_string(type) +
                   ", which differs from the first, " + type_to_string(first) + ", beyond axis " +
                   std::to_string(axis));
  }
};

struct Pad : Operator {
  static constexpr std::string_view name = "tensor.pad";
  static constexpr std::string_view summary =
      "the first operand with the second, a scalar, before and after it along some axes";
  static constexpr int operand_count = 2;
  static constexpr bool displaces = true;
  static constexpr std::array attributes{
      AttributeRule{"axes", AttributeKind::array, true, "increasing axes of static size"},
      AttributeRule{"low", AttributeKind::array, true, "elements before, one count an axis"},
      AttributeRule{"high", AttributeKind::array, true, "elements after, one count an axis"}};

  static Result<std::vector<choir::Type>> infer(const choir::Operation& operation) {
    ACCY_TRY_ASSIGN(const TensorType type, operand_type(operation, 0));
    ACCY_TRY_ASSIGN(const TensorType value, operand_type(operation, 1));
    if (value.rank() != 0 || value.element() != type.element())
      return invalid("operand 1 is " + type_to_string(value) + ", expected a scalar of " +
                     std::string(to_string(type.element())));
    ACCY_TRY_ASSIGN(const auto axes, axes_attribute(operation, "axes", type.rank()));
    ACCY_TRY(check_increasing(axes, "axes"));
    ACCY_TRY_ASSIGN(const auto low, integers_attribute(operation, "low", axes.size()));
    ACCY_TRY_ASSIGN(const auto high, integers_attribute(operation, "high", axes.size()));
    std::vector<Dimension> shape = type.shape();
    for (std::size_t index = 0; index < axes.size(); ++index) {
      ACCY_TRY_ASSIGN(std::int64_t size, static_size(type, axes[index]));
      if (low[index] < 0 || high[index] < 0)
        return invalid("padding (" + std::to_string(std::min(low[index], high[index])) +
                       ") is below zero; a slice takes elements away");
      if (__builtin_add_overflow(size, low[index], &size) ||
          __builtin_add_overflow(size, high[index], &size))
        return invalid("size along axis " + std::to_string(axes[index]) + " exceeds 2^63 - 1");
      shape[axes[index]] = {size, {}};
    }
    ACCY_TRY(check_elements(shape));
    return std::vector<choir::Type>{TensorType::get(operation.context(), type.element(), shape)};
  }

  template <class Tensor>
  static Result<Tensor> evaluate(const Call<Tensor>& call) {
    const Tensor& in = *call.operands[0];
    ACCY_TRY_ASSIGN(Tensor out, make_zeros<Tensor>(call.element, call.shape));
    copy_strided(*call.operands[1], out, std::vector<std::int64_t>(call.shape.size(), 0), 0);
    ACCY_TRY_ASSIGN(const auto axes, axes_attribute(call.operation, "axes", in.shape.size()));
    ACCY_TRY_ASSIGN(const auto low, integers_attribute(call.operation, "low", axes.size()));
    const std::vector<std::int64_t> strides = row_major_strides(call.shape);
    std::int64_t offset = 0;
    for (std::size_t index = 0; index < axes.size(); ++index)
      offset += low[index] * strides[axes[index]];
    place(in, out, offset);
    return out;
  }
};

template const choir::OperationDefinition& definition<Concat>();
template const choir::OperationDefinition& definition<Pad>();

}  // namespace accy::tensor
