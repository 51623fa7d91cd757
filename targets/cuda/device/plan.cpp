#include "targets/cuda/device/plan.hpp"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <limits>
#include <thread>

namespace accy::cuda {

namespace {

driver::Address address_of(const runtime::SlotRange& range,
                           std::span<const runtime::BufferRange> slots) {
  const runtime::BufferRange& slot = slots[range.slot];
  const auto& buffer = static_cast<const DeviceBuffer&>(*slot.buffer);
  return buffer.address() + static_cast<driver::Address>(slot.offset_bytes + range.offset_bytes);
}

/// Copies into the block; a place outside it is a defect of whoever made the plan.
Status place(std::vector<std::byte>& block, std::int64_t offset, std::span<const std::byte> bytes,
             const std::string& label) {
  const auto size = static_cast<std::int64_t>(bytes.size());
  const auto block_size = static_cast<std::int64_t>(block.size());
  if (offset < 0 || size > block_size || offset > block_size - size)
    return fail(ErrorCode::internal,
                fmt::format("argument of {} bytes at {} leaves the block of launch {} ({} bytes)",
                            size, offset, label, block_size));
  std::memcpy(block.data() + offset, bytes.data(), bytes.size());
  return {};
}

Result<std::array<unsigned int, 3>> unsigned_grid(const runtime::LaunchStep& step) {
  std::array<unsigned int, 3> grid{};
  for (std::size_t axis = 0; axis < grid.size(); ++axis) {
    constexpr std::int64_t limit = std::numeric_limits<std::int32_t>::max();
    if (step.grid[axis] < 1 || step.grid[axis] > limit)
      return fail(ErrorCode::invalid_input, fmt::format("grid axis {} of launch {} is {} (1 to {})",
                                                        axis, step.label, step.grid[axis], limit));
    grid[axis] = static_cast<unsigned int>(step.grid[axis]);
  }
  return grid;
}

}  // namespace

Result<std::unique_ptr<DevicePlan>>
DevicePlan::record(Session& session, const DeviceKernels& kernels,
                   const runtime::PlanDescription& description) {
  std::unique_ptr<DevicePlan> plan(new DevicePlan(session));
  plan->slot_count_ = description.slot_count;
  for (const runtime::PlanStep& step : description.steps) {
    if (const auto* launch = std::get_if<runtime::LaunchStep>(&step)) {
      ACCY_TRY(plan->add_launch(kernels, *launch));
    } else if (const auto* copy = std::get_if<runtime::CopyStep>(&step)) {
      plan->steps_.emplace_back(*copy);
      plan->reuse_event_ = false;
    }
  }
  if (!plan->reuse_event_) ACCY_TRY(plan->add_event());  // the end of the run, to wait for
  return plan;
}

Result<std::size_t> DevicePlan::add_event() {
  ACCY_TRY_ASSIGN(Event event, Event::create(session_));
  events_.push_back(std::move(event));
  return events_.size() - 1;
}

Status DevicePlan::add_launch(const DeviceKernels& kernels, const runtime::LaunchStep& step) {
  if (step.kernel >= kernels.size())
    return fail(ErrorCode::internal, fmt::format("launch {} names kernel {} (of {})", step.label,
                                                 step.kernel, kernels.size()));
  Launch launch;
  launch.kernel = &kernels.kernel(step.kernel);
  launch.buffers = step.buffers;
  launch.label = step.label;
  launch.block.resize(static_cast<std::size_t>(launch.kernel->argument_block_bytes));
  ACCY_TRY_ASSIGN(launch.grid, unsigned_grid(step));
  for (const runtime::ScalarArgument& scalar : step.scalars)
    ACCY_TRY(place(launch.block, scalar.block_offset, scalar.bytes, step.label));
  if (!reuse_event_) ACCY_TRY(add_event());
  launch.before = events_.size() - 1;
  ACCY_TRY_ASSIGN(launch.after, add_event());
  reuse_event_ = true;
  steps_.emplace_back(std::move(launch));
  return {};
}

Result<runtime::RunTiming> DevicePlan::run(std::span<const runtime::BufferRange> slots) {
  if (slots.size() != slot_count_)
    return fail(ErrorCode::invalid_input,
                fmt::format("run binds {} slots (the plan has {})", slots.size(), slot_count_));
  ACCY_TRY(enqueue(slots));
  ACCY_TRY(wait());
  return timing();
}

Status DevicePlan::enqueue(std::span<const runtime::BufferRange> slots) {
  std::size_t recorded = 0;  // events recorded so far; they are recorded in order
  const auto record_through = [&](std::size_t event) -> Status {
    for (; recorded <= event; ++recorded)
      ACCY_CUDA_TRY(session_, event_record, events_[recorded].handle(), session_.stream());
    return {};
  };
  for (Step& step : steps_) {
    if (auto* launched = std::get_if<Launch>(&step)) {
      ACCY_TRY(record_through(launched->before));
      ACCY_TRY(launch(*launched, slots));
      ACCY_TRY(record_through(launched->after));
    } else {
      ACCY_TRY(copy(std::get<runtime::CopyStep>(step), slots));
    }
  }
  return record_through(events_.size() - 1);
}

Status DevicePlan::launch(Launch& launch, std::span<const runtime::BufferRange> slots) {
  for (const runtime::BufferArgument& argument : launch.buffers) {
    const driver::Address address = address_of(argument.range, slots);
    ACCY_TRY(place(launch.block, argument.block_offset, std::as_bytes(std::span(&address, 1)),
                   launch.label));
  }
  std::size_t size = launch.block.size();
  std::array<void*, 5> extra{driver::parameter_buffer_pointer, launch.block.data(),
                             driver::parameter_buffer_size, &size, driver::parameter_end};
  const auto workgroup = launch.kernel->workgroup;
  const driver::Code code = session_.api().launch(
      launch.kernel->function, launch.grid[0], launch.grid[1], launch.grid[2],
      static_cast<unsigned int>(workgroup[0]), static_cast<unsigned int>(workgroup[1]),
      static_cast<unsigned int>(workgroup[2]), 0U, session_.stream(), nullptr,
      size == 0 ? nullptr : extra.data());
  Status status = session_.check(code, driver::symbols::launch);
  if (status) return {};
  return fail(std::move(status.error()).with("launching " + launch.label));
}

Status DevicePlan::copy(const runtime::CopyStep& step,
                        std::span<const runtime::BufferRange> slots) {
  ACCY_CUDA_TRY(session_, copy_on_device, address_of(step.destination, slots),
                address_of(step.source, slots), static_cast<std::size_t>(step.source.size_bytes),
                session_.stream());
  return {};
}

Status DevicePlan::wait() {
  using Clock = std::chrono::steady_clock;
  constexpr auto spin = std::chrono::microseconds(200);  // short runs are not worth a sleep
  const Clock::time_point start = Clock::now();
  while (true) {
    const driver::Code code = session_.api().event_query(events_.back().handle());
    if (code != driver::not_ready) return session_.check(code, driver::symbols::event_query);
    const auto waited = Clock::now() - start;
    if (waited > session_.wait_limit()) break;
    if (waited > spin) std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
  const auto limit =
      std::chrono::duration_cast<std::chrono::milliseconds>(session_.wait_limit()).count();
  Failure failure =
      fail(ErrorCode::timeout, fmt::format("run has not finished (limit {} ms)", limit));
  session_.abandon(failure.value());
  return failure;
}

Result<runtime::RunTiming> DevicePlan::timing() const {
  runtime::RunTiming timing;
  for (const Step& step : steps_) {
    const auto* launch = std::get_if<Launch>(&step);
    if (launch == nullptr) continue;
    float milliseconds = 0;
    ACCY_CUDA_TRY(session_, event_elapsed, &milliseconds, events_[launch->before].handle(),
                  events_[launch->after].handle());
    timing.launch_ns.push_back(static_cast<std::uint64_t>(std::max(milliseconds, 0.0F) * 1e6F));
  }
  return timing;
}

}  // namespace accy::cuda
