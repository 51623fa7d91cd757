// Ops whose elements come from other places: one of several operands, or where data says. Every
// operand is read at an index that is clamped into it, and a selection takes what applies.
#include <string_view>

#include "kernel/generate/region_emitter.hpp"

namespace accy::kernel {

using choir::Operation;
using choir::Value;

Value* RegionEmitter::emit_displacement(const Operation& operation, const Point& point) {
  const std::string_view name = operation.name();
  if (name == "tensor.concat") return emit_concat(operation, point);
  if (name == "tensor.pad") return emit_pad(operation, point);
  if (name == "tensor.gather") return emit_gather(operation, point);
  ACCY_ASSERT(name == "tensor.gather_elements", "no kernel form for " + std::string(name));
  return emit_gather_elements(operation, point);
}

Value* RegionEmitter::emit_concat(const Operation& concat, const Point& point) {
  const auto axis = static_cast<std::size_t>(concat.attribute("axis").integer());
  std::vector<Value*> from = axes(point);
  Value* index = from[axis];
  std::int64_t begin = 0;
  Value* result = nullptr;
  for (const Value* operand : concat.operands()) {
    std::vector<std::int64_t> shape = shape_of_tensor(*operand);
    const std::int64_t size = shape[axis];
    if (size == 0) continue;
    // The operands before have smaller indices, so what is below this one's begin is not selected.
    Value* own = begin == 0 ? index : builder_.sub(index, begin);
    from[axis] = builder_.min(builder_.max(own, index_constant(0)), index_constant(size - 1));
    Value* value = emit(*operand, {std::move(shape), nullptr, from});
    result =
        result == nullptr ? value : builder_.select(builder_.less(index, begin), result, value);
    begin += size;
  }
  ACCY_ASSERT(result != nullptr, "element of a concat of no elements");
  return result;
}

Value* RegionEmitter::emit_pad(const Operation& pad, const Point& point) {
  std::vector<std::int64_t> shape = shape_of_tensor(*pad.operand(0));
  Value* padding = emit(*pad.operand(1), {{}, index_constant(0), {}});
  for (const std::int64_t size : shape)
    if (size == 0) return padding;
  std::vector<Value*> from = axes(point);
  Value* inside = nullptr;
  const auto require = [&](Value* condition) {
    inside = inside == nullptr ? condition : builder_.bit_and(inside, condition);
  };
  const auto padded = pad.attribute("axes").array();
  for (std::size_t index = 0; index < padded.size(); ++index) {
    const auto axis = static_cast<std::size_t>(padded[index].integer());
    const std::int64_t low = pad.attribute("low").array()[index].integer();
    Value*& at = from[axis];
    if (low != 0) {
      at = builder_.sub(at, low);
      require(builder_.compare(Predicate::ge, at, index_constant(0)));
    }
    if (pad.attribute("high").array()[index].integer() != 0)
      require(builder_.less(at, shape[axis]));
    at = builder_.min(builder_.max(at, index_constant(0)), index_constant(shape[axis] - 1));
  }
  Value* value = emit(*pad.operand(0), {std::move(shape), nullptr, from});
  return inside == nullptr ? value : builder_.select(inside, value, padding);
}

/// The index that data holds at the point, of the index type and below `size`.
Value* RegionEmitter::chosen_index(const Value& indices, const Point& point, std::int64_t size) {
  Value* index = emit(indices, point);
  const ElementType stored = compute_type(element_of_tensor(indices));
  // Compared in a type that holds both the size and every index.
  const ElementType type = index_type_ == ElementType::i64 && is_signed(stored) ? ElementType::i64
                           : index_type_ == ElementType::i64                    ? ElementType::u64
                                                                                : stored;
  index = builder_.cast(index, type);
  Value* last = builder_.constant_integer(type, size - 1);
  if (is_signed(type)) {
    Value* zero = builder_.constant_integer(type, 0);
    Value* wrapped = builder_.add(index, builder_.constant_integer(type, size));
    index = builder_.select(builder_.compare(Predicate::lt, index, zero), wrapped, index);
    index = builder_.max(index, zero);
  }
  return builder_.cast(builder_.min(index, last), index_type_);
}

Value* RegionEmitter::emit_gather(const Operation& gather, const Point& point) {
  const std::vector<std::int64_t> shape = shape_of_tensor(*gather.operand(0));
  const std::vector<std::int64_t> chosen = shape_of_tensor(*gather.operand(1));
  const auto axis = gather.attribute("axis").integer();
  std::vector<Value*> from = axes(point);
  const auto begin = from.begin() + axis;
  const auto end = begin + std::ssize(chosen);
  Point at{chosen, nullptr, {begin, end}};
  if (chosen.empty()) at.linear = index_constant(0);
  Value* index = chosen_index(*gather.operand(1), at, shape[static_cast<std::size_t>(axis)]);
  from.insert(from.erase(begin, end), index);
  return emit(*gather.operand(0), {shape, nullptr, std::move(from)});
}

Value* RegionEmitter::emit_gather_elements(const Operation& gather, const Point& point) {
  const std::vector<std::int64_t> shape = shape_of_tensor(*gather.operand(0));
  const auto axis = static_cast<std::size_t>(gather.attribute("axis").integer());
  std::vector<Value*> from = axes(point);
  from[axis] = chosen_index(*gather.operand(1), point, shape[axis]);
  return emit(*gather.operand(0), {shape, nullptr, std::move(from)});
}

Value* RegionEmitter::emit_iota(const Operation& iota, const Point& point) {
  const auto axis = static_cast<std::size_t>(iota.attribute("axis").integer());
  const ElementType element = element_of_tensor(*iota.result());
  Value* index = builder_.cast(axes(point)[axis], element);
  return builder_.cast(index, compute_type(element));
}

}  // namespace accy::kernel
