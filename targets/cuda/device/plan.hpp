// A recorded plan: its launches with argument blocks, replayed on the session's stream.
#pragma once

#include <memory>
#include <vector>

#include "runtime/adapter.hpp"
#include "targets/cuda/device/objects.hpp"

namespace accy::cuda {

/// Steps run in the stream's order, so barriers need nothing. Each launch is timed between events.
class DevicePlan final : public runtime::Plan {
 public:
  /// Makes the blocks and the events; `kernels` must outlive the plan.
  static Result<std::unique_ptr<DevicePlan>> record(Session& session, const DeviceKernels& kernels,
                                                    const runtime::PlanDescription& description);
  /// Enqueues everything and waits; a wait longer than the session's limit is a timeout, after
  /// which the device is given up.
  Result<runtime::RunTiming> run(std::span<const runtime::BufferRange> slots);

 private:
  struct Launch {
    const Kernel* kernel = nullptr;
    std::array<unsigned int, 3> grid{1, 1, 1};
    std::vector<runtime::BufferArgument> buffers;
    std::vector<std::byte> block;  ///< scalars in place, addresses written at each run
    std::string label;
    std::size_t before = 0;  ///< index of the event recorded before it
    std::size_t after = 0;
  };
  using Step = std::variant<Launch, runtime::CopyStep>;

  explicit DevicePlan(Session& session) : session_(session) {}
  Status add_launch(const DeviceKernels& kernels, const runtime::LaunchStep& step);
  Result<std::size_t> add_event();
  Status launch(Launch& launch, std::span<const runtime::BufferRange> slots);
  Status copy(const runtime::CopyStep& step, std::span<const runtime::BufferRange> slots);
  Status enqueue(std::span<const runtime::BufferRange> slots);
  Status wait();
  Result<runtime::RunTiming> timing() const;

  Session& session_;
  std::size_t slot_count_ = 0;
  std::vector<Step> steps_;
  std::vector<Event> events_;
  bool reuse_event_ = false;  ///< the last event stands right before the next step
};

}  // namespace accy::cuda
