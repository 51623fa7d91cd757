// Elements chosen by indices that are data. An index below zero counts from the end of its axis;
// one that is still outside stands for the nearest element.
#include <algorithm>
#include <cmath>
#include <limits>

#include "dialect/tensor/ops/movement.hpp"

namespace accy::tensor {

using choir::AttributeKind;

namespace {

Status check_indices(TensorType indices, TensorType type, std::size_t axis) {
  ACCY_TRY(check_integer(indices));
  const Dimension size = type.dimension(axis);
  if (!size.is_symbol() && size.size == 0)
    return invalid("axis " + std::to_string(axis) + " of size (0) has no element to gather");
  return {};
}

/// The element that an index stands for; `size` is not zero.
std::int64_t wrapped(double index, std::int64_t size) {
  const auto count = static_cast<double>(size);
  if (index < 0) index += count;
  return index >= count ? size - 1 : std::max<std::int64_t>(static_cast<std::int64_t>(index), 0);
}

double index_of(const HostTensor& indices, std::int64_t position) { return indices.at(position); }
double index_of(const WideTensor& indices, std::int64_t position) {
  return indices.value[static_cast<std::size_t>(position)];
}
bool is_certain(const HostTensor&, std::int64_t) { return true; }
bool is_certain(const WideTensor& indices, std::int64_t position) {
  return indices.bound[static_cast<std::size_t>(position)] == 0;
}
void forget(HostTensor&, std::int64_t) {}
void forget(WideTensor& out, std::int64_t position) {
  out.bound[static_cast<std::size_t>(position)] = std::numeric_limits<double>::infinity();
}

/// A result index splits into outer, position among the indices, and inner.
template <class Tensor>
void gather_along(const Tensor& in, const Tensor& indices, Tensor& out, std::size_t axis,
                  std::int64_t index_count) {
  const std::int64_t size = in.shape[axis];
  const std::int64_t inner = row_major_strides(in.shape)[axis];
  const std::int64_t count = out.count();
  for_planes(in, out, [&](const auto* from, auto* to) {
    for (std::int64_t position = 0; position < count; ++position) {
      const std::int64_t outer = position / inner / index_count;
      const std::int64_t chosen = wrapped(index_of(indices, position / inner % index_count), size);
      to[position] = from[(outer * size + chosen) * inner + position % inner];
    }
  });
  for (std::int64_t position = 0; position < count; ++position)
    if (!is_certain(indices, position / inner % index_count)) forget(out, position);
}

}  // namespace

struct Gather : Operator {
  static constexpr std::string_view name = "tensor.gather";
  static constexpr std::string_view summary =
      "slices of the first operand along an axis, at the indices of the second, whose axes replace "
      "it; an index below 0 counts from the end, one outside stands for the nearest";
  static constexpr int operand_count = 2;
  static constexpr bool displaces = true;
  static constexpr std::array attributes{
      AttributeRule{"axis", AttributeKind::integer, true, "axis of the first operand"}};

  static Result<std::vector<choir::Type>> infer(const choir::Operation& operation) {
    ACCY_TRY_ASSIGN(const TensorType type, operand_type(operation, 0));
    ACCY_TRY_ASSIGN(const TensorType indices, operand_type(operation, 1));
    ACCY_TRY_ASSIGN(const std::size_t axis, axis_attribute(operation, "axis", type.rank()));
    ACCY_TRY(check_indices(indices, type, axis));
    std::vector<Dimension> shape = type.shape();
    const auto place = shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(axis));
    const std::vector<Dimension> chosen = indices.shape();
    shape.insert(place, chosen.begin(), chosen.end());
    ACCY_TRY(check_elements(shape));
    return std::vector<choir::Type>{TensorType::get(operation.context(), type.element(), shape)};
  }
  template <class Tensor>
  static Result<Tensor> evaluate(const Call<Tensor>& call) {
    const Tensor& in = *call.operands[0];
    ACCY_TRY_ASSIGN(const std::size_t axis,
                    axis_attribute(call.operation, "axis", in.shape.size()));
    ACCY_TRY_ASSIGN(Tensor out, make_zeros<Tensor>(call.element, call.shape));
    if (out.count() == 0) return out;
    if (in.shape[axis] == 0)
      return invalid("axis " + std::to_string(axis) + " of size (0) has no element to gather");
    gather_along(in, *call.operands[1], out, axis, call.operands[1]->count());
    return out;
  }
};

struct GatherElements : Operator {
  static constexpr std::string_view name = "tensor.gather_elements";
  static constexpr std::string_view summary =
      "element i of the first operand with its index along an axis replaced by element i of the "
      "second; an index below 0 counts from the end, one outside stands for the nearest";
  static constexpr int operand_count = 2;
  static constexpr bool displaces = true;
  static constexpr std::array attributes{
      AttributeRule{"axis", AttributeKind::integer, true, "axis of both operands"}};

  static Result<std::vector<choir::Type>> infer(const choir::Operation& operation) {
    ACCY_TRY_ASSIGN(const TensorType type, operand_type(operation, 0));
    ACCY_TRY_ASSIGN(const TensorType indices, operand_type(operation, 1));
    ACCY_TRY_ASSIGN(const std::size_t axis, axis_attribute(operation, "axis", type.rank()));
    ACCY_TRY(check_indices(indices, type, axis));
    bool fits = indices.rank() == type.rank();
    for (std::size_t other = 0; fits && other < type.rank(); ++other)
      fits = other == axis || covers(type.dimension(other), indices.dimension(other));
    if (!fits)
      return invalid("indices of shape " + shape_to_string(indices.shape()) +
                     " reach beyond the shape " + shape_to_string(type.shape()) + " besides axis " +
                     std::to_string(axis));
    return std::vector<choir::Type>{
        TensorType::get(operation.context(), type.element(), indices.shape())};
  }
  template <class Tensor>
  static Result<Tensor> evaluate(const Call<Tensor>& call) {
    const Tensor& in = *call.operands[0];
    const Tensor& indices = *call.operands[1];
    ACCY_TRY_ASSIGN(const std::size_t axis,
                    axis_attribute(call.operation, "axis", in.shape.size()));
    ACCY_TRY_ASSIGN(Tensor out, make_zeros<Tensor>(call.element, call.shape));
    if (out.count() == 0) return out;
    if (in.shape[axis] == 0)
      return invalid("axis " + std::to_string(axis) + " of size (0) has no element to gather");
    std::vector<std::int64_t> strides = row_major_strides(in.shape);
    const std::int64_t stride = strides[axis];
    strides[axis] = 0;
    const std::int64_t count = out.count();
    for_planes(in, out, [&](const auto* from, auto* to) {
      StridedCounter counter(call.shape, strides);
      for (std::int64_t position = 0; position < count; ++position, counter.advance())
        to[position] =
            from[counter.offset() + wrapped(index_of(indices, position), in.shape[axis]) * stride];
    });
    for (std::int64_t position = 0; position < count; ++position)
      if (!is_certain(indices, position)) forget(out, position);
    return out;
  }

 private:
  static bool covers(const Dimension& whole, const Dimension& part) {
    return whole == part || (!whole.is_symbol() && !part.is_symbol() && part.size <= whole.size);
  }
};

template const choir::OperationDefinition& definition<Gather>();
template const choir::OperationDefinition& definition<GatherElements>();

}  // namespace accy::tensor
