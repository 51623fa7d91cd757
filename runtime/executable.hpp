// Executable: a prepared program loaded on a device, replayed with new inputs.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "accy/host_tensor.hpp"
#include "choir/product.hpp"
#include "dialect/tensor/weight_source.hpp"
#include "runtime/adapter.hpp"
#include "runtime/launch_plan.hpp"

namespace accy::runtime {

/// One kernel of a run, in launch order.
struct KernelTime {
  std::string name;
  std::uint64_t elapsed_ns = 0;  ///< on the device; 0 where it cannot tell
};

struct RunResult {
  std::vector<HostTensor> outputs;  ///< in the program's order
  std::vector<KernelTime> kernels;
};

/// A target product on one device: kernels loaded, constants uploaded, arena allocated and the plan
/// recorded once. Must not outlive the device. Runs must not overlap.
class Executable {
 public:
  /// Loads a target revision; it is retained. Weights are read here, once.
  static Result<std::unique_ptr<Executable>> load(Device& device, choir::RevisionRef target,
                                                  const tensor::WeightSource& weights);

  std::span<const Port> inputs() const { return program_.inputs; }
  std::span<const Port> outputs() const { return program_.outputs; }
  const LaunchProgram& program() const { return program_; }

  /// Uploads the inputs (in order, of the ports' types), replays the plan and downloads the
  /// outputs.
  Result<RunResult> run(std::span<const HostTensor> inputs);

 private:
  Executable(Device& device, choir::RevisionRef target)
      : device_(device), target_(std::move(target)) {}
  Status allocate();
  Status upload_constants(const tensor::WeightSource& weights);
  Status check_inputs(std::span<const HostTensor> inputs) const;

  Device& device_;
  choir::RevisionRef target_;
  LaunchProgram program_;  // borrows the revision's code
  std::vector<std::unique_ptr<Buffer>> buffers_;  // one a slot
  std::vector<BufferRange> slots_;
  std::unique_ptr<LoadedKernels> kernels_;
  std::unique_ptr<Plan> plan_;  // destroyed before the kernels and buffers it uses
};

}  // namespace accy::runtime
