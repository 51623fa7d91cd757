// Sub-allocation of ranges inside one block: a free list by offset that coalesces neighbours.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

namespace accy::vulkan {

/// Free ranges of a block of a fixed size; knows nothing of memory. First fit, so that the free
/// space gathers at the block's end.
class RangeAllocator {
 public:
  explicit RangeAllocator(std::uint64_t size) : size_(size) { free_.emplace(0, size); }

  /// Offset of `size` > 0 bytes, a multiple of `alignment` (a power of two); nothing when no free
  /// range is large enough.
  std::optional<std::uint64_t> allocate(std::uint64_t size, std::uint64_t alignment);
  /// Gives back a range that allocate() gave out with this size.
  void release(std::uint64_t offset, std::uint64_t size);

  std::uint64_t size() const { return size_; }
  /// Whether nothing is given out.
  bool unused() const { return free_.size() == 1 && free_.begin()->second == size_; }
  std::uint64_t free_bytes() const;

 private:
  std::uint64_t size_;
  std::map<std::uint64_t, std::uint64_t> free_;  ///< offset to size; no two touch
};

}  // namespace accy::vulkan
