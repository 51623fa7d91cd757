// One VkDevice with its queue and timeline: submission, finite waits, the latch of a lost device,
// and the destruction of objects that the device may still use.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>
#include <volk.h>

#include "accy/result.hpp"
#include "targets/vulkan/device/physical_device.hpp"

namespace accy::vulkan {

/// How a device is opened; the adapter opens with the defaults.
struct DeviceOptions {
  /// Longest wait of one call for the device.
  std::chrono::nanoseconds timeout = std::chrono::seconds(60);
  /// Copies through staging memory even where device memory is visible to the host.
  bool always_stage = false;
  /// Replaces functions of the device's table, for tests of the error paths.
  void (*patch)(VolkDeviceTable& table) = nullptr;
};

/// Owns the VkDevice. Every failed call goes through check(), so that a loss is seen once and for
/// all. Objects are destroyed through retire(): at once when the device is idle, else later.
class LogicalDevice {
 public:
  static Result<std::unique_ptr<LogicalDevice>>
  create(const Instance& instance, const PhysicalDevice& physical, const DeviceOptions& options);
  ~LogicalDevice();
  LogicalDevice(const LogicalDevice&) = delete;
  LogicalDevice& operator=(const LogicalDevice&) = delete;

  VkDevice handle() const { return handle_; }
  const VolkDeviceTable& table() const { return table_; }
  const PhysicalDevice& physical() const { return physical_; }
  const DeviceOptions& options() const { return options_; }
  VkPipelineCache pipeline_cache() const { return pipeline_cache_; }
  VkPipelineLayout pipeline_layout() const { return pipeline_layout_; }
  bool labels() const { return labels_; }

  /// Success, or the error of the call; remembers a lost device.
  Status check(VkResult result, std::string_view call);
  /// device_lost once the device was lost.
  Status usable() const;

  Result<VkCommandBuffer> allocate_command_buffer();
  void free_command_buffer(VkCommandBuffer commands);
  /// Submits and returns the timeline value that its end signals.
  Result<std::uint64_t> submit(VkCommandBuffer commands);
  /// Waits until the timeline reaches the value, at most for the timeout of the options.
  Status wait(std::uint64_t value);
  /// Waits for everything submitted: what must hold before memory is touched or reused.
  Status settle() { return wait(submitted_); }
  /// Whether nothing submitted is unfinished; does not wait.
  bool idle();

  /// Runs `destroy` once the device no longer uses what was submitted so far.
  void retire(std::function<void()> destroy);
  /// Runs what retire() kept back, if the device is idle; returns whether nothing is left.
  bool drain();

  /// Names an object for debuggers; does nothing without labels().
  void name_object(VkObjectType type, std::uint64_t object, const std::string& name);

  /// Objects that must be destroyed before the device.
  std::size_t live_objects = 0;
  /// Buffers created so far; numbers them.
  std::uint64_t buffers_made = 0;

 private:
  LogicalDevice(const PhysicalDevice& physical, const DeviceOptions& options, bool labels)
      : physical_(physical), options_(options), labels_(labels) {}
  Status create_device();
  Status create_objects();

  PhysicalDevice physical_;
  DeviceOptions options_;
  VolkDeviceTable table_{};
  VkDevice handle_ = VK_NULL_HANDLE;
  VkQueue queue_ = VK_NULL_HANDLE;
  VkSemaphore timeline_ = VK_NULL_HANDLE;
  VkCommandPool command_pool_ = VK_NULL_HANDLE;
  VkPipelineCache pipeline_cache_ = VK_NULL_HANDLE;
  VkPipelineLayout pipeline_layout_ = VK_NULL_HANDLE;
  std::vector<std::function<void()>> retired_;
  std::uint64_t submitted_ = 0;
  std::uint64_t completed_ = 0;
  bool labels_ = false;
  bool lost_ = false;
};

/// Counts one object in LogicalDevice::live_objects for as long as it lives.
class LiveObject {
 public:
  explicit LiveObject(LogicalDevice& device) : device_(device) { ++device_.live_objects; }
  ~LiveObject() { --device_.live_objects; }
  LiveObject(const LiveObject&) = delete;
  LiveObject& operator=(const LiveObject&) = delete;

 private:
  LogicalDevice& device_;
};

}  // namespace accy::vulkan
