#include "choir/pool.hpp"

#include <algorithm>

namespace accy::choir {

namespace {

// A sanitizer sees wrong accesses only in memory that comes from operator new piece by piece.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool is_pooling = false;
#elif defined(__has_feature)
constexpr bool is_pooling = !__has_feature(address_sanitizer);
#else
constexpr bool is_pooling = true;
#endif

}  // namespace

void* Pool::allocate(std::size_t bytes) {
  const std::size_t grains = std::max<std::size_t>(1, (bytes + grain - 1) / grain);
  if (!is_pooling || grains >= free_.size()) return ::operator new(bytes);
  if (Free* const place = free_[grains]; place != nullptr) {
    free_[grains] = place->next;
    return place;
  }
  if (used_ + grains * grain > chunk_bytes) {
    chunks_.push_back(std::make_unique_for_overwrite<std::byte[]>(chunk_bytes));
    used_ = 0;
  }
  std::byte* const place = chunks_.back().get() + used_;
  used_ += grains * grain;
  return place;
}

void Pool::release(void* place, std::size_t bytes) {
  const std::size_t grains = std::max<std::size_t>(1, (bytes + grain - 1) / grain);
  if (!is_pooling || grains >= free_.size()) return ::operator delete(place);
  free_[grains] = new (place) Free{free_[grains]};
}

}  // namespace accy::choir
