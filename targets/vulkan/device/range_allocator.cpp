#include "targets/vulkan/device/range_allocator.hpp"

#include <iterator>

#include "accy/result.hpp"

namespace accy::vulkan {

std::optional<std::uint64_t> RangeAllocator::allocate(std::uint64_t size, std::uint64_t alignment) {
  if (size == 0 || size > size_) return std::nullopt;
  for (auto range = free_.begin(); range != free_.end(); ++range) {
    const auto [start, length] = *range;
    const std::uint64_t padding = (alignment - start % alignment) % alignment;
    if (padding >= length || length - padding < size) continue;
    const std::uint64_t offset = start + padding;
    const std::uint64_t rest = length - padding - size;
    free_.erase(range);
    if (padding > 0) free_.emplace(start, padding);
    if (rest > 0) free_.emplace(offset + size, rest);
    return offset;
  }
  return std::nullopt;
}

void RangeAllocator::release(std::uint64_t offset, std::uint64_t size) {
  auto next = free_.lower_bound(offset);
  ACCY_ASSERT(size > 0 && size <= size_ && offset <= size_ - size, "released range outside block");
  ACCY_ASSERT(next == free_.end() || next->first >= offset + size, "released range is free");
  if (next != free_.end() && next->first == offset + size) {
    size += next->second;
    next = free_.erase(next);
  }
  if (next != free_.begin()) {
    const auto previous = std::prev(next);
    ACCY_ASSERT(previous->first + previous->second <= offset, "released range is free");
    if (previous->first + previous->second == offset) {
      previous->second += size;
      return;
    }
  }
  free_.emplace_hint(next, offset, size);
}

std::uint64_t RangeAllocator::free_bytes() const {
  std::uint64_t sum = 0;
  for (const auto& [offset, length] : free_) sum += length;
  return sum;
}

}  // namespace accy::vulkan
