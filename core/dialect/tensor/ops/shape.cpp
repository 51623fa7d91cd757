// Ops that only move elements.
#include <algorithm>
#include <map>
#include <numeric>

#include "dialect/tensor/arithmetic/dispatch.hpp"
#include "dialect/tensor/define.hpp"
#include "dialect/tensor/strides.hpp"
#include "support/checked.hpp"

namespace accy::tensor {

using choir::AttributeKind;

namespace {

/// out[i] = in[sum over axes of i * stride], `shape` being out's.
template <class Tensor>
void gather(const Tensor& in, Tensor& out, std::span<const std::int64_t> strides) {
  const std::int64_t inner = out.shape.empty() ? 1 : out.shape.back();
  const std::int64_t step = strides.empty() ? 0 : strides.back();
  const std::size_t outer = out.shape.empty() ? 0 : out.shape.size() - 1;
  const std::int64_t count = out.count();
  for_planes(in, out, [&](const auto* from, auto* to) {
    StridedCounter counter(std::span(out.shape).first(outer), strides.first(outer));
    for (std::int64_t start = 0; start < count; start += inner, counter.advance())
      for (std::int64_t index = 0; index < inner; ++index)
        to[start + index] = from[counter.offset() + index * step];
  });
}

}  // namespace

struct Broadcast : Operator {
  static constexpr std::string_view name = "tensor.broadcast";
  static constexpr std::string_view summary =
      "operand axis i becomes result axis axes[i]; an axis of size 1 and the other result axes "
      "repeat";
  static constexpr std::array attributes{
      AttributeRule{"axes", AttributeKind::array, true,
                    "increasing result axes, one an operand axis"}};

  static Status check(const choir::Operation& operation) {
    ACCY_TRY_ASSIGN(const TensorType from, operand_type(operation, 0));
    ACCY_TRY_ASSIGN(const TensorType to, result_type(operation));
    ACCY_TRY_ASSIGN(const auto axes, axes_attribute(operation, "axes", to.rank()));
    ACCY_TRY(check_increasing(axes, "axes"));
    if (from.element() != to.element())
      return invalid("broadcast changes the element type from " +
                     std::string(to_string(from.element())) + " to " +
                     std::string(to_string(to.element())));
    if (axes.size() != from.rank())
      return invalid("attribute axes holds " + std::to_string(axes.size()) +
                     " axes for an operand of rank " + std::to_string(from.rank()));
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
      const Dimension size = from.dimension(axis);
      const Dimension target = to.dimension(axes[axis]);
      if (size != target && size != Dimension{1, {}})
        return invalid("operand axis " + std::to_string(axis) + " of size (" + size.to_string() +
                       ") is neither 1 nor the size of result axis " +
                       std::to_string(axes[axis]) + " (" + target.to_string() + ")");
    }
    return {};
  }
  template <class Tensor>
  static Result<Tensor> evaluate(const Call<Tensor>& call) {
    const Tensor& in = *call.operands[0];
    ACCY_TRY_ASSIGN(const auto axes, axes_attribute(call.operation, "axes", call.shape.size()));
    ACCY_TRY_ASSIGN(Tensor out, make_zeros<Tensor>(call.element, call.shape));
    const std::vector<std::int64_t> source = row_major_strides(in.shape);
    std::vector<std::int64_t> strides(call.shape.size(), 0);
    for (std::size_t axis = 0; axis < axes.size(); ++axis)
      if (in.shape[axis] != 1) strides[axes[axis]] = source[axis];
    gather(in, out, strides);
    return out;
  }
};

struct Reshape : Operator {
  static constexpr std::string_view name = "tensor.reshape";
  static constexpr std::string_view summary = "the same elements, row major, in another shape";

  /// The constant factor of the element count and its symbols, sorted.
  struct Product {
    std::int64_t sizes = 1;
    std::vector<std::string_view> symbols;
    friend bool operator==(const Product&, const Product&) = default;
  };
  static Result<Product> product(TensorType type) {
    Product made;
    std::vector<std::int64_t> sizes;
    for (const Dimension& dimension : type.shape()) {
      if (dimension.is_symbol()) made.symbols.push_back(dimension.symbol);
      else sizes.push_back(dimension.size);
    }
    std::sort(made.symbols.begin(), made.symbols.end());
    ACCY_TRY_ASSIGN(made.sizes, element_count(sizes));
    return made;
  }
  static Status check(const choir::Operation& operation) {
    ACCY_TRY_ASSIGN(const TensorType from, operand_type(operation, 0));
    ACCY_TRY_ASSIGN(const TensorType to, result_type(operation));
    if (from.element() != to.element())
      return invalid("reshape changes the element type from " +
                     std::string(to_string(from.element())) + " to " +
                     std::string(to_string(to.element())));
    ACCY_TRY_ASSIGN(const Product before, product(from));
    ACCY_TRY_ASSIGN(const Product after, product(to));
    const bool empty = from.is_static() && to.is_static() && before.sizes == 0 && after.sizes == 0;
    if (before == after || empty) return {};
    return invalid("reshape changes the element count from " + shape_to_string(from.shape()) +
                   " to " + shape_to_string(to.shape()));
  }
  template <class Tensor>
  static Result<Tensor> evaluate(const Call<Tensor>& call) {
    Tensor out = *call.operands[0];
    out.shape.assign(call.shape.begin(), call.shape.end());
    return out;
  }
};

struct Transpose : Operator {
  static constexpr std::string_view name = "tensor.transpose";
  static constexpr std::string_view summary = "result axis i is operand axis permutation[i]";
  static constexpr std::array attributes{
      AttributeRule{"permutation", AttributeKind::array, true, "operand axes, each once"}};

  static Result<std::vector<choir::Type>> infer(const choir::Operation& operation) {
    ACCY_TRY_ASSIGN(const TensorType type, operand_type(operation, 0));
    ACCY_TRY_ASSIGN(const auto axes, axes_attribute(operation, "permutation", type.rank()));
    if (axes.size() != type.rank())
      return invalid("attribute permutation holds " + std::to_string(axes.size()) +
                     " axes for an operand of rank " + std::to_string(type.rank()));
    std::vector<Dimension> shape;
    for (std::size_t axis : axes) shape.push_back(type.dimension(axis));
    return std::vector<choir::Type>{TensorType::get(operation.context(), type.element(), shape)};
  }
  template <class Tensor>
  static Result<Tensor> evaluate(const Call<Tensor>& call) {
    const Tensor& in = *call.operands[0];
    ACCY_TRY_ASSIGN(const auto axes,
                    axes_attribute(call.operation, "permutation", in.shape.size()));
    ACCY_TRY_ASSIGN(Tensor out, make_zeros<Tensor>(call.element, call.shape));
    const std::vector<std::int64_t> source = row_major_strides(in.shape);
    std::vector<std::int64_t> strides;
    for (std::size_t axis : axes) strides.push_back(source[axis]);
    gather(in, out, strides);
    return out;
  }
};

template const choir::OperationDefinition& definition<Broadcast>();
template const choir::OperationDefinition& definition<Reshape>();
template const choir::OperationDefinition& definition<Transpose>();

}  // namespace accy::tensor
