// Synchronous copies between host memory and buffers: directly where the buffer is mapped, else in
// chunks through two halves of a staging buffer, so that host and device copy at the same time.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "accy/result.hpp"
#include "targets/vulkan/device/buffer.hpp"
#include "targets/vulkan/device/commands.hpp"

namespace accy::vulkan {

class Transfer {
 public:
  Transfer(LogicalDevice& device, MemoryAllocator& allocator)
      : device_(device), allocator_(allocator) {}

  /// The range must lie inside the buffer. Waits for all earlier work first.
  Status write(DeviceBuffer& destination, std::int64_t offset, std::span<const std::byte> source);
  Status read(DeviceBuffer& source, std::int64_t offset, std::span<std::byte> destination);
  /// Frees the staging memory.
  void release();

 private:
  struct Half {
    std::optional<CommandBuffer> commands;
    std::byte* bytes = nullptr;
    std::uint64_t offset = 0;  ///< in the staging buffer
    std::uint64_t value = 0;   ///< timeline value of its last submission
  };
  bool direct(const DeviceBuffer& buffer) const;
  Status prepare();
  Status submit_copy(Half& half, VkBuffer source, VkBuffer destination, VkBufferCopy region);
  Status staged_write(DeviceBuffer& destination, std::uint64_t offset,
                      std::span<const std::byte> source);
  Status staged_read(DeviceBuffer& source, std::uint64_t offset, std::span<std::byte> destination);

  LogicalDevice& device_;
  MemoryAllocator& allocator_;
  std::unique_ptr<DeviceBuffer> staging_;
  std::array<Half, 2> halves_;
};

}  // namespace accy::vulkan
