// SPIR-V kernels as compute pipelines.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>
#include <volk.h>

#include "accy/result.hpp"
#include "runtime/adapter.hpp"
#include "targets/vulkan/device/logical_device.hpp"

namespace accy::vulkan {

/// One loaded kernel.
struct Kernel {
  std::string name;
  VkPipeline pipeline = VK_NULL_HANDLE;
  std::int64_t argument_block_bytes = 0;
};

/// The pipelines of one executable; must not outlive the device.
class PipelineSet final : public runtime::LoadedKernels {
 public:
  /// Checks each binary against the device's limits and compiles it.
  static Result<std::unique_ptr<PipelineSet>> load(LogicalDevice& device,
                                                   std::span<const runtime::KernelBinary> binaries);
  ~PipelineSet() override;
  PipelineSet(const PipelineSet&) = delete;
  PipelineSet& operator=(const PipelineSet&) = delete;

  std::span<const Kernel> kernels() const { return kernels_; }
  bool belongs_to(const LogicalDevice& device) const { return &device == &device_; }

 private:
  explicit PipelineSet(LogicalDevice& device) : device_(device), live_(device) {}
  Status add(const runtime::KernelBinary& binary);

  LogicalDevice& device_;
  LiveObject live_;
  std::vector<Kernel> kernels_;
};

}  // namespace accy::vulkan
