// Pool: memory for the many small things of one module, which live side by side and die together.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include "accy/export.hpp"

namespace accy::choir {

/// What is released is used again for the same size; the memory itself goes with the pool. Neither
/// searching nor merging, it takes a fraction of malloc's time, and what is made in a row lies in a
/// row. For one thread at a time.
class ACCY_EXPORT Pool {
 public:
  Pool() = default;
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  /// Aligned like operator new's.
  void* allocate(std::size_t bytes);
  /// Of what allocate(bytes) gave.
  void release(void* place, std::size_t bytes);

 private:
  static constexpr std::size_t grain = __STDCPP_DEFAULT_NEW_ALIGNMENT__;
  static constexpr std::size_t pooled_maximum = 512;
  static constexpr std::size_t chunk_bytes = std::size_t{1} << 16U;
  struct Free {
    Free* next = nullptr;
  };

  std::array<Free*, pooled_maximum / grain + 1> free_{};  ///< by size in grains
  std::vector<std::unique_ptr<std::byte[]>> chunks_;
  std::size_t used_ = chunk_bytes;  ///< of the last chunk
};

/// A list of fixed length in a pool, which must outlive it.
template <class T>
class PoolArray {
 public:
  PoolArray() = default;
  /// Each element is constructed by make(place, index), in order.
  template <class Make>
  PoolArray(Pool& pool, std::size_t size, const Make& make) : pool_(&pool), size_(size) {
    if (size == 0) return;
    data_ = static_cast<T*>(pool.allocate(size * sizeof(T)));
    for (std::size_t index = 0; index < size; ++index) make(data_ + index, index);
  }
  PoolArray(PoolArray&& other) noexcept
      : pool_(other.pool_), data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)) {}
  PoolArray& operator=(PoolArray&& other) noexcept {
    std::swap(pool_, other.pool_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~PoolArray() {
    if (data_ == nullptr) return;
    std::destroy_n(data_, size_);
    pool_->release(data_, size_ * sizeof(T));
  }

  std::size_t size() const { return size_; }
  T& operator[](std::size_t index) const { return data_[index]; }
  T* begin() const { return data_; }
  T* end() const { return data_ + size_; }
  std::span<const T> span() const { return {data_, size_}; }

 private:
  Pool* pool_ = nullptr;
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace accy::choir
