#include "targets/vulkan/device/commands.hpp"

#include <utility>

namespace accy::vulkan {
namespace {

constexpr VkPipelineStageFlags device_stages =
    VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
constexpr VkAccessFlags device_writes = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
constexpr VkAccessFlags device_reads = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_TRANSFER_READ_BIT;

void barrier(const LogicalDevice& device, VkCommandBuffer commands,
             VkPipelineStageFlags destination_stages, VkAccessFlags destination_access) {
  VkMemoryBarrier memory{};
  memory.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
  memory.srcAccessMask = device_writes;
  memory.dstAccessMask = destination_access;
  device.table().vkCmdPipelineBarrier(commands, device_stages, destination_stages, 0, 1, &memory, 0,
                                      nullptr, 0, nullptr);
}

}  // namespace

Status begin_commands(LogicalDevice& device, VkCommandBuffer commands) {
  VkCommandBufferBeginInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  ACCY_TRY(
      device.check(device.table().vkBeginCommandBuffer(commands, &info), "vkBeginCommandBuffer"));
  device_barrier(device, commands);
  return {};
}

Status end_commands(LogicalDevice& device, VkCommandBuffer commands) {
  barrier(device, commands, VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT);
  return device.check(device.table().vkEndCommandBuffer(commands), "vkEndCommandBuffer");
}

void device_barrier(const LogicalDevice& device, VkCommandBuffer commands) {
  barrier(device, commands, device_stages, device_reads | device_writes);
}

Result<CommandBuffer> CommandBuffer::create(LogicalDevice& device) {
  ACCY_TRY_ASSIGN(const VkCommandBuffer handle, device.allocate_command_buffer());
  return CommandBuffer(device, handle);
}

CommandBuffer::CommandBuffer(CommandBuffer&& other) noexcept
    : device_(other.device_), handle_(std::exchange(other.handle_, VK_NULL_HANDLE)) {}

CommandBuffer::~CommandBuffer() {
  if (handle_ == VK_NULL_HANDLE) return;
  device_->retire([device = device_, handle = handle_] { device->free_command_buffer(handle); });
}

}  // namespace accy::vulkan
