#include "kernel/generate/region_emitter.hpp"

#include <algorithm>

#include "contract/passes/shape_layout.hpp"
#include "dialect/tensor/type.hpp"

namespace accy::kernel {

using choir::Operation;
using choir::Value;

ElementType compute_type(ElementType element) {
  switch (element) {
    case ElementType::f16:
    case ElementType::bf16: return ElementType::f32;
    case ElementType::i8:
    case ElementType::i16: return ElementType::i32;
    case ElementType::u8:
    case ElementType::u16: return ElementType::u32;
    default: return element;
  }
}

ElementType element_of_tensor(const Value& value) {
  return tensor::TensorType::from(value.type())->element();
}

std::vector<std::int64_t> shape_of_tensor(const Value& value) {
  return tensor::TensorType::from(value.type())->static_shape();
}

RegionEmitter::RegionEmitter(KernelBuilder& builder, const choir::Block& body,
                             std::vector<Value*> buffers, ElementType index_type, bool round_each)
    : builder_(builder), index_type_(index_type), round_each_(round_each) {
  for (std::size_t index = 0; index < buffers.size(); ++index)
    buffers_[body.argument(index)] = buffers[index];
}

RegionEmitter::Scope::Scope(RegionEmitter& emitter)
    : emitter_(emitter), written_(emitter.order_.size()) {}

RegionEmitter::Scope::~Scope() {
  while (emitter_.order_.size() > written_) {
    emitter_.written_.erase(emitter_.order_.back());
    emitter_.order_.pop_back();
  }
}

Value* RegionEmitter::index_constant(std::int64_t value) {
  return builder_.constant_integer(index_type_, value);
}

void RegionEmitter::bind(const Value& value, Value* scalar) { bound_[&value] = scalar; }

void RegionEmitter::read_vectors_at(std::vector<Value*> lanes) { lanes_ = std::move(lanes); }

void RegionEmitter::remember(Key key, Value* written) {
  order_.push_back(key);
  written_.emplace(std::move(key), written);
}

RegionEmitter::Key RegionEmitter::key_of(const Value& value, const Point& point) const {
  Key key{&value, {}};
  if (point.linear != nullptr) {
    key.second.push_back(point.linear);
  } else {
    // The linear index and the axes never mix in one key: a null stands before axes.
    key.second.push_back(nullptr);
    key.second.insert(key.second.end(), point.axes.begin(), point.axes.end());
  }
  return key;
}

Value* RegionEmitter::linear(const Point& point) {
  if (point.linear != nullptr) return point.linear;
  const auto strides = contract::row_major_strides(point.shape);
  Value* sum = index_constant(0);
  for (std::size_t axis = 0; axis < point.shape.size(); ++axis)
    if (point.shape[axis] != 1)
      sum = builder_.add(sum, builder_.mul(point.axes[axis], strides[axis]));
  return sum;
}

std::vector<Value*> RegionEmitter::axes(const Point& point) {
  if (point.axes.size() == point.shape.size()) return point.axes;
  std::vector<Value*> axes(point.shape.size());
  Value* rest = point.linear;
  for (std::size_t axis = point.shape.size(); axis-- > 0;) {
    const std::int64_t size = point.shape[axis];
    const bool first = std::all_of(point.shape.begin(),
                                   point.shape.begin() + static_cast<std::ptrdiff_t>(axis),
                                   [](std::int64_t before) { return before == 1; });
    if (size == 1) {
      axes[axis] = index_constant(0);
    } else if (first) {
      axes[axis] = rest;  // what is left is smaller than the size
    } else {
      axes[axis] = builder_.index_rem(rest, size);
      rest = builder_.index_div(rest, size);
    }
  }
  return axes;
}

Value* RegionEmitter::emit(const Value& value, const Point& point) {
  if (const auto bound = bound_.find(&value); bound != bound_.end()) return bound->second;
  const Key key = key_of(value, point);
  if (const auto known = written_.find(key); known != written_.end()) return known->second;
  Value* result = emit_new(value, point);
  remember(key, result);
  return result;
}

Value* RegionEmitter::emit_new(const Value& value, const Point& point) {
  const Operation* operation = value.defining_operation();
  if (operation == nullptr) return load_argument(value, point);
  if (tensor::is_movement(*operation))
    return emit(*operation->operand(0), moved(*operation, point));
  if (tensor::is_displacing(*operation)) return emit_displacement(*operation, point);
  if (operation->name() == "tensor.iota") return emit_iota(*operation, point);
  if (operation->name() == "tensor.constant") return emit_constant(*operation, point);
  return emit_computation(*operation, point);
}

Value* RegionEmitter::load_argument(const Value& argument, const Point& point) {
  Value* buffer = buffers_.at(&argument);
  const ElementType element = element_of_tensor(argument);
  const auto lane = std::find(lanes_.begin(), lanes_.end(), point.linear);
  Value* loaded = nullptr;
  if (point.linear != nullptr && lane != lanes_.end()) {
    const Key vector_key{&argument, {nullptr, lanes_.front(), nullptr}};
    auto vector = written_.find(vector_key);
    if (vector == written_.end()) {
      remember(vector_key, builder_.load_vector(buffer, lanes_.front(),
                                                static_cast<std::int64_t>(lanes_.size())));
      vector = written_.find(vector_key);
    }
    loaded = builder_.extract(vector->second, lane - lanes_.begin());
  } else {
    loaded = builder_.load(buffer, linear(point));
  }
  return builder_.cast(loaded, compute_type(element));
}

Point RegionEmitter::moved(const Operation& movement, const Point& point) {
  Point result{shape_of_tensor(*movement.operand(0)), nullptr, {}};
  const auto* placement = movement.definition().interface<tensor::Placement>();
  if (placement->row_major) {
    result.linear = linear(point);
    return result;
  }
  const std::vector<Value*> from = axes(point);
  for (const tensor::AxisSource& source :
       placement->sources(movement, result.shape, shape_of_tensor(*movement.result())))
    result.axes.push_back(index_from(source, from));
  // A scalar has no axes to tell its point from another.
  if (result.shape.empty()) result.linear = index_constant(0);
  return result;
}

Value* RegionEmitter::index_from(const tensor::AxisSource& source,
                                 const std::vector<Value*>& from) {
  if (source.axis == tensor::AxisSource::none) return index_constant(source.offset);
  Value* index = from[static_cast<std::size_t>(source.axis)];
  if (source.scale == -1) return builder_.sub(index_constant(source.offset), index);
  if (source.scale != 1) index = builder_.mul(index, source.scale);
  return source.offset == 0 ? index : builder_.add(index, source.offset);
}

Value* RegionEmitter::finish(Value* value, ElementType element) {
  const ElementType computed = compute_type(element);
  if (computed == element) return value;
  // Narrow integers wrap after every operation; narrow floats round where the contract says so.
  if (is_float(element) && !round_each_) return value;
  return builder_.cast(builder_.cast(value, element), computed);
}

Value* RegionEmitter::to_storage(Value* value, ElementType element) {
  return builder_.cast(value, element);
}

Value* RegionEmitter::emit_constant(const Operation& operation, const Point&) {
  const choir::Attribute value = operation.attribute("value");
  const ElementType element = element_of_tensor(*operation.result());
  const ElementType computed = compute_type(element);
  if (value.is(choir::AttributeKind::boolean)) return builder_.constant_bool(value.boolean());
  if (value.is(choir::AttributeKind::integer)) {
    if (!is_float(element)) return builder_.constant_integer(computed, value.integer());
    return finish(builder_.constant_float(computed, static_cast<double>(value.integer())), element);
  }
  // The declared type decides the constant's value, whatever it is computed in.
  Value* constant = builder_.constant_float(computed, value.floating());
  return computed == element ? constant
                             : builder_.cast(builder_.cast(constant, element), computed);
}

}  // namespace accy::kernel
