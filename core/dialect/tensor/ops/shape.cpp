// Ops that only move elements.
#include <algorithm>

#include "dialect/tensor/ops/movement.hpp"
#include "support/checked.hpp"

namespace accy::tensor {

using choir::AttributeKind;

struct Broadcast : Movement<Broadcast> {
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
  static std::vector<AxisSource> sources(const choir::Operation& operation,
                                         std::span<const std::int64_t> from,
                                         std::span<const std::int64_t> to) {
    std::vector<AxisSource> sources(from.size());
    const auto axes = *axes_attribute(operation, "axes", to.size());
    for (std::size_t axis = 0; axis < from.size(); ++axis)
      if (from[axis] != 1) sources[axis].axis = static_cast<int>(axes[axis]);
    return sources;
  }
};

struct Reshape : Operator {
  static constexpr std::string_view name = "tensor.reshape";
  static constexpr std::string_view summary = "the same elements, row major, in another shape";
  static constexpr bool row_major = true;

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

struct Transpose : Movement<Transpose> {
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
  static std::vector<AxisSource> sources(const choir::Operation& operation,
                                         std::span<const std::int64_t> from,
                                         std::span<const std::int64_t>) {
    std::vector<AxisSource> sources(from.size());
    const auto axes = *axes_attribute(operation, "permutation", from.size());
    for (std::size_t axis = 0; axis < axes.size(); ++axis)
      sources[axes[axis]].axis = static_cast<int>(axis);
    return sources;
  }
};

template const choir::OperationDefinition& definition<Broadcast>();
template const choir::OperationDefinition& definition<Reshape>();
template const choir::OperationDefinition& definition<Transpose>();

}  // namespace accy::tensor
