// The process's one VkInstance: loading the loader, layers, and the instance's lifetime.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>
#include <volk.h>

#include "accy/result.hpp"

namespace accy::vulkan {

/// A VkInstance with its debug messenger.
class Instance {
 public:
  static Result<std::unique_ptr<Instance>> create();
  ~Instance();
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;

  VkInstance handle() const { return handle_; }
  /// The Vulkan version asked for: no device may be used above it.
  std::uint32_t api_version() const { return api_version_; }
  /// Whether commands and objects may carry names (VK_EXT_debug_utils).
  bool labels() const { return labels_; }
  /// Physical devices in the loader's order.
  Result<std::vector<VkPhysicalDevice>> physical_devices() const;

 private:
  Instance() = default;
  VkInstance handle_ = VK_NULL_HANDLE;
  VkDebugUtilsMessengerEXT messenger_ = VK_NULL_HANDLE;
  std::uint32_t api_version_ = 0;
  bool labels_ = false;
};

/// The instance that every device of the process shares, made at the first call and destroyed at
/// exit, or why there is none. The environment is read at the first call:
/// ACCY_VULKAN_VALIDATION=1 loads the validation layer with synchronization validation,
/// ACCY_VULKAN_LABELS=1 names commands and objects (validation does so too).
Result<const Instance*> shared_instance();

}  // namespace accy::vulkan
