// The target profile of a live Vulkan device.
#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <string>
#include <string_view>

#include "targets/vulkan/device/physical_device.hpp"
#include "targets/vulkan/profile/profiles.hpp"

namespace accy::vulkan {
namespace {

constexpr std::int64_t buffer_alignment = 256;

std::string vendor_name(std::uint32_t id) {
  switch (id) {
    case 0x1002: return "AMD";
    case 0x1010: return "Imagination";
    case 0x10DE: return "NVIDIA";
    case 0x13B5: return "Arm";
    case 0x5143: return "Qualcomm";
    case 0x8086: return "Intel";
    case VK_VENDOR_ID_MESA: return "Mesa";
    default: return fmt::format("0x{:04x}", id);
  }
}

/// The device's name as an identifier: lower-case letters and digits, other runs as one '-'.
std::string slug(std::string_view name) {
  std::string result;
  for (const char c : name) {
    const bool upper = c >= 'A' && c <= 'Z';
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || upper)
      result += static_cast<char>(upper ? c - 'A' + 'a' : c);
    else if (!result.empty() && result.back() != '-')
      result += '-';
  }
  while (!result.empty() && result.back() == '-') result.pop_back();
  return result.empty() ? "device" : result;
}

std::int64_t bounded(std::uint64_t value) {
  return static_cast<std::int64_t>(
      std::min<std::uint64_t>(value, std::numeric_limits<std::int64_t>::max()));
}

void set_limits(TargetProfile& profile, const PhysicalDevice& device) {
  const VkPhysicalDeviceLimits& limits = device.properties.limits;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    profile.workgroup_size_maximum[axis] = limits.maxComputeWorkGroupSize[axis];
    profile.grid_size_maximum[axis] = limits.maxComputeWorkGroupCount[axis];
  }
  profile.workgroup_invocations_maximum = limits.maxComputeWorkGroupInvocations;
  profile.shared_memory_bytes = limits.maxComputeSharedMemorySize;
  profile.allocation_bytes_maximum = bounded(device.properties11.maxMemoryAllocationSize);
  // Buffers are read by address, so the range limit of descriptors does not bind them.
  profile.buffer_bytes_maximum = bounded(device.buffer_bytes_maximum);
  profile.buffer_alignment = buffer_alignment;
}

void set_subgroups(TargetProfile& profile, const PhysicalDevice& device) {
  profile.subgroup_size_control = device.subgroup_size_control();
  const bool ranged = device.subgroup_size.maxSubgroupSize != 0;
  const std::uint32_t fixed = device.properties11.subgroupSize;
  profile.subgroup_size_minimum = ranged ? device.subgroup_size.minSubgroupSize : fixed;
  profile.subgroup_size_maximum = ranged ? device.subgroup_size.maxSubgroupSize : fixed;
  const bool compute =
      (device.properties11.subgroupSupportedStages & VK_SHADER_STAGE_COMPUTE_BIT) != 0;
  const VkSubgroupFeatureFlags operations = device.properties11.subgroupSupportedOperations;
  profile.subgroup_shuffle = compute && (operations & VK_SUBGROUP_FEATURE_SHUFFLE_BIT) != 0;
  profile.subgroup_arithmetic = compute && (operations & VK_SUBGROUP_FEATURE_ARITHMETIC_BIT) != 0;
}

void set_types(TargetProfile& profile, const PhysicalDevice& device) {
  profile.storage_8bit = device.features12.storageBuffer8BitAccess == VK_TRUE;
  profile.storage_16bit = device.features11.storageBuffer16BitAccess == VK_TRUE;
  profile.arithmetic_f16 = device.features12.shaderFloat16 == VK_TRUE;
  profile.arithmetic_f64 = device.features.shaderFloat64 == VK_TRUE;
  profile.arithmetic_i8 = device.features12.shaderInt8 == VK_TRUE;
  profile.arithmetic_i16 = device.features.shaderInt16 == VK_TRUE;
  profile.arithmetic_i64 = device.features.shaderInt64 == VK_TRUE;
  const VkPhysicalDeviceVulkan12Properties& controls = device.properties12;
  profile.rounding_rte_f32 = controls.shaderRoundingModeRTEFloat32 == VK_TRUE;
  profile.rounding_rte_f16 = controls.shaderRoundingModeRTEFloat16 == VK_TRUE;
  profile.signed_zero_inf_nan_f32 = controls.shaderSignedZeroInfNanPreserveFloat32 == VK_TRUE;
  profile.subnormals_kept_f32 = controls.shaderDenormPreserveFloat32 == VK_TRUE;
}

void set_quirks(TargetProfile& profile, const PhysicalDevice& device) {
  if (device.properties12.driverID != VK_DRIVER_ID_MESA_LLVMPIPE) return;
  profile.name = "lavapipe";
  profile.loop_iterations_maximum = 65000;
  profile.quirks.push_back(
      {"loops_cut_at_65535_iterations",
       "Mesa src/gallium/auxiliary/gallivm/lp_bld_limits.h, LP_MAX_TGSI_LOOP_ITERATIONS"});
  if (!profile.subnormals_kept_f32) {
    profile.subnormals_kept_f32 = true;
    profile.quirks.push_back(
        {std::string(quirk_subnormals_undeclared),
         "measured on Mesa 22.3.6: kept over 65,536 operand pairs, though neither preserving nor "
         "flushing is declared"});
  }
  profile.quirks.push_back(
      {"float_zero_constants_folded",
       "measured on Mesa 22.3.6: x + 0.0 becomes x and x * 0.0 becomes +0 in spite of "
       "SignedZeroInfNanPreserve"});
  profile.quirks.push_back(
      {std::string(quirk_subnormals_undeclared), "measured on Mesa 22.3.6 over 65,536 pairs"});
}

}  // namespace

TargetProfile make_profile(const PhysicalDevice& device) {
  TargetProfile profile;
  profile.target = "vulkan";
  profile.name = slug(device.properties.deviceName);
  profile.vendor = vendor_name(device.properties.vendorID);
  profile.driver =
      fmt::format("{} {}", device.properties12.driverName, device.properties12.driverInfo);
  set_limits(profile, device);
  set_subgroups(profile, device);
  set_types(profile, device);
  profile.code_version = device.api_version >= VK_API_VERSION_1_3 ? 16 : 15;
  set_quirks(profile, device);
  return profile;
}

}  // namespace accy::vulkan
