// RegionEmitter: writes what a work item's body computes at one point of its iteration space. The
// generators decide which points an invocation visits; movements turn into index arithmetic here.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "choir/operation.hpp"
#include "dialect/kernel/kernel_builder.hpp"
#include "dialect/tensor/placement.hpp"

namespace accy::kernel {

/// A point of a row-major shape: a linear index, or one index an axis, whichever is at hand.
struct Point {
  std::vector<std::int64_t> shape;
  choir::Value* linear = nullptr;
  std::vector<choir::Value*> axes;  ///< empty while only `linear` is known (unless rank 0)
};

class RegionEmitter {
 public:
  /// `buffers` are the kernel parameters of the body's arguments, in order. Index arithmetic is
  /// done in `index_type`, i32 or i64. With `round_each`, narrow floats are rounded after every
  /// operation; otherwise they stay in f32 until they are stored or cast.
  RegionEmitter(KernelBuilder& builder, const choir::Block& body,
                std::vector<choir::Value*> buffers, ElementType index_type, bool round_each);

  /// The body's value at the point, in its compute type (see compute_type).
  choir::Value* emit(const choir::Value& value, const Point& point);
  /// Stores a value of `emit` into a buffer of element type `element`.
  choir::Value* to_storage(choir::Value* value, ElementType element);

  /// Fixes what an anchor's result is from here on, at whatever point it is read.
  void bind(const choir::Value& value, choir::Value* scalar);
  /// Elements base, base + 1, ... are read together: `lanes` are their linear indices. A buffer
  /// read at one of them is read by one vector access at lanes[0], which must be aligned.
  void read_vectors_at(std::vector<choir::Value*> lanes);

  /// The point's linear index, and its axes; written at the builder's place when not at hand.
  choir::Value* linear(const Point& point);
  std::vector<choir::Value*> axes(const Point& point);
  choir::Value* index_constant(std::int64_t value);

  /// What was written inside a scope is not used behind it: one for each loop or branch body.
  class Scope {
   public:
    explicit Scope(RegionEmitter& emitter);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    RegionEmitter& emitter_;
    std::size_t written_;
  };

 private:
  using Key = std::pair<const choir::Value*, std::vector<const choir::Value*>>;

  Key key_of(const choir::Value& value, const Point& point) const;
  void remember(Key key, choir::Value* written);
  choir::Value* emit_new(const choir::Value& value, const Point& point);
  choir::Value* load_argument(const choir::Value& argument, const Point& point);
  choir::Value* emit_computation(const choir::Operation& operation, const Point& point);
  choir::Value* emit_constant(const choir::Operation& operation, const Point& point);
  choir::Value* emit_iota(const choir::Operation& iota, const Point& point);
  choir::Value* finish(choir::Value* value, ElementType element);
  Point moved(const choir::Operation& movement, const Point& point);
  choir::Value* index_from(const tensor::AxisSource& source,
                           const std::vector<choir::Value*>& from);

  // Ops whose elements come from places that the indices or data decide: emit_displacement.cpp.
  choir::Value* emit_displacement(const choir::Operation& operation, const Point& point);
  choir::Value* emit_concat(const choir::Operation& concat, const Point& point);
  choir::Value* emit_pad(const choir::Operation& pad, const Point& point);
  choir::Value* emit_gather(const choir::Operation& gather, const Point& point);
  choir::Value* emit_gather_elements(const choir::Operation& gather, const Point& point);
  choir::Value* chosen_index(const choir::Value& indices, const Point& point, std::int64_t size);

  KernelBuilder& builder_;
  std::map<const choir::Value*, choir::Value*> buffers_;
  ElementType index_type_;
  bool round_each_;
  std::map<const choir::Value*, choir::Value*> bound_;
  std::map<Key, choir::Value*> written_;
  std::vector<Key> order_;  // keys of written_ in the order of writing
  std::vector<choir::Value*> lanes_;
};

/// The type in which elements are computed: f32 for narrower floats, 32 bits for narrower integers,
/// else the element type itself.
ElementType compute_type(ElementType element);

/// Element type of a tensor value.
ElementType element_of_tensor(const choir::Value& value);
/// Shape of a tensor value of static shape.
std::vector<std::int64_t> shape_of_tensor(const choir::Value& value);

}  // namespace accy::kernel
