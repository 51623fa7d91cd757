#include "targets/interpreter/device/plan.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>

#include "targets/interpreter/device/buffer.hpp"

namespace accy::interpreter {
namespace {

/// One argument of a launch: a range of a slot, or the bits of a scalar.
struct PlanArgument {
  bool is_buffer = false;
  bool is_writable = false;
  runtime::SlotRange range;
  std::uint64_t bits = 0;
};

struct PlanLaunch {
  const evaluate::KernelProgram* program = nullptr;
  std::array<std::int64_t, 3> grid{};
  std::vector<PlanArgument> arguments;  // by parameter
  std::string label;
};

using Step = std::variant<PlanLaunch, runtime::CopyStep>;

struct InterpreterPlan final : runtime::Plan {
  std::size_t slot_count = 0;
  std::vector<Step> steps;
};

Result<PlanArgument> resolve_argument(const runtime::LaunchStep& launch,
                                      const kernel::ArgumentSlot& slot, std::size_t parameter) {
  const auto at_offset = [&](const auto& argument) {
    return argument.block_offset == slot.offset_bytes;
  };
  const auto buffer = std::find_if(launch.buffers.begin(), launch.buffers.end(), at_offset);
  if (slot.is_buffer && buffer != launch.buffers.end())
    return PlanArgument{true, buffer->access != runtime::Access::read, buffer->range, 0};
  const auto scalar = std::find_if(launch.scalars.begin(), launch.scalars.end(), at_offset);
  if (!slot.is_buffer && scalar != launch.scalars.end() &&
      static_cast<std::int64_t>(scalar->bytes.size()) == slot.size_bytes) {
    PlanArgument argument;
    std::memcpy(&argument.bits, scalar->bytes.data(), scalar->bytes.size());
    return argument;
  }
  return fail(ErrorCode::invalid_input,
              "launch " + launch.label + " has no " + (slot.is_buffer ? "buffer" : "scalar") +
                  " of " + std::to_string(slot.size_bytes) + " bytes at block offset " +
                  std::to_string(slot.offset_bytes) + " for parameter " +
                  std::to_string(parameter));
}

Status check_slot(const runtime::SlotRange& range, std::size_t slot_count) {
  if (range.slot < slot_count) return {};
  return fail(ErrorCode::invalid_input, "slot " + std::to_string(range.slot) + " does not exist (" +
                                            std::to_string(slot_count) + " slots)");
}

Result<PlanLaunch> resolve_launch(const InterpreterKernels& kernels,
                                  const runtime::LaunchStep& step, std::size_t slot_count) {
  if (step.kernel >= kernels.programs.size())
    return fail(ErrorCode::invalid_input, "kernel " + std::to_string(step.kernel) +
                                              " does not exist (" +
                                              std::to_string(kernels.programs.size()) + " loaded)");
  PlanLaunch launch{&kernels.programs[step.kernel], step.grid, {}, step.label};
  const auto& slots = launch.program->layout().slots;
  for (std::size_t parameter = 0; parameter < slots.size(); ++parameter) {
    ACCY_TRY_ASSIGN(PlanArgument argument, resolve_argument(step, slots[parameter], parameter));
    if (argument.is_buffer) ACCY_TRY(check_slot(argument.range, slot_count));
    launch.arguments.push_back(std::move(argument));
  }
  return launch;
}

/// The part of a bound slot.
Result<std::span<std::byte>> bytes_of_slot(std::span<const runtime::BufferRange> slots,
                                           const runtime::SlotRange& range) {
  ACCY_TRY_ASSIGN(const std::span<std::byte> slot, bytes_of(slots[range.slot]));
  const auto size = static_cast<std::int64_t>(slot.size());
  if (range.offset_bytes < 0 || range.size_bytes < 0 || range.offset_bytes > size ||
      range.size_bytes > size - range.offset_bytes)
    return fail(ErrorCode::invalid_input, "range of " + std::to_string(range.size_bytes) +
                                              " bytes at " + std::to_string(range.offset_bytes) +
                                              " leaves slot " + std::to_string(range.slot) +
                                              " (size " + std::to_string(size) + ")");
  return slot.subspan(static_cast<std::size_t>(range.offset_bytes),
                      static_cast<std::size_t>(range.size_bytes));
}

Status run_launch(const PlanLaunch& launch, std::span<const runtime::BufferRange> slots) {
  std::vector<evaluate::KernelArgument> arguments;
  for (const PlanArgument& argument : launch.arguments) {
    if (!argument.is_buffer) {
      arguments.push_back(evaluate::KernelArgument::scalar_bits(argument.bits));
      continue;
    }
    ACCY_TRY_ASSIGN(const std::span<std::byte> bytes, bytes_of_slot(slots, argument.range));
    arguments.push_back(argument.is_writable ? evaluate::KernelArgument::buffer(bytes)
                                             : evaluate::KernelArgument::constant_buffer(bytes));
  }
  return launch.program->run(launch.grid, arguments);
}

Status run_copy(const runtime::CopyStep& copy, std::span<const runtime::BufferRange> slots) {
  ACCY_TRY_ASSIGN(const std::span<std::byte> source, bytes_of_slot(slots, copy.source));
  ACCY_TRY_ASSIGN(const std::span<std::byte> destination, bytes_of_slot(slots, copy.destination));
  if (source.size() != destination.size())
    return fail(ErrorCode::invalid_input, "copy between ranges of " +
                                              std::to_string(source.size()) + " and " +
                                              std::to_string(destination.size()) + " bytes");
  if (!source.empty()) std::memmove(destination.data(), source.data(), source.size());
  return {};
}

}  // namespace

Result<std::unique_ptr<runtime::Plan>> record_plan(const InterpreterKernels& kernels,
                                                   const runtime::PlanDescription& description) {
  auto plan = std::make_unique<InterpreterPlan>();
  plan->slot_count = description.slot_count;
  for (const runtime::PlanStep& step : description.steps) {
    if (const auto* launch = std::get_if<runtime::LaunchStep>(&step)) {
      ACCY_TRY_ASSIGN(PlanLaunch resolved,
                      resolve_launch(kernels, *launch, description.slot_count));
      plan->steps.emplace_back(std::move(resolved));
    } else if (const auto* copy = std::get_if<runtime::CopyStep>(&step)) {
      ACCY_TRY(check_slot(copy->source, description.slot_count));
      ACCY_TRY(check_slot(copy->destination, description.slot_count));
      plan->steps.emplace_back(*copy);
    }
    // A barrier needs nothing: steps run one after another.
  }
  return plan;
}

Result<runtime::RunTiming> run_plan(const runtime::Plan& plan,
                                    std::span<const runtime::BufferRange> slots) {
  const auto& recorded = static_cast<const InterpreterPlan&>(plan);
  if (slots.size() != recorded.slot_count)
    return fail(ErrorCode::invalid_input, "plan has " + std::to_string(recorded.slot_count) +
                                              " slots (got " + std::to_string(slots.size()) + ")");
  runtime::RunTiming timing;
  for (const Step& step : recorded.steps) {
    if (const auto* copy = std::get_if<runtime::CopyStep>(&step)) {
      ACCY_TRY(run_copy(*copy, slots));
      continue;
    }
    const auto& launch = std::get<PlanLaunch>(step);
    const auto start = std::chrono::steady_clock::now();
    if (Status status = run_launch(launch, slots); !status)
      return fail(std::move(status.error()).with("launch " + launch.label));
    const auto elapsed = std::chrono::steady_clock::now() - start;
    timing.launch_ns.push_back(static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(elapsed).count()));
  }
  return timing;
}

}  // namespace accy::interpreter
