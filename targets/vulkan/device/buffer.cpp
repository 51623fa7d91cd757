#include "targets/vulkan/device/buffer.hpp"

#include <fmt/format.h>

#include "support/checked.hpp"

namespace accy::vulkan {
namespace {

/// Buffers end at a multiple of this, so that a word access to a last odd byte stays inside.
constexpr std::int64_t size_multiple = 16;

Status check_size(const PhysicalDevice& physical, std::int64_t size_bytes) {
  if (size_bytes < 1)
    return fail(ErrorCode::invalid_input,
                fmt::format("a buffer of {} bytes is asked for, the least is 1", size_bytes));
  const auto bytes = static_cast<std::uint64_t>(size_bytes);
  const std::uint64_t allocation = physical.properties11.maxMemoryAllocationSize;
  if (bytes > allocation)
    return fail(ErrorCode::unsupported,
                fmt::format("an allocation of {} bytes is over the limit of {} ({} bytes)", bytes,
                            physical.name, allocation));
  if (bytes > physical.buffer_bytes_maximum)
    return fail(ErrorCode::unsupported,
                fmt::format("a buffer of {} bytes is over the limit of {} ({} bytes)", bytes,
                            physical.name, physical.buffer_bytes_maximum));
  return {};
}

}  // namespace

DeviceBuffer::DeviceBuffer(LogicalDevice& device, MemoryAllocator& allocator,
                           std::int64_t size_bytes)
    : device_(device), allocator_(allocator), live_(device), size_bytes_(size_bytes),
      identity_(++device.buffers_made) {}

Result<std::unique_ptr<DeviceBuffer>> DeviceBuffer::create(LogicalDevice& device,
                                                           MemoryAllocator& allocator,
                                                           std::int64_t size_bytes, MemoryUse use) {
  ACCY_TRY(device.usable());
  ACCY_TRY(check_size(device.physical(), size_bytes));
  std::unique_ptr<DeviceBuffer> buffer(new DeviceBuffer(device, allocator, size_bytes));
  ACCY_TRY(buffer->bind(use));
  return buffer;
}

Status DeviceBuffer::bind(MemoryUse use) {
  VkBufferCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  const auto limit = static_cast<std::int64_t>(device_.physical().buffer_bytes_maximum);
  ACCY_TRY_ASSIGN(const std::int64_t rounded, checked_align(size_bytes_, size_multiple));
  info.size = static_cast<VkDeviceSize>(rounded <= limit ? rounded : size_bytes_);
  info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
               VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
  info.sharingMode = VK_SHARING_MODE_EXCLUSIVE;
  const VolkDeviceTable& table = device_.table();
  ACCY_TRY(device_.check(table.vkCreateBuffer(device_.handle(), &info, nullptr, &handle_),
                         fmt::format("vkCreateBuffer of {} bytes", size_bytes_)));
  VkMemoryRequirements requirements{};
  table.vkGetBufferMemoryRequirements(device_.handle(), handle_, &requirements);
  ACCY_TRY_ASSIGN(allocation_, allocator_.allocate(requirements, use));
  ACCY_TRY(device_.check(
      table.vkBindBufferMemory(device_.handle(), handle_, allocation_.memory, allocation_.offset),
      "vkBindBufferMemory"));
  VkBufferDeviceAddressInfo address{};
  address.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO;
  address.buffer = handle_;
  address_ = table.vkGetBufferDeviceAddress(device_.handle(), &address);
  return {};
}

DeviceBuffer::~DeviceBuffer() {
  if (handle_ == VK_NULL_HANDLE) return;
  device_.retire(
      [&device = device_, &allocator = allocator_, buffer = handle_, allocation = allocation_] {
        device.table().vkDestroyBuffer(device.handle(), buffer, nullptr);
        if (allocation.size != 0) allocator.release(allocation);
      });
}

}  // namespace accy::vulkan
