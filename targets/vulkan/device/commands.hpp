// The few command-buffer idioms that plans and transfers share.
#pragma once

#include <volk.h>

#include "accy/result.hpp"
#include "targets/vulkan/device/logical_device.hpp"

namespace accy::vulkan {

/// Starts recording, discarding what was recorded; earlier submissions become visible.
Status begin_commands(LogicalDevice& device, VkCommandBuffer commands);
/// Makes the writes visible to the host and ends recording.
Status end_commands(LogicalDevice& device, VkCommandBuffer commands);
/// Everything before is visible to everything after, shaders and copies.
void device_barrier(const LogicalDevice& device, VkCommandBuffer commands);

/// A command buffer of the device's pool.
class CommandBuffer {
 public:
  static Result<CommandBuffer> create(LogicalDevice& device);
  CommandBuffer(CommandBuffer&& other) noexcept;
  CommandBuffer& operator=(CommandBuffer&&) = delete;
  ~CommandBuffer();
  VkCommandBuffer handle() const { return handle_; }

 private:
  CommandBuffer(LogicalDevice& device, VkCommandBuffer handle)
      : device_(&device), handle_(handle) {}
  LogicalDevice* device_;
  VkCommandBuffer handle_;
};

}  // namespace accy::vulkan
