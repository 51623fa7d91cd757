#include "targets/interpreter/device/buffer.hpp"

namespace accy::interpreter {

Result<std::unique_ptr<HostBuffer>> HostBuffer::create(std::int64_t size_bytes,
                                                       std::int64_t alignment) {
  if (size_bytes < 1)
    return fail(ErrorCode::invalid_input,
                "a buffer has at least 1 byte (got " + std::to_string(size_bytes) + ")");
  const auto aligned = static_cast<std::align_val_t>(alignment);
  Memory data(static_cast<std::byte*>(
                  ::operator new(static_cast<std::size_t>(size_bytes), aligned, std::nothrow)),
              Release{aligned});
  if (data == nullptr)
    return fail(ErrorCode::out_of_memory,
                "no host memory for a buffer of " + std::to_string(size_bytes) + " bytes");
  return std::unique_ptr<HostBuffer>(new HostBuffer(std::move(data), size_bytes));
}

Result<std::span<std::byte>> bytes_of(const runtime::BufferRange& range) {
  // Every buffer that a caller may pass to this device was made by it.
  const auto* buffer = static_cast<const HostBuffer*>(range.buffer);
  if (buffer == nullptr) return fail(ErrorCode::invalid_input, "range of no buffer");
  const std::int64_t size = buffer->size_bytes();
  if (range.offset_bytes < 0 || range.size_bytes < 0 || range.offset_bytes > size ||
      range.size_bytes > size - range.offset_bytes)
    return fail(ErrorCode::invalid_input, "range of " + std::to_string(range.size_bytes) +
                                              " bytes at " + std::to_string(range.offset_bytes) +
                                              " leaves its buffer (size " + std::to_string(size) +
                                              ")");
  return std::span(buffer->data() + range.offset_bytes, static_cast<std::size_t>(range.size_bytes));
}

}  // namespace accy::interpreter
