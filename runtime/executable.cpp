#include "runtime/executable.hpp"

#include <algorithm>

#include "dialect/host/host.hpp"
#include "dialect/tensor/type.hpp"
#include "evaluate/host_evaluator.hpp"

namespace accy::runtime {

Result<std::unique_ptr<Executable>> Executable::load(Device& device, choir::RevisionRef target,
                                                     const tensor::WeightSource& weights) {
  std::unique_ptr<Executable> executable(new Executable(device, std::move(target)));
  ACCY_TRY_ASSIGN(executable->program_, read_launch_program(executable->target_->module()));
  ACCY_TRY(executable->allocate());
  ACCY_TRY(executable->upload_constants(weights));
  ACCY_TRY_ASSIGN(executable->kernels_, device.load(executable->program_.kernels));
  ACCY_TRY_ASSIGN(executable->plan_,
                  device.record(*executable->kernels_, executable->program_.plan));
  return executable;
}

Status Executable::allocate() {
  std::vector<std::int64_t> sizes;
  for (const Port& port : program_.inputs) sizes.push_back(port.size_bytes);
  for (const Port& port : program_.outputs) sizes.push_back(port.size_bytes);
  sizes.push_back(program_.constant_bytes);
  sizes.push_back(program_.arena_bytes);
  sizes.push_back(program_.workspace_bytes);
  for (std::int64_t size : sizes) {
    // An empty tensor still needs an address to pass.
    ACCY_TRY_ASSIGN(std::unique_ptr<Buffer> buffer,
                    device_.allocate(std::max<std::int64_t>(size, 1)));
    slots_.push_back({buffer.get(), 0, buffer->size_bytes()});
    buffers_.push_back(std::move(buffer));
  }
  return {};
}

Status Executable::upload_constants(const tensor::WeightSource& weights) {
  Buffer* constants = buffers_[program_.constant_slot()].get();
  for (const choir::Operation* constant : program_.constants) {
    ACCY_TRY_ASSIGN(const HostTensor value, evaluate::constant_bytes(*constant, weights));
    if (value.bytes.empty()) continue;
    const host::Place place = host::place_of(*constant->result());
    ACCY_TRY(device_.write({constants, place.offset_bytes, place.size_bytes}, value.bytes));
  }
  return {};
}

Status Executable::check_inputs(std::span<const HostTensor> inputs) const {
  if (inputs.size() != program_.inputs.size())
    return fail(ErrorCode::invalid_input,
                "program takes " + std::to_string(program_.inputs.size()) + " inputs, not " +
                    std::to_string(inputs.size()));
  for (std::size_t index = 0; index < inputs.size(); ++index) {
    const Port& port = program_.inputs[index];
    if (inputs[index].element == port.element && inputs[index].shape == port.shape) continue;
    return fail(ErrorCode::invalid_input,
                "input '" + port.name + "' is " + std::string(to_string(inputs[index].element)) +
                    " " + tensor::shape_to_string(inputs[index].shape) + ", the program takes " +
                    std::string(to_string(port.element)) + " " +
                    tensor::shape_to_string(port.shape));
  }
  return {};
}

Result<RunResult> Executable::run(std::span<const HostTensor> inputs) {
  ACCY_TRY(check_inputs(inputs));
  for (std::size_t index = 0; index < inputs.size(); ++index)
    if (!inputs[index].bytes.empty())
      ACCY_TRY(device_.write({buffers_[index].get(), 0, program_.inputs[index].size_bytes},
                             inputs[index].bytes));
  ACCY_TRY_ASSIGN(const RunTiming timing, device_.run(*plan_, slots_));
  RunResult result;
  for (std::size_t index = 0; index < program_.outputs.size(); ++index) {
    const Port& port = program_.outputs[index];
    ACCY_TRY_ASSIGN(HostTensor output, HostTensor::zeros(port.element, port.shape));
    if (!output.bytes.empty())
      ACCY_TRY(device_.read({buffers_[inputs.size() + index].get(), 0, port.size_bytes},
                            output.bytes));
    result.outputs.push_back(std::move(output));
  }
  for (const PlanStep& step : program_.plan.steps)
    if (const auto* launch = std::get_if<LaunchStep>(&step)) {
      const std::size_t number = result.kernels.size();
      result.kernels.push_back(
          {launch->label, number < timing.launch_ns.size() ? timing.launch_ns[number] : 0});
    }
  return result;
}

}  // namespace accy::runtime
