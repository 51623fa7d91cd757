// A VkBuffer bound into sub-allocated memory, with its device address.
#pragma once

#include <cstdint>
#include <memory>
#include <volk.h>

#include "accy/result.hpp"
#include "runtime/adapter.hpp"
#include "targets/vulkan/device/memory.hpp"

namespace accy::vulkan {

/// Device, argument or staging memory as a buffer; must not outlive the device and allocator.
class DeviceBuffer final : public runtime::Buffer {
 public:
  /// A buffer of `size_bytes` >= 1; limits are checked before the driver is called.
  static Result<std::unique_ptr<DeviceBuffer>>
  create(LogicalDevice& device, MemoryAllocator& allocator, std::int64_t size_bytes, MemoryUse use);
  ~DeviceBuffer() override;
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;

  std::int64_t size_bytes() const override { return size_bytes_; }
  VkBuffer handle() const { return handle_; }
  std::uint64_t address() const { return address_; }
  /// The buffer's bytes on the host, or null where it is not mapped.
  std::byte* mapped() const { return allocation_.mapped; }
  /// Distinct for every buffer of the device, unlike a handle, which the driver uses again.
  std::uint64_t identity() const { return identity_; }
  bool belongs_to(const LogicalDevice& device) const { return &device == &device_; }

 private:
  DeviceBuffer(LogicalDevice& device, MemoryAllocator& allocator, std::int64_t size_bytes);
  Status bind(MemoryUse use);

  LogicalDevice& device_;
  MemoryAllocator& allocator_;
  LiveObject live_;
  std::int64_t size_bytes_;
  VkBuffer handle_ = VK_NULL_HANDLE;
  Allocation allocation_;
  std::uint64_t address_ = 0;
  std::uint64_t identity_;
};

}  // namespace accy::vulkan
