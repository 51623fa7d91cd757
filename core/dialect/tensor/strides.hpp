// Strides and counting over the elements of dense tensors.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace accy::tensor {

/// Elements from one index of an axis to the next, by axis. Of an empty tensor they mean nothing,
/// and may have wrapped.
inline std::vector<std::int64_t> row_major_strides(std::span<const std::int64_t> shape) {
  std::vector<std::int64_t> strides(shape.size());
  std::uint64_t stride = 1;
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    strides[axis] = static_cast<std::int64_t>(stride);
    stride *= static_cast<std::uint64_t>(shape[axis]);
  }
  return strides;
}

/// Visits a shape's indices in row-major order and follows an offset of given strides.
class StridedCounter {
 public:
  StridedCounter(std::span<const std::int64_t> shape, std::span<const std::int64_t> strides)
      : shape_(shape), strides_(strides), index_(shape.size(), 0) {}
  std::int64_t offset() const { return offset_; }
  /// To the next index; after the last, back to the first.
  void advance() {
    for (std::size_t axis = shape_.size(); axis-- > 0;) {
      offset_ += strides_[axis];
      if (++index_[axis] < shape_[axis]) return;
      offset_ -= strides_[axis] * index_[axis];
      index_[axis] = 0;
    }
  }

 private:
  std::span<const std::int64_t> shape_;
  std::span<const std::int64_t> strides_;
  std::vector<std::int64_t> index_;
  std::int64_t offset_ = 0;
};

}  // namespace accy::tensor
