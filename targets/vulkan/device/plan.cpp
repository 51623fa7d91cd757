#include "targets/vulkan/device/plan.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <utility>

#include "support/checked.hpp"

namespace accy::vulkan {
namespace {

/// Argument blocks start on their own cache line.
constexpr std::int64_t block_alignment = 64;

const DeviceBuffer& as_device_buffer(const runtime::BufferRange& range) {
  return static_cast<const DeviceBuffer&>(*range.buffer);
}

}  // namespace

RecordedPlan::RecordedPlan(LogicalDevice& device, const PipelineSet& kernels,
                           const runtime::PlanDescription& description, CommandBuffer commands)
    : device_(device), live_(device), kernels_(kernels), description_(description),
      commands_(std::move(commands)), needs_(description.slot_count) {}

Result<std::unique_ptr<RecordedPlan>>
RecordedPlan::record(LogicalDevice& device, MemoryAllocator& allocator, const PipelineSet& kernels,
                     const runtime::PlanDescription& description) {
  ACCY_TRY(device.usable());
  ACCY_TRY(check_plan(device.physical(), kernels.kernels(), description));
  ACCY_TRY_ASSIGN(CommandBuffer commands, CommandBuffer::create(device));
  std::unique_ptr<RecordedPlan> plan(
      new RecordedPlan(device, kernels, description, std::move(commands)));
  ACCY_TRY(plan->lay_out_arguments(allocator));
  ACCY_TRY(plan->create_queries());
  const bool copies = std::any_of(plan->needs_.begin(), plan->needs_.end(),
                                  [](const SlotNeed& slot) { return slot.copied; });
  // A plan with copies is recorded at its first run, when the copies' buffers are known.
  if (!copies) ACCY_TRY(plan->record_commands({}));
  return plan;
}

RecordedPlan::~RecordedPlan() {
  if (queries_ == VK_NULL_HANDLE) return;
  device_.retire([&device = device_, queries = queries_] {
    device.table().vkDestroyQueryPool(device.handle(), queries, nullptr);
  });
}

void RecordedPlan::need(const runtime::SlotRange& range, bool copied) {
  SlotNeed& slot = needs_[range.slot];
  slot.used = true;
  slot.copied = slot.copied || copied;
  slot.bytes = std::max(slot.bytes, range.offset_bytes + range.size_bytes);
}

Status RecordedPlan::lay_out_arguments(MemoryAllocator& allocator) {
  std::int64_t total = 0;
  for (const runtime::PlanStep& step : description_.steps) {
    if (const auto* copy = std::get_if<runtime::CopyStep>(&step)) {
      if (copy->source.size_bytes == 0) continue;
      need(copy->source, true);
      need(copy->destination, true);
    }
    const auto* launch = std::get_if<runtime::LaunchStep>(&step);
    if (launch == nullptr) continue;
    blocks_.push_back(static_cast<std::uint64_t>(total));
    for (const runtime::BufferArgument& argument : launch->buffers) {
      need(argument.range, false);
      patches_.push_back({static_cast<std::uint64_t>(total + argument.block_offset),
                          argument.range.slot,
                          static_cast<std::uint64_t>(argument.range.offset_bytes)});
    }
    const std::int64_t bytes = kernels_.kernels()[launch->kernel].argument_block_bytes;
    ACCY_TRY_ASSIGN(const std::int64_t end, checked_add(total, bytes));
    ACCY_TRY_ASSIGN(total, checked_align(end, block_alignment));
  }
  if (total == 0) return {};
  ACCY_TRY_ASSIGN(arguments_,
                  DeviceBuffer::create(device_, allocator, total, MemoryUse::arguments));
  ACCY_ASSERT(arguments_->mapped() != nullptr, "argument memory is not visible to the host");
  write_constant_arguments();
  return {};
}

void RecordedPlan::write_constant_arguments() {
  std::memset(arguments_->mapped(), 0, static_cast<std::size_t>(arguments_->size_bytes()));
  std::size_t launch_index = 0;
  for (const runtime::PlanStep& step : description_.steps) {
    const auto* launch = std::get_if<runtime::LaunchStep>(&step);
    if (launch == nullptr) continue;
    std::byte* block = arguments_->mapped() + blocks_[launch_index++];
    for (const runtime::ScalarArgument& argument : launch->scalars) {
      if (argument.bytes.empty()) continue;
      std::memcpy(block + argument.block_offset, argument.bytes.data(), argument.bytes.size());
    }
  }
}

Status RecordedPlan::create_queries() {
  if (!description_.timed || blocks_.empty() || device_.physical().timestamp_valid_bits == 0)
    return {};
  VkQueryPoolCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
  info.queryType = VK_QUERY_TYPE_TIMESTAMP;
  info.queryCount = static_cast<std::uint32_t>(2 * blocks_.size());
  return device_.check(
      device_.table().vkCreateQueryPool(device_.handle(), &info, nullptr, &queries_),
      "vkCreateQueryPool");
}

Status RecordedPlan::record_commands(std::span<const runtime::BufferRange> slots) {
  const VolkDeviceTable& table = device_.table();
  recorded_.clear();
  ACCY_TRY(begin_commands(device_, commands_.handle()));
  if (queries_ != VK_NULL_HANDLE)
    table.vkCmdResetQueryPool(commands_.handle(), queries_, 0,
                              static_cast<std::uint32_t>(2 * blocks_.size()));
  std::size_t launches = 0;
  for (const runtime::PlanStep& step : description_.steps) {
    if (const auto* launch = std::get_if<runtime::LaunchStep>(&step))
      record_launch(*launch, launches++);
    else if (const auto* copy = std::get_if<runtime::CopyStep>(&step))
      record_copy(*copy, slots);
    else
      device_barrier(device_, commands_.handle());
  }
  ACCY_TRY(end_commands(device_, commands_.handle()));
  recorded_ = copy_bindings(slots);
  ++recordings_;
  return {};
}

void RecordedPlan::record_launch(const runtime::LaunchStep& step, std::size_t launch) {
  const VolkDeviceTable& table = device_.table();
  const VkCommandBuffer commands = commands_.handle();
  const Kernel& kernel = kernels_.kernels()[step.kernel];
  if (device_.labels()) {
    VkDebugUtilsLabelEXT label{};
    label.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT;
    label.pLabelName = step.label.empty() ? kernel.name.c_str() : step.label.c_str();
    vkCmdBeginDebugUtilsLabelEXT(commands, &label);
  }
  const auto query = static_cast<std::uint32_t>(2 * launch);
  if (queries_ != VK_NULL_HANDLE)
    table.vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, queries_, query);
  const std::uint64_t block = arguments_ == nullptr ? 0 : arguments_->address() + blocks_[launch];
  table.vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, kernel.pipeline);
  table.vkCmdPushConstants(commands, device_.pipeline_layout(), VK_SHADER_STAGE_COMPUTE_BIT, 0,
                           sizeof(block), &block);
  table.vkCmdDispatch(commands, static_cast<std::uint32_t>(step.grid[0]),
                      static_cast<std::uint32_t>(step.grid[1]),
                      static_cast<std::uint32_t>(step.grid[2]));
  if (queries_ != VK_NULL_HANDLE)
    table.vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, queries_, query + 1);
  if (device_.labels()) vkCmdEndDebugUtilsLabelEXT(commands);
}

void RecordedPlan::record_copy(const runtime::CopyStep& step,
                               std::span<const runtime::BufferRange> slots) {
  if (step.source.size_bytes == 0) return;
  const runtime::BufferRange& source = slots[step.source.slot];
  const runtime::BufferRange& destination = slots[step.destination.slot];
  VkBufferCopy region{};
  region.srcOffset = static_cast<VkDeviceSize>(source.offset_bytes + step.source.offset_bytes);
  region.dstOffset =
      static_cast<VkDeviceSize>(destination.offset_bytes + step.destination.offset_bytes);
  region.size = static_cast<VkDeviceSize>(step.source.size_bytes);
  device_.table().vkCmdCopyBuffer(commands_.handle(), as_device_buffer(source).handle(),
                                  as_device_buffer(destination).handle(), 1, &region);
}

Status RecordedPlan::check_slots(std::span<const runtime::BufferRange> slots) const {
  if (slots.size() != needs_.size())
    return fail(ErrorCode::invalid_input,
                fmt::format("{} slots are bound, the plan has {}", slots.size(), needs_.size()));
  for (std::size_t slot = 0; slot < slots.size(); ++slot) {
    if (!needs_[slot].used) continue;
    const runtime::BufferRange& range = slots[slot];
    if (range.buffer == nullptr || !as_device_buffer(range).belongs_to(device_))
      return fail(ErrorCode::invalid_input,
                  fmt::format("slot {} is bound to no buffer of this device", slot));
    const std::int64_t size = range.buffer->size_bytes();
    const bool inside = range.offset_bytes >= 0 && range.size_bytes >= 0 &&
                        range.size_bytes <= size && range.offset_bytes <= size - range.size_bytes;
    if (!inside || range.size_bytes < needs_[slot].bytes)
      return fail(ErrorCode::invalid_input,
                  fmt::format("slot {} is bound to {} bytes at {} of a buffer of {}, the plan uses "
                              "{}",
                              slot, range.size_bytes, range.offset_bytes, size,
                              needs_[slot].bytes));
  }
  return {};
}

std::vector<RecordedPlan::Bound>
RecordedPlan::copy_bindings(std::span<const runtime::BufferRange> slots) const {
  std::vector<Bound> bindings;
  for (std::size_t slot = 0; slot < slots.size(); ++slot)
    if (needs_[slot].copied)
      bindings.push_back({as_device_buffer(slots[slot]).identity(), slots[slot].offset_bytes});
  return bindings;
}

Result<runtime::RunTiming> RecordedPlan::run(std::span<const runtime::BufferRange> slots) {
  // First the end of an earlier run that timed out: its blocks and commands may be in use.
  ACCY_TRY(device_.settle());
  ACCY_TRY(check_slots(slots));
  for (const Patch& patch : patches_) {
    const runtime::BufferRange& range = slots[patch.slot];
    const std::uint64_t address = as_device_buffer(range).address() +
                                  static_cast<std::uint64_t>(range.offset_bytes) + patch.offset;
    std::memcpy(arguments_->mapped() + patch.position, &address, sizeof(address));
  }
  if (recordings_ == 0 || copy_bindings(slots) != recorded_) ACCY_TRY(record_commands(slots));
  ACCY_TRY_ASSIGN(const std::uint64_t value, device_.submit(commands_.handle()));
  ACCY_TRY(device_.wait(value));
  return read_timing();
}

Result<runtime::RunTiming> RecordedPlan::read_timing() {
  runtime::RunTiming timing;
  if (queries_ == VK_NULL_HANDLE) return timing;
  std::vector<std::uint64_t> stamps(2 * blocks_.size());
  const std::size_t bytes = stamps.size() * sizeof(std::uint64_t);
  ACCY_TRY(
      device_.check(device_.table().vkGetQueryPoolResults(
                        device_.handle(), queries_, 0, static_cast<std::uint32_t>(stamps.size()),
                        bytes, stamps.data(), sizeof(std::uint64_t), VK_QUERY_RESULT_64_BIT),
                    "vkGetQueryPoolResults"));
  const std::uint32_t bits = device_.physical().timestamp_valid_bits;
  const std::uint64_t mask = bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
  const double period = device_.physical().properties.limits.timestampPeriod;
  timing.launch_ns.reserve(blocks_.size());
  for (std::size_t launch = 0; launch < blocks_.size(); ++launch) {
    const std::uint64_t ticks = (stamps[2 * launch + 1] - stamps[2 * launch]) & mask;
    timing.launch_ns.push_back(
        static_cast<std::uint64_t>(std::llround(static_cast<double>(ticks) * period)));
  }
  return timing;
}

}  // namespace accy::vulkan
