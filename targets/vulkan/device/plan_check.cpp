// Checks of a plan before it is recorded: a write outside a block or a buffer by address is not
// caught by any driver, it ends the process or corrupts other tensors.
#include <fmt/format.h>

#include "support/checked.hpp"
#include "targets/vulkan/device/plan.hpp"

namespace accy::vulkan {
namespace {

Status check_range(const runtime::SlotRange& range, std::size_t slot_count) {
  if (range.slot >= slot_count)
    return fail(ErrorCode::invalid_input,
                fmt::format("a step names slot {}, the plan has {}", range.slot, slot_count));
  if (range.offset_bytes < 0 || range.size_bytes < 0)
    return fail(ErrorCode::invalid_input,
                fmt::format("a step names {} bytes at {} of slot {}", range.size_bytes,
                            range.offset_bytes, range.slot));
  ACCY_TRY(checked_add(range.offset_bytes, range.size_bytes));
  return {};
}

Status check_field(const Kernel& kernel, std::int64_t offset, std::int64_t size) {
  if (offset >= 0 && size <= kernel.argument_block_bytes &&
      offset <= kernel.argument_block_bytes - size)
    return {};
  return fail(
      ErrorCode::invalid_input,
      fmt::format("an argument of {} bytes at {} is outside the argument block of kernel {} "
                  "({} bytes)",
                  size, offset, kernel.name, kernel.argument_block_bytes));
}

Status check_launch(const PhysicalDevice& physical, std::span<const Kernel> kernels,
                    const runtime::LaunchStep& step, std::size_t slot_count) {
  if (step.kernel >= kernels.size())
    return fail(ErrorCode::invalid_input, fmt::format("a launch names kernel {}, {} are loaded",
                                                      step.kernel, kernels.size()));
  const Kernel& kernel = kernels[step.kernel];
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::uint32_t limit = physical.properties.limits.maxComputeWorkGroupCount[axis];
    if (step.grid[axis] < 0 || step.grid[axis] > limit)
      return fail(ErrorCode::unsupported,
                  fmt::format("the grid of kernel {} has {} workgroups on axis {} (limit {})",
                              kernel.name, step.grid[axis], axis, limit));
  }
  for (const runtime::BufferArgument& argument : step.buffers) {
    ACCY_TRY(check_range(argument.range, slot_count));
    ACCY_TRY(check_field(kernel, argument.block_offset, sizeof(std::uint64_t)));
  }
  for (const runtime::ScalarArgument& argument : step.scalars)
    ACCY_TRY(check_field(kernel, argument.block_offset,
                         static_cast<std::int64_t>(argument.bytes.size())));
  return {};
}

Status check_copy(const runtime::CopyStep& step, std::size_t slot_count) {
  ACCY_TRY(check_range(step.source, slot_count));
  ACCY_TRY(check_range(step.destination, slot_count));
  if (step.source.size_bytes == step.destination.size_bytes) return {};
  return fail(ErrorCode::invalid_input,
              fmt::format("a copy moves {} bytes to a range of {}", step.source.size_bytes,
                          step.destination.size_bytes));
}

}  // namespace

Status check_plan(const PhysicalDevice& physical, std::span<const Kernel> kernels,
                  const runtime::PlanDescription& description) {
  for (const runtime::PlanStep& step : description.steps) {
    if (const auto* launch = std::get_if<runtime::LaunchStep>(&step))
      ACCY_TRY(check_launch(physical, kernels, *launch, description.slot_count));
    if (const auto* copy = std::get_if<runtime::CopyStep>(&step))
      ACCY_TRY(check_copy(*copy, description.slot_count));
  }
  return {};
}

}  // namespace accy::vulkan
