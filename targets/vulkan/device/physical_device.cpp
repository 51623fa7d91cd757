#include "targets/vulkan/device/physical_device.hpp"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

#include "targets/vulkan/device/errors.hpp"

namespace accy::vulkan {
namespace {

Result<std::vector<VkExtensionProperties>> device_extensions(VkPhysicalDevice handle) {
  std::uint32_t count = 0;
  VkResult result = vkEnumerateDeviceExtensionProperties(handle, nullptr, &count, nullptr);
  if (result != VK_SUCCESS) return driver_failure(result, "vkEnumerateDeviceExtensionProperties");
  std::vector<VkExtensionProperties> extensions(count);
  result = vkEnumerateDeviceExtensionProperties(handle, nullptr, &count, extensions.data());
  if (result < VK_SUCCESS) return driver_failure(result, "vkEnumerateDeviceExtensionProperties");
  extensions.resize(count);
  return extensions;
}

bool contains(const std::vector<VkExtensionProperties>& extensions, const char* name) {
  return std::any_of(extensions.begin(), extensions.end(), [&](const auto& extension) {
    return std::strcmp(extension.extensionName, name) == 0;
  });
}

void query_properties(PhysicalDevice& device, bool size_control, bool maintenance4) {
  VkPhysicalDeviceMaintenance4Properties largest{};
  largest.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_PROPERTIES;
  VkPhysicalDeviceProperties2 root{};
  root.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
  device.properties11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES;
  device.properties12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES;
  device.subgroup_size.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES;
  root.pNext = &device.properties11;
  device.properties11.pNext = &device.properties12;
  void** tail = &device.properties12.pNext;
  if (size_control) {
    *tail = &device.subgroup_size;
    tail = &device.subgroup_size.pNext;
  }
  if (maintenance4) *tail = &largest;
  vkGetPhysicalDeviceProperties2(device.handle, &root);
  device.properties11.pNext = nullptr;
  device.properties12.pNext = nullptr;
  device.subgroup_size.pNext = nullptr;
  device.properties = root.properties;
  // Without maintenance4 no size is named; the largest allocation bounds a buffer all the same.
  const std::uint64_t allocation = device.properties11.maxMemoryAllocationSize;
  device.buffer_bytes_maximum =
      maintenance4 ? std::min<std::uint64_t>(largest.maxBufferSize, allocation) : allocation;
}

void query_features(PhysicalDevice& device, bool size_control) {
  VkPhysicalDeviceFeatures2 root{};
  root.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
  device.features11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES;
  device.features12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
  device.subgroup_features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES;
  root.pNext = &device.features11;
  device.features11.pNext = &device.features12;
  if (size_control) device.features12.pNext = &device.subgroup_features;
  vkGetPhysicalDeviceFeatures2(device.handle, &root);
  device.features11.pNext = nullptr;
  device.features12.pNext = nullptr;
  device.subgroup_features.pNext = nullptr;
  device.features = root.features;
}

Status query_queue(PhysicalDevice& device) {
  std::uint32_t count = 0;
  vkGetPhysicalDeviceQueueFamilyProperties(device.handle, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  vkGetPhysicalDeviceQueueFamilyProperties(device.handle, &count, families.data());
  for (std::uint32_t family = 0; family < count; ++family) {
    if ((families[family].queueFlags & VK_QUEUE_COMPUTE_BIT) == 0) continue;
    device.queue_family = family;
    device.timestamp_valid_bits = families[family].timestampValidBits;
    return {};
  }
  return fail(ErrorCode::unsupported,
              fmt::format("none of its {} queue families can compute", count));
}

Status check_features(const PhysicalDevice& device) {
  std::string missing;
  const auto need = [&](VkBool32 present, const char* name) {
    if (present == VK_FALSE) missing += fmt::format("{}{}", missing.empty() ? "" : ", ", name);
  };
  need(device.features12.bufferDeviceAddress, "bufferDeviceAddress");
  need(device.features12.vulkanMemoryModel, "vulkanMemoryModel");
  need(device.features12.timelineSemaphore, "timelineSemaphore");
  if (missing.empty()) return {};
  return fail(ErrorCode::unsupported, fmt::format("it lacks the features {}", missing));
}

runtime::DeviceKind kind_of(VkPhysicalDeviceType type) {
  switch (type) {
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU: return runtime::DeviceKind::discrete;
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU: return runtime::DeviceKind::integrated;
    case VK_PHYSICAL_DEVICE_TYPE_CPU: return runtime::DeviceKind::cpu;
    default: return runtime::DeviceKind::virtual_gpu;
  }
}

}  // namespace

bool PhysicalDevice::subgroup_size_control() const {
  return subgroup_features.subgroupSizeControl == VK_TRUE &&
         subgroup_features.computeFullSubgroups == VK_TRUE &&
         (subgroup_size.requiredSubgroupSizeStages & VK_SHADER_STAGE_COMPUTE_BIT) != 0;
}

Result<PhysicalDevice> query_physical_device(const Instance& instance, VkPhysicalDevice handle,
                                             std::size_t ordinal) {
  PhysicalDevice device;
  device.handle = handle;
  device.name = fmt::format("vulkan:{}", ordinal);
  vkGetPhysicalDeviceProperties(handle, &device.properties);
  device.api_version = std::min(device.properties.apiVersion, instance.api_version());
  if (device.api_version < VK_API_VERSION_1_2)
    return fail(ErrorCode::unsupported,
                fmt::format("{} offers Vulkan {}.{}, at least 1.2 is needed",
                            device.properties.deviceName, VK_API_VERSION_MAJOR(device.api_version),
                            VK_API_VERSION_MINOR(device.api_version)));
  const bool core13 = device.api_version >= VK_API_VERSION_1_3;
  ACCY_TRY_ASSIGN(const auto extensions, device_extensions(handle));
  device.subgroup_size_extension =
      !core13 && contains(extensions, VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME);
  const bool size_control = core13 || device.subgroup_size_extension;
  query_properties(device, size_control,
                   core13 || contains(extensions, VK_KHR_MAINTENANCE_4_EXTENSION_NAME));
  query_features(device, size_control);
  vkGetPhysicalDeviceMemoryProperties(handle, &device.memory);
  const auto named = [&](Status status) -> Status {
    if (status) return {};
    Error error = std::move(status.error());
    error.message = fmt::format("{}: {}", device.properties.deviceName, error.message);
    return fail(std::move(error));
  };
  ACCY_TRY(named(query_queue(device)));
  ACCY_TRY(named(check_features(device)));
  return device;
}

runtime::DeviceInfo describe(const PhysicalDevice& device) {
  runtime::DeviceInfo info;
  info.name = device.name;
  info.adapter = "vulkan";
  info.kind = kind_of(device.properties.deviceType);
  info.description = device.properties.deviceName;
  info.driver =
      fmt::format("{} {}", device.properties12.driverName, device.properties12.driverInfo);
  for (const std::uint8_t byte : device.properties11.deviceUUID)
    info.uuid += fmt::format("{:02x}", byte);
  info.profile = make_profile(device);
  return info;
}

}  // namespace accy::vulkan
