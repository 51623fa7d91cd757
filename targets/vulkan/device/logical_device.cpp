#include "targets/vulkan/device/logical_device.hpp"

#include <fmt/format.h>

#include "targets/vulkan/device/errors.hpp"

namespace accy::vulkan {
namespace {

/// The only push constant: the device address of the launch's argument block.
constexpr std::uint32_t push_constant_bytes = 8;

/// The features that kernels and this adapter use, where the device has them.
struct EnabledFeatures {
  VkPhysicalDeviceFeatures2 root{};
  VkPhysicalDeviceVulkan11Features vulkan11{};
  VkPhysicalDeviceVulkan12Features vulkan12{};
  VkPhysicalDeviceSubgroupSizeControlFeatures subgroup{};

  explicit EnabledFeatures(const PhysicalDevice& device) {
    root.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
    root.pNext = &vulkan11;
    root.features.shaderFloat64 = device.features.shaderFloat64;
    root.features.shaderInt64 = device.features.shaderInt64;
    root.features.shaderInt16 = device.features.shaderInt16;
    vulkan11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES;
    vulkan11.pNext = &vulkan12;
    vulkan11.storageBuffer16BitAccess = device.features11.storageBuffer16BitAccess;
    vulkan12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
    vulkan12.bufferDeviceAddress = VK_TRUE;
    vulkan12.vulkanMemoryModel = VK_TRUE;
    vulkan12.timelineSemaphore = VK_TRUE;
    vulkan12.storageBuffer8BitAccess = device.features12.storageBuffer8BitAccess;
    vulkan12.shaderInt8 = device.features12.shaderInt8;
    vulkan12.shaderFloat16 = device.features12.shaderFloat16;
    vulkan12.shaderSubgroupExtendedTypes = device.features12.shaderSubgroupExtendedTypes;
    subgroup.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES;
    if (device.subgroup_size_control()) {
      vulkan12.pNext = &subgroup;
      subgroup.subgroupSizeControl = VK_TRUE;
      subgroup.computeFullSubgroups = VK_TRUE;
    }
  }
  EnabledFeatures(const EnabledFeatures&) = delete;
  EnabledFeatures& operator=(const EnabledFeatures&) = delete;
};

}  // namespace

Result<std::unique_ptr<LogicalDevice>> LogicalDevice::create(const Instance& instance,
                                                             const PhysicalDevice& physical,
                                                             const DeviceOptions& options) {
  std::unique_ptr<LogicalDevice> device(new LogicalDevice(physical, options, instance.labels()));
  ACCY_TRY(device->create_device());
  ACCY_TRY(device->create_objects());
  return device;
}

Status LogicalDevice::create_device() {
  const EnabledFeatures features(physical_);
  const float priority = 1.0F;
  VkDeviceQueueCreateInfo queue{};
  queue.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
  queue.queueFamilyIndex = physical_.queue_family;
  queue.queueCount = 1;
  queue.pQueuePriorities = &priority;
  std::vector<const char*> extensions;
  if (physical_.subgroup_size_extension && physical_.subgroup_size_control())
    extensions.push_back(VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME);
  VkDeviceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  info.pNext = &features.root;
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queue;
  info.enabledExtensionCount = static_cast<std::uint32_t>(extensions.size());
  info.ppEnabledExtensionNames = extensions.data();
  ACCY_TRY(check(vkCreateDevice(physical_.handle, &info, nullptr, &handle_), "vkCreateDevice"));
  volkLoadDeviceTable(&table_, handle_);
  if (options_.patch != nullptr) options_.patch(table_);
  table_.vkGetDeviceQueue(handle_, physical_.queue_family, 0, &queue_);
  return {};
}

Status LogicalDevice::create_objects() {
  VkSemaphoreTypeCreateInfo type{};
  type.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO;
  type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  VkSemaphoreCreateInfo semaphore{};
  semaphore.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO;
  semaphore.pNext = &type;
  ACCY_TRY(check(table_.vkCreateSemaphore(handle_, &semaphore, nullptr, &timeline_),
                 "vkCreateSemaphore"));

  VkCommandPoolCreateInfo pool{};
  pool.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  pool.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
  pool.queueFamilyIndex = physical_.queue_family;
  ACCY_TRY(check(table_.vkCreateCommandPool(handle_, &pool, nullptr, &command_pool_),
                 "vkCreateCommandPool"));

  VkPipelineCacheCreateInfo cache{};
  cache.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO;
  ACCY_TRY(check(table_.vkCreatePipelineCache(handle_, &cache, nullptr, &pipeline_cache_),
                 "vkCreatePipelineCache"));

  VkPushConstantRange range{};
  range.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT;
  range.size = push_constant_bytes;
  VkPipelineLayoutCreateInfo layout{};
  layout.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
  layout.pushConstantRangeCount = 1;
  layout.pPushConstantRanges = &range;
  return check(table_.vkCreatePipelineLayout(handle_, &layout, nullptr, &pipeline_layout_),
               "vkCreatePipelineLayout");
}

LogicalDevice::~LogicalDevice() {
  if (handle_ == VK_NULL_HANDLE) return;
  // A device that still runs after its last wait timed out is left to the driver and to the end of
  // the process: destroying what it uses is undefined, and waiting on might never end.
  if (!drain()) return;
  table_.vkDestroyPipelineLayout(handle_, pipeline_layout_, nullptr);
  table_.vkDestroyPipelineCache(handle_, pipeline_cache_, nullptr);
  table_.vkDestroyCommandPool(handle_, command_pool_, nullptr);
  table_.vkDestroySemaphore(handle_, timeline_, nullptr);
  table_.vkDestroyDevice(handle_, nullptr);
}

Status LogicalDevice::check(VkResult result, std::string_view call) {
  if (result == VK_SUCCESS) return {};
  if (result == VK_ERROR_DEVICE_LOST) lost_ = true;
  return driver_failure(result, call);
}

Status LogicalDevice::usable() const {
  if (!lost_) return {};
  Error error;
  error.code = ErrorCode::device_lost;
  error.message = fmt::format("the device {} ({}) was lost in an earlier call", physical_.name,
                              physical_.properties.deviceName);
  error.driver_code = VK_ERROR_DEVICE_LOST;
  return fail(std::move(error));
}

Result<VkCommandBuffer> LogicalDevice::allocate_command_buffer() {
  VkCommandBufferAllocateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
  info.commandPool = command_pool_;
  info.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  info.commandBufferCount = 1;
  VkCommandBuffer commands = VK_NULL_HANDLE;
  ACCY_TRY(check(table_.vkAllocateCommandBuffers(handle_, &info, &commands),
                 "vkAllocateCommandBuffers"));
  return commands;
}

void LogicalDevice::free_command_buffer(VkCommandBuffer commands) {
  table_.vkFreeCommandBuffers(handle_, command_pool_, 1, &commands);
}

Result<std::uint64_t> LogicalDevice::submit(VkCommandBuffer commands) {
  const std::uint64_t value = submitted_ + 1;
  VkTimelineSemaphoreSubmitInfo timeline{};
  timeline.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO;
  timeline.signalSemaphoreValueCount = 1;
  timeline.pSignalSemaphoreValues = &value;
  VkSubmitInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  info.pNext = &timeline;
  info.commandBufferCount = 1;
  info.pCommandBuffers = &commands;
  info.signalSemaphoreCount = 1;
  info.pSignalSemaphores = &timeline_;
  ACCY_TRY(check(table_.vkQueueSubmit(queue_, 1, &info, VK_NULL_HANDLE), "vkQueueSubmit"));
  submitted_ = value;
  return value;
}

Status LogicalDevice::wait(std::uint64_t value) {
  ACCY_TRY(usable());
  if (value <= completed_) return {};
  VkSemaphoreWaitInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO;
  info.semaphoreCount = 1;
  info.pSemaphores = &timeline_;
  info.pValues = &value;
  const auto nanoseconds = static_cast<std::uint64_t>(options_.timeout.count());
  const VkResult result = table_.vkWaitSemaphores(handle_, &info, nanoseconds);
  if (result == VK_TIMEOUT) {
    Error error;
    error.code = ErrorCode::timeout;
    error.message = fmt::format(
        "the device {} has not finished after {} ms (limit)", physical_.name,
        std::chrono::duration_cast<std::chrono::milliseconds>(options_.timeout).count());
    error.driver_code = result;
    return fail(std::move(error));
  }
  ACCY_TRY(check(result, "vkWaitSemaphores"));
  completed_ = value;
  if (!retired_.empty()) drain();
  return {};
}

bool LogicalDevice::idle() {
  // After a loss the driver ends all work by itself, and destroying is allowed.
  if (lost_ || completed_ == submitted_) return true;
  std::uint64_t value = 0;
  if (!check(table_.vkGetSemaphoreCounterValue(handle_, timeline_, &value),
             "vkGetSemaphoreCounterValue"))
    return lost_;
  completed_ = value;
  return completed_ == submitted_;
}

void LogicalDevice::retire(std::function<void()> destroy) {
  if (idle()) return destroy();
  retired_.push_back(std::move(destroy));
}

bool LogicalDevice::drain() {
  if (!idle()) return false;
  std::vector<std::function<void()>> ready;
  ready.swap(retired_);
  for (const std::function<void()>& destroy : ready) destroy();
  return true;
}

void LogicalDevice::name_object(VkObjectType type, std::uint64_t object, const std::string& name) {
  if (!labels_) return;
  VkDebugUtilsObjectNameInfoEXT info{};
  info.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT;
  info.objectType = type;
  info.objectHandle = object;
  info.pObjectName = name.c_str();
  // A debugging aid: a failure to name leaves the object as usable as before.
  static_cast<void>(vkSetDebugUtilsObjectNameEXT(handle_, &info));
}

}  // namespace accy::vulkan
