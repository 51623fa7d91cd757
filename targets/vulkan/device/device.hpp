// An open Vulkan device as the runtime sees it.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "accy/result.hpp"
#include "runtime/adapter.hpp"
#include "targets/vulkan/device/kernels.hpp"
#include "targets/vulkan/device/logical_device.hpp"
#include "targets/vulkan/device/memory.hpp"
#include "targets/vulkan/device/plan.hpp"
#include "targets/vulkan/device/transfer.hpp"

namespace accy::vulkan {

class VulkanDevice final : public runtime::Device {
 public:
  /// Opens the device of that name with options; the adapter uses the defaults.
  static Result<std::unique_ptr<VulkanDevice>> open(std::string_view name,
                                                    const DeviceOptions& options);
  ~VulkanDevice() override;
  VulkanDevice(const VulkanDevice&) = delete;
  VulkanDevice& operator=(const VulkanDevice&) = delete;

  const runtime::DeviceInfo& info() const override { return info_; }
  Result<std::unique_ptr<runtime::Buffer>> allocate(std::int64_t size_bytes) override;
  Status write(runtime::BufferRange destination, std::span<const std::byte> source) override;
  Status read(runtime::BufferRange source, std::span<std::byte> destination) override;
  Result<std::unique_ptr<runtime::LoadedKernels>>
  load(std::span<const runtime::KernelBinary> kernels) override;
  Result<std::unique_ptr<runtime::Plan>>
  record(runtime::LoadedKernels& kernels, const runtime::PlanDescription& description) override;
  Result<runtime::RunTiming> run(runtime::Plan& plan,
                                 std::span<const runtime::BufferRange> slots) override;

  /// Memory blocks held from the driver.
  std::size_t block_count() const { return allocator_.block_count(); }

 private:
  VulkanDevice(runtime::DeviceInfo info, std::unique_ptr<LogicalDevice> logical);
  /// The buffer of a range of ours that lies inside it and has `bytes` bytes.
  Result<DeviceBuffer*> checked_buffer(const runtime::BufferRange& range, std::size_t bytes) const;

  runtime::DeviceInfo info_;
  std::unique_ptr<LogicalDevice> logical_;
  MemoryAllocator allocator_;
  Transfer transfer_;
};

}  // namespace accy::vulkan
