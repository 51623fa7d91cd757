// Parts of a tensor in another order: slice, reverse, diagonal.
#include <algorithm>

#include "dialect/tensor/ops/movement.hpp"

namespace accy::tensor {

using choir::AttributeKind;

namespace {

std::vector<AxisSource> identity_sources(std::size_t rank) {
  std::vector<AxisSource> sources(rank);
  for (std::size_t axis = 0; axis < rank; ++axis) sources[axis].axis = static_cast<int>(axis);
  return sources;
}

}  // namespace

struct Slice : Movement<Slice> {
  static constexpr std::string_view name = "tensor.slice";
  static constexpr std::string_view summary =
      "elements start, start + stride, ... below limit along some axes, the others whole";
  static constexpr std::array attributes{
      AttributeRule{"axes", AttributeKind::array, true, "increasing axes of static size"},
      AttributeRule{"starts", AttributeKind::array, true, "first index of each of the axes"},
      AttributeRule{"limits", AttributeKind::array, true, "end of each axis, not below its start"},
      AttributeRule{"strides", AttributeKind::array, false, "steps from 1 up; 1 by default"}};

  struct Range {
    std::size_t axis = 0;
    std::int64_t start = 0;
    std::int64_t limit = 0;
    std::int64_t stride = 1;
  };

  static Result<std::vector<Range>> ranges(const choir::Operation& operation, std::size_t rank) {
    ACCY_TRY_ASSIGN(const auto axes, axes_attribute(operation, "axes", rank));
    ACCY_TRY(check_increasing(axes, "axes"));
    ACCY_TRY_ASSIGN(const auto starts, integers_attribute(operation, "starts", axes.size()));
    ACCY_TRY_ASSIGN(const auto limits, integers_attribute(operation, "limits", axes.size()));
    std::vector<std::int64_t> strides(axes.size(), 1);
    if (operation.attribute("strides")) {
      ACCY_TRY_ASSIGN(strides, integers_attribute(operation, "strides", axes.size()));
    }
    std::vector<Range> ranges;
    for (std::size_t index = 0; index < axes.size(); ++index)
      ranges.push_back({axes[index], starts[index], limits[index], strides[index]});
    return ranges;
  }

  static Result<std::vector<choir::Type>> infer(const choir::Operation& operation) {
    ACCY_TRY_ASSIGN(const TensorType type, operand_type(operation, 0));
    ACCY_TRY_ASSIGN(const auto list, ranges(operation, type.rank()));
    std::vector<Dimension> shape = type.shape();
    for (const Range& range : list) {
      ACCY_TRY_ASSIGN(const std::int64_t size, static_size(type, range.axis));
      if (range.stride < 1)
        return invalid("stride (" + std::to_string(range.stride) + ") is not above zero");
      if (range.start < 0 || range.start > range.limit || range.limit > size)
        return invalid("elements " + std::to_string(range.start) + " to " +
                       std::to_string(range.limit) + " are no part of axis " +
                       std::to_string(range.axis) + " of size (" + std::to_string(size) + ")");
      shape[range.axis] = {ceil_divide(range.limit - range.start, range.stride), {}};
    }
    ACCY_TRY(check_elements(shape));  // the axis cut may have been the one of size zero
    return std::vector<choir::Type>{TensorType::get(operation.context(), type.element(), shape)};
  }
  static std::vector<AxisSource> sources(const choir::Operation& operation,
                                         std::span<const std::int64_t> from,
                                         std::span<const std::int64_t>) {
    std::vector<AxisSource> sources = identity_sources(from.size());
    const auto list = *ranges(operation, from.size());
    for (const Range& range : list) {
      sources[range.axis].scale = range.stride;
      sources[range.axis].offset = range.start;
    }
    return sources;
  }
};

struct Reverse : Movement<Reverse> {
  static constexpr std::string_view name = "tensor.reverse";
  static constexpr std::string_view summary = "the elements from last to first along some axes";
  static constexpr std::array attributes{
      AttributeRule{"axes", AttributeKind::array, true, "axes of the operand, each once"}};

  static Result<std::vector<choir::Type>> infer(const choir::Operation& operation) {
    ACCY_TRY_ASSIGN(const TensorType type, operand_type(operation, 0));
    ACCY_TRY(axes_attribute(operation, "axes", type.rank()));
    return std::vector<choir::Type>{type};
  }
  static std::vector<AxisSource> sources(const choir::Operation& operation,
                                         std::span<const std::int64_t> from,
                                         std::span<const std::int64_t>) {
    std::vector<AxisSource> sources = identity_sources(from.size());
    const auto axes = *axes_attribute(operation, "axes", from.size());
    for (std::size_t axis : axes) {
      sources[axis].scale = -1;
      sources[axis].offset = from[axis] - 1;
    }
    return sources;
  }
};

struct Diagonal : Movement<Diagonal> {
  static constexpr std::string_view name = "tensor.diagonal";
  static constexpr std::string_view summary =
      "elements with one index along both axes; the second axis is dropped";
  static constexpr std::array attributes{
      AttributeRule{"axes", AttributeKind::array, true, "two increasing axes of one size"}};

  static Result<std::vector<choir::Type>> infer(const choir::Operation& operation) {
    ACCY_TRY_ASSIGN(const TensorType type, operand_type(operation, 0));
    ACCY_TRY_ASSIGN(const auto axes, axes_attribute(operation, "axes", type.rank()));
    ACCY_TRY(check_increasing(axes, "axes"));
    if (axes.size() != 2)
      return invalid("attribute axes holds " + std::to_string(axes.size()) +
                     " axes, a diagonal has 2");
    std::vector<Dimension> shape = type.shape();
    if (shape[axes[0]] != shape[axes[1]])
      return invalid("axes of sizes (" + shape[axes[0]].to_string() + ") and (" +
                     shape[axes[1]].to_string() + ") have no diagonal");
    shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(axes[1]));
    return std::vector<choir::Type>{TensorType::get(operation.context(), type.element(), shape)};
  }
  static std::vector<AxisSource> sources(const choir::Operation& operation,
                                         std::span<const std::int64_t> from,
                                         std::span<const std::int64_t>) {
    const auto axes = *axes_attribute(operation, "axes", from.size());
    std::vector<AxisSource> sources = identity_sources(from.size());
    sources[axes[1]].axis = static_cast<int>(axes[0]);
    for (std::size_t axis = axes[1] + 1; axis < from.size(); ++axis) --sources[axis].axis;
    return sources;
  }
};

template const choir::OperationDefinition& definition<Slice>();
template const choir::OperationDefinition& definition<Reverse>();
template const choir::OperationDefinition& definition<Diagonal>();

}  // namespace accy::tensor
