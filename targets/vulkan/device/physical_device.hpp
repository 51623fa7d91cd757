// What the driver says about one physical device, and whether accy can use it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>
#include <volk.h>

#include "accy/result.hpp"
#include "runtime/adapter.hpp"
#include "targets/vulkan/device/instance.hpp"

namespace accy::vulkan {

/// Answers of the live queries; every pNext is null.
struct PhysicalDevice {
  VkPhysicalDevice handle = VK_NULL_HANDLE;
  std::string name;               ///< "vulkan:0": the loader's ordinal
  std::uint32_t api_version = 0;  ///< the lower of the device's and the instance's
  VkPhysicalDeviceProperties properties{};
  VkPhysicalDeviceVulkan11Properties properties11{};
  VkPhysicalDeviceVulkan12Properties properties12{};
  VkPhysicalDeviceSubgroupSizeControlProperties subgroup_size{};
  VkPhysicalDeviceFeatures features{};
  VkPhysicalDeviceVulkan11Features features11{};
  VkPhysicalDeviceVulkan12Features features12{};
  VkPhysicalDeviceSubgroupSizeControlFeatures subgroup_features{};
  VkPhysicalDeviceMemoryProperties memory{};
  std::uint64_t buffer_bytes_maximum = 0;  ///< largest VkBuffer
  std::uint32_t queue_family = 0;
  std::uint32_t timestamp_valid_bits = 0;
  bool subgroup_size_extension = false;  ///< size control comes from the extension, not from 1.3

  /// Whether a kernel may require a subgroup size and full subgroups.
  bool subgroup_size_control() const;
};

/// Queries a device; the error says why accy cannot use it.
Result<PhysicalDevice> query_physical_device(const Instance& instance, VkPhysicalDevice handle,
                                             std::size_t ordinal);

/// Identity and profile as the runtime sees them.
runtime::DeviceInfo describe(const PhysicalDevice& device);

/// The profile from the live queries, with the quirks of known drivers.
TargetProfile make_profile(const PhysicalDevice& device);

}  // namespace accy::vulkan
