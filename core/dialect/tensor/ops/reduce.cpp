// Reduction over axes.
#include <algorithm>

#include "dialect/tensor/arithmetic/dispatch.hpp"
#include "dialect/tensor/define.hpp"
#include "dialect/tensor/ops/cast.hpp"
#include "dialect/tensor/reduction.hpp"
#include "dialect/tensor/strides.hpp"
#include "support/checked.hpp"

namespace accy::tensor {

using choir::AttributeKind;

namespace {

/// The axes of a shape, chosen or left over.
struct AxisSet {
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;
};

/// The axes for which `reduced` says so, neighbours merged where one stride serves both.
AxisSet pick_axes(std::span<const std::int64_t> shape, std::span<const std::size_t> axes,
                  bool reduced) {
  const std::vector<std::int64_t> strides = row_major_strides(shape);
  AxisSet set;
  bool previous = false;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const bool listed = std::find(axes.begin(), axes.end(), axis) != axes.end();
    const bool taken = listed == reduced;
    if (taken && previous) {
      const auto merged = static_cast<std::uint64_t>(set.shape.back());  // may wrap when empty
      set.shape.back() =
          static_cast<std::int64_t>(merged * static_cast<std::uint64_t>(shape[axis]));
      set.strides.back() = strides[axis];
    } else if (taken) {
      set.shape.push_back(shape[axis]);
      set.strides.push_back(strides[axis]);
    }
    previous = taken;
  }
  return set;
}

/// Offsets of the reduced elements from the first, in row-major order.
std::vector<std::int64_t> element_offsets(const AxisSet& set, std::int64_t count) {
  std::vector<std::int64_t> offsets(static_cast<std::size_t>(count));
  StridedCounter counter(set.shape, set.strides);
  for (std::int64_t& offset : offsets) {
    offset = counter.offset();
    counter.advance();
  }
  return offsets;
}

/// Calls combine(elements) for each output, elements(i) being the i-th element that it reduces.
template <class Arithmetic, class Tensor, class Combine>
void reduce_all(const Arithmetic& arithmetic, const Tensor& in, Tensor& out,
                std::span<const std::size_t> axes, std::int64_t count, Combine combine) {
  const AxisSet kept = pick_axes(in.shape, axes, false);
  const AxisSet reduced = pick_axes(in.shape, axes, true);
  const auto input = arithmetic.reader(in);
  auto result = arithmetic.writer(out);
  const std::int64_t outputs = out.count();
  StridedCounter counter(kept.shape, kept.strides);
  if (reduced.shape.size() <= 1) {
    const std::int64_t stride = reduced.strides.empty() ? 0 : reduced.strides[0];
    for (std::int64_t index = 0; index < outputs; ++index, counter.advance())
      result.set(index, combine([from = input.from(counter.offset()), stride](std::int64_t i) {
                   return from[i * stride];
                 }));
    return;
  }
  const std::vector<std::int64_t> offsets = element_offsets(reduced, count);
  for (std::int64_t index = 0; index < outputs; ++index, counter.advance())
    result.set(index, combine([from = input.from(counter.offset()), &offsets](std::int64_t i) {
                 return from[offsets[static_cast<std::size_t>(i)]];
               }));
}

}  // namespace

struct Reduce : Operator {
  static constexpr std::string_view name = "tensor.reduce";
  static constexpr std::string_view summary =
      "sum, product, max or min over axes, which the result drops; of no elements 0, 1, the lowest "
      "or the highest value";
  static constexpr std::array attributes{
      AttributeRule{"function", AttributeKind::word, true, "sum, product, max or min"},
      AttributeRule{"axes", AttributeKind::array, true, "increasing axes of the operand"},
      AttributeRule{"accumulate", AttributeKind::word, false, "element type of the partial sums"},
      AttributeRule{"order", AttributeKind::word, false, "free or fixed"}};

  static Result<std::vector<choir::Type>> infer(const choir::Operation& operation) {
    static constexpr std::string_view orders[] = {"free", "fixed"};
    ACCY_TRY_ASSIGN(const TensorType type, operand_type(operation, 0));
    ACCY_TRY(check_numeric(type));
    ACCY_TRY(reduce_function(operation));
    ACCY_TRY(choice_attribute(operation, "order", orders));
    ACCY_TRY(check_accumulate(operation, type.element()));
    ACCY_TRY_ASSIGN(const auto axes, axes_attribute(operation, "axes", type.rank()));
    ACCY_TRY(check_increasing(axes, "axes"));
    std::vector<Dimension> shape;
    for (std::size_t axis = 0; axis < type.rank(); ++axis)
      if (std::find(axes.begin(), axes.end(), axis) == axes.end())
        shape.push_back(type.dimension(axis));
    ACCY_TRY(check_elements(shape));  // the dropped axis may have been the one of size zero
    return std::vector<choir::Type>{TensorType::get(operation.context(), type.element(), shape)};
  }

  template <class Tensor>
  static Result<Tensor> evaluate(const Call<Tensor>& call) {
    const Tensor& operand = *call.operands[0];
    ACCY_TRY_ASSIGN(const auto axes, axes_attribute(call.operation, "axes", operand.shape.size()));
    ACCY_TRY_ASSIGN(const ReduceFunction function, reduce_function(call.operation));
    const ElementType wide =
        accumulates(function) ? accumulate_type(call.operation, call.element) : call.element;
    std::vector<std::int64_t> sizes;
    for (std::size_t axis : axes) sizes.push_back(operand.shape[axis]);
    ACCY_TRY_ASSIGN(const std::int64_t count, element_count(sizes));
    ACCY_TRY_ASSIGN(const Tensor in, cast_tensor(operand, wide, call.mode));
    ACCY_TRY_ASSIGN(Tensor out, make_zeros<Tensor>(wide, call.shape));
    with_numeric<Tensor>(wide, call.mode, [&](const auto& arithmetic) {
      reduce_all(arithmetic, in, out, axes, count, [&](auto elements) {
        switch (function) {
          case ReduceFunction::sum: return arithmetic.sum(count, elements);
          case ReduceFunction::product: return arithmetic.product(count, elements);
          case ReduceFunction::max: return arithmetic.largest(count, elements);
          case ReduceFunction::min: break;
        }
        return arithmetic.smallest(count, elements);
      });
    });
    return cast_tensor(out, call.element, call.mode);
  }
};

template const choir::OperationDefinition& definition<Reduce>();

}  // namespace accy::tensor
