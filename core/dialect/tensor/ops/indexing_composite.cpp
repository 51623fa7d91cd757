// Indexing that is made of the primitive movements.
#include <algorithm>

#include "dialect/tensor/ops/expander.hpp"

namespace accy::tensor {

using choir::AttributeKind;
using choir::Builder;
using choir::Operation;
using choir::Value;

struct Roll : Operator {
  static constexpr Family family = Family::indexing;
  static constexpr std::string_view name = "tensor.roll";
  static constexpr std::string_view summary =
      "elements moved on by a number of places along an axis, the last ones back to the front";
  static constexpr std::array attributes{
      AttributeRule{"axis", AttributeKind::integer, true, "axis of the operand"},
      AttributeRule{"shift", AttributeKind::integer, true, "places, of either sign and any size"}};

  static Result<std::vector<choir::Type>> infer(const Operation& operation) {
    ACCY_TRY_ASSIGN(const TensorType type, operand_type(operation, 0));
    ACCY_TRY(axis_attribute(operation, "axis", type.rank()));
    ACCY_TRY(required_attribute(operation, "shift", AttributeKind::integer));
    return std::vector<choir::Type>{type};
  }
  static Result<Value*> expand(const Operation& operation, Builder& builder) {
    ACCY_TRY_ASSIGN(const TensorType type, operand_type(operation, 0));
    ACCY_TRY_ASSIGN(const std::size_t axis, axis_attribute(operation, "axis", type.rank()));
    ACCY_TRY_ASSIGN(const std::int64_t size, static_size(type, axis));
    Value* x = operation.operand(0);
    std::int64_t shift = size == 0 ? 0 : operation.attribute("shift").integer() % size;
    if (shift < 0) shift += size;
    if (shift == 0) return x;
    Expander expander(builder, type);
    Value* const parts[] = {expander.slice(x, axis, size - shift, size),
                            expander.slice(x, axis, 0, size - shift)};
    return expander.concat(parts, axis);
  }
};

struct Tile : Operator {
  static constexpr Family family = Family::indexing;
  static constexpr std::string_view name = "tensor.tile";
  static constexpr std::string_view summary = "the operand repeated along each axis";
  static constexpr std::array attributes{
      AttributeRule{"counts", AttributeKind::array, true, "how many times, one an axis"}};

  static Result<std::vector<choir::Type>> infer(const Operation& operation) {
    ACCY_TRY_ASSIGN(const TensorType type, operand_type(operation, 0));
    ACCY_TRY_ASSIGN(const auto counts, integers_attribute(operation, "counts", type.rank()));
    std::vector<Dimension> shape = type.shape();
    for (std::size_t axis = 0; axis < counts.size(); ++axis) {
      if (counts[axis] < 0)
        return invalid("count (" + std::to_string(counts[axis]) + ") is below zero");
      if (counts[axis] == 1) continue;
      ACCY_TRY_ASSIGN(std::int64_t size, static_size(type, axis));
      if (__builtin_mul_overflow(size, counts[axis], &size))
        return invalid("size along axis " + std::to_string(axis) + " exceeds 2^63 - 1");
      shape[axis] = {size, {}};
    }
    ACCY_TRY(check_elements(shape));
    return std::vector<choir::Type>{TensorType::get(operation.context(), type.element(), shape)};
  }
  /// Each repeated axis gets one of the count in front of it, which folds into it.
  static Result<Value*> expand(const Operation& operation, Builder& builder) {
    ACCY_TRY_ASSIGN(const TensorType type, operand_type(operation, 0));
    ACCY_TRY_ASSIGN(const TensorType wanted, result_type(operation));
    ACCY_TRY_ASSIGN(const auto counts, integers_attribute(operation, "counts", type.rank()));
    std::vector<Dimension> shape;
    std::vector<std::size_t> axes;
    for (std::size_t axis = 0; axis < counts.size(); ++axis) {
      if (counts[axis] != 1) shape.push_back({counts[axis], {}});
      axes.push_back(shape.size());
      shape.push_back(type.dimension(axis));
    }
    Expander expander(builder, type);
    return expander.reshape(expander.broadcast(operation.operand(0), shape, axes), wanted.shape());
  }
};

struct OneHot : Operator {
  static constexpr Family family = Family::indexing;
  static constexpr std::string_view name = "tensor.one_hot";
  static constexpr std::string_view summary =
      "the third operand at each of the indices along a new axis, the second elsewhere; an index "
      "below 0 counts from the end, one outside is nowhere";
  static constexpr int operand_count = 3;
  static constexpr std::array attributes{
      AttributeRule{"axis", AttributeKind::integer, true, "axis of the result"},
      AttributeRule{"depth", AttributeKind::integer, true, "its size, from 1 up"}};

  static Result<std::vector<choir::Type>> infer(const Operation& operation) {
    ACCY_TRY_ASSIGN(const TensorType indices, operand_type(operation, 0));
    ACCY_TRY_ASSIGN(const TensorType off, operand_type(operation, 1));
    ACCY_TRY_ASSIGN(const TensorType on, operand_type(operation, 2));
    ACCY_TRY(check_integer(indices));
    ACCY_TRY(check_equal(off, on));
    if (off.rank() != 0)
      return invalid("operand 1 is " + type_to_string(off) + ", expected a scalar");
    ACCY_TRY_ASSIGN(const std::size_t axis, axis_attribute(operation, "axis", indices.rank() + 1));
    ACCY_TRY_ASSIGN(const choir::Attribute depth,
                    required_attribute(operation, "depth", AttributeKind::integer));
    if (depth.integer() < 1)
      return invalid("attribute depth (" + std::to_string(depth.integer()) + ") is not above zero");
    std::vector<Dimension> shape = indices.shape();
    shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(axis), Dimension{depth.integer(), {}});
    ACCY_TRY(check_elements(shape));
    return std::vector<choir::Type>{TensorType::get(operation.context(), off.element(), shape)};
  }
  static Result<Value*> expand(const Operation& operation, Builder& builder) {
    ACCY_TRY_ASSIGN(const TensorType indices, operand_type(operation, 0));
    ACCY_TRY_ASSIGN(const TensorType wanted, result_type(operation));
    ACCY_TRY_ASSIGN(const std::size_t axis, axis_attribute(operation, "axis", wanted.rank()));
    const std::int64_t depth = operation.attribute("depth").integer();
    // In a type that holds the depth as well as every index.
    const ElementType element = index_element(indices.element(), depth);
    Expander expander(builder, TensorType::get(builder.context(), element, indices.shape()));
    Value* index = expander.cast(operation.operand(0), element);
    if (is_signed(element)) {
      Value* below = expander.compare("lt", index, expander.constant(0));
      Value* last = expander.constant(static_cast<double>(depth));
      index = expander.select(below, expander.add(index, last), index);
    }
    const TensorType wide = TensorType::get(builder.context(), element, wanted.shape());
    const std::size_t axes[] = {axis};
    Value* hit =
        expander.compare("eq", expander.spread(index, wide, axes), expander.iota(wide, axis));
    const std::vector<Dimension> shape = wanted.shape();
    return expander.select(hit, expander.broadcast(operation.operand(2), shape, {}),
                           expander.broadcast(operation.operand(1), shape, {}));
  }

 private:
  static ElementType index_element(ElementType given, std::int64_t depth) {
    if (bit_width(given) == 64) return given;
    const bool fits = depth <= (std::int64_t{1} << 31) - 1;
    if (!is_signed(given)) return fits ? ElementType::u32 : ElementType::u64;
    return fits ? ElementType::i32 : ElementType::i64;
  }
};

template const choir::OperationDefinition& definition<Roll>();
template const choir::OperationDefinition& definition<Tile>();
template const choir::OperationDefinition& definition<OneHot>();

}  // namespace accy::tensor
