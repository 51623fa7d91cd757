// A plan as one recorded command buffer; a replay rewrites addresses in the argument blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>
#include <volk.h>

#include "accy/result.hpp"
#include "runtime/adapter.hpp"
#include "targets/vulkan/device/buffer.hpp"
#include "targets/vulkan/device/commands.hpp"
#include "targets/vulkan/device/kernels.hpp"

namespace accy::vulkan {

/// Launches read everything that changes from run to run through their argument block, so their
/// commands never change. Copies name buffers: a plan with copies records again when one of the
/// slots they use is bound elsewhere. One set of blocks is enough, as runs do not overlap.
class RecordedPlan final : public runtime::Plan {
 public:
  static Result<std::unique_ptr<RecordedPlan>> record(LogicalDevice& device,
                                                      MemoryAllocator& allocator,
                                                      const PipelineSet& kernels,
                                                      const runtime::PlanDescription& description);
  ~RecordedPlan() override;
  RecordedPlan(const RecordedPlan&) = delete;
  RecordedPlan& operator=(const RecordedPlan&) = delete;

  /// One replay; see runtime::Device::run.
  Result<runtime::RunTiming> run(std::span<const runtime::BufferRange> slots);
  /// How often the commands were recorded.
  std::size_t recordings() const { return recordings_; }
  bool belongs_to(const LogicalDevice& device) const { return &device == &device_; }

 private:
  /// An address in the argument blocks that a run rewrites.
  struct Patch {
    std::uint64_t position;  ///< in the argument buffer
    std::size_t slot;
    std::uint64_t offset;  ///< in the slot
  };
  /// What a run must bind to a slot.
  struct SlotNeed {
    bool used = false;
    bool copied = false;  ///< named by a copy
    std::int64_t bytes = 0;
  };
  /// What a slot was bound to when the commands were recorded.
  struct Bound {
    std::uint64_t buffer = 0;
    std::int64_t offset = 0;
    friend bool operator==(const Bound&, const Bound&) = default;
  };

  RecordedPlan(LogicalDevice& device, const PipelineSet& kernels,
               const runtime::PlanDescription& description, CommandBuffer commands);
  Status lay_out_arguments(MemoryAllocator& allocator);
  void write_constant_arguments();
  Status create_queries();
  void need(const runtime::SlotRange& range, bool copied);
  Status check_slots(std::span<const runtime::BufferRange> slots) const;
  std::vector<Bound> copy_bindings(std::span<const runtime::BufferRange> slots) const;
  Status record_commands(std::span<const runtime::BufferRange> slots);
  void record_launch(const runtime::LaunchStep& step, std::size_t launch);
  void record_copy(const runtime::CopyStep& step, std::span<const runtime::BufferRange> slots);
  Result<runtime::RunTiming> read_timing();

  LogicalDevice& device_;
  LiveObject live_;
  const PipelineSet& kernels_;
  runtime::PlanDescription description_;
  CommandBuffer commands_;
  std::unique_ptr<DeviceBuffer> arguments_;
  std::vector<std::uint64_t> blocks_;  ///< of each launch: offset in arguments_
  std::vector<Patch> patches_;
  std::vector<SlotNeed> needs_;
  std::vector<Bound> recorded_;
  VkQueryPool queries_ = VK_NULL_HANDLE;
  std::size_t recordings_ = 0;
};

/// Checks that the steps fit the kernels and the device's limits.
Status check_plan(const PhysicalDevice& physical, std::span<const Kernel> kernels,
                  const runtime::PlanDescription& description);

}  // namespace accy::vulkan
