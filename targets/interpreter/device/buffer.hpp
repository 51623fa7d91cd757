// Host memory as device memory.
#pragma once

#include <memory>
#include <new>
#include <span>

#include "runtime/adapter.hpp"

namespace accy::interpreter {

class HostBuffer final : public runtime::Buffer {
 public:
  /// Fails when the host has no such memory. The content is undefined.
  static Result<std::unique_ptr<HostBuffer>> create(std::int64_t size_bytes,
                                                    std::int64_t alignment);
  std::int64_t size_bytes() const override { return size_bytes_; }
  std::byte* data() const { return data_.get(); }

 private:
  struct Release {
    std::align_val_t alignment{1};
    void operator()(std::byte* data) const { ::operator delete(data, alignment); }
  };
  using Memory = std::unique_ptr<std::byte, Release>;

  HostBuffer(Memory data, std::int64_t size_bytes)
      : data_(std::move(data)), size_bytes_(size_bytes) {}

  Memory data_;
  std::int64_t size_bytes_;
};

/// The bytes of a range of one of this device's buffers; fails when it does not lie inside.
Result<std::span<std::byte>> bytes_of(const runtime::BufferRange& range);

}  // namespace accy::interpreter
