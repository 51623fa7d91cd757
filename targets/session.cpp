#include "accy/session.hpp"

#include <array>
#include <filesystem>

#include "dialect/host/host.hpp"
#include "dialect/tensor/type.hpp"
#include "evaluate/comparison.hpp"
#include "evaluate/tensor_evaluator.hpp"
#include "frontend/folder_weights.hpp"
#include "frontend/program_state.hpp"
#include "preparation/artifact.hpp"
#include "preparation/preparation.hpp"
#include "runtime/executable.hpp"
#include "support/file.hpp"
#include "support/host_memory.hpp"
#include "targets/device_choice.hpp"
#include "targets/registry.hpp"

namespace accy {

namespace {

std::vector<TensorPort> ports_of(const choir::Operation& function, std::string_view names,
                                 std::span<choir::Value* const> values) {
  std::vector<TensorPort> ports;
  const auto list = host::strings(function, names);
  for (std::size_t index = 0; index < list.size(); ++index) {
    const auto type = tensor::TensorType::from(values[index]->type());
    ports.push_back({std::string(list[index]), type->element(), type->static_shape()});
  }
  return ports;
}

}  // namespace

namespace {

constexpr std::int64_t artifact_bytes_maximum = std::int64_t{1} << 32;

Result<bool> begins_as_artifact(const std::string& file) {
  ACCY_TRY_ASSIGN(const InputFile input, InputFile::open(file));
  std::array<std::byte, 16> first{};
  const auto size = static_cast<std::size_t>(
      std::min<std::int64_t>(input.size_bytes(), std::int64_t{first.size()}));
  ACCY_TRY(input.read_at(0, std::span(first).first(size)));
  return preparation::is_artifact({reinterpret_cast<const char*>(first.data()), size});
}

}  // namespace

struct Session::State {
  explicit State(const std::filesystem::path& folder) : weights(folder) {}

  frontend::FolderWeights weights;
  choir::RevisionRef contract;
  std::vector<TensorPort> inputs, outputs;
  std::string device_name, description, reason;
  std::unique_ptr<runtime::Device> device;
  std::unique_ptr<runtime::Executable> executable;  // null on the reference device
  std::vector<LaunchTime> launches;

  const choir::Operation& function() const {
    return *semantic::find_function(contract->module());
  }

  void read_ports() {
    const choir::Block& body = function().body();
    std::vector<choir::Value*> arguments;
    for (std::size_t index = 0; index < body.argument_count(); ++index)
      arguments.push_back(body.argument(index));
    inputs = ports_of(function(), "inputs", arguments);
    outputs = ports_of(function(), "outputs", body.terminator()->operands());
  }

  Status choose(const std::string& wanted) {
    device_name = wanted;
    if (wanted == "auto") {
      ACCY_TRY_ASSIGN(targets::DeviceChoice choice, targets::choose_device(targets::enumerate()));
      device_name = std::move(choice.name);
      reason = std::move(choice.reason);
    }
    if (device_name == targets::reference_device) {
      description = targets::reference_description;
      return {};
    }
    ACCY_TRY_ASSIGN(device, targets::open(device_name));
    description = device->info().description;
    return {};
  }

  Status load(tensor::TensorJob tensor, preparation::PreparationOptions options) {
    options.profile = &device->info().profile;
    options.backend = targets::find_backend(options.profile->target);
    ACCY_TRY_ASSIGN(auto dispatch,
                    preparation::prepare_dispatch_job_from_tensor_job(std::move(tensor), options));
    ACCY_TRY_ASSIGN(auto memory, preparation::prepare_memory_job_from_dispatch_job(
                                     std::move(dispatch), options));
    ACCY_TRY_ASSIGN(auto target, preparation::prepare_target_job_from_memory_job(std::move(memory),
                                                                                 options));
    ACCY_TRY_ASSIGN(executable, runtime::Executable::load(*device, target.revision(), weights));
    return {};
  }
};

Session::Session(std::unique_ptr<State> state) : state_(std::move(state)) {}
Session::~Session() = default;
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;

Result<Session> Session::open(const std::string& file, const SessionOptions& options) {
  ACCY_TRY_ASSIGN(const bool artifact, begins_as_artifact(file));
  if (artifact) return or_out_of_memory([&] { return load_artifact(file, options); });
  return compile(Program::from_file(file), options,
                 std::filesystem::path(file).parent_path().string());
}

Result<Session> Session::load_artifact(const std::string& file, const SessionOptions& options) {
  if (!options.dimensions.empty())
    return fail(ErrorCode::invalid_input,
                file + ": the sizes of an artifact's dimensions are fixed; none can be given");
  ACCY_TRY_ASSIGN(const std::vector<std::byte> bytes, read_file(file, artifact_bytes_maximum));
  ACCY_TRY_ASSIGN(preparation::Artifact artifact,
                  preparation::parse_artifact(
                      {reinterpret_cast<const char*>(bytes.data()), bytes.size()}, file));
  auto state = std::make_unique<State>(std::filesystem::path(file).parent_path());
  ACCY_TRY(state->choose(options.device));
  state->contract = std::move(artifact.contract);
  state->read_ports();
  if (state->device != nullptr) {
    ACCY_TRY(preparation::require_device(artifact, state->device->info().profile));
    ACCY_TRY_ASSIGN(state->executable,
                    runtime::Executable::load(*state->device, artifact.target, state->weights));
  }
  return Session(std::move(state));
}

Result<Session> Session::compile(const Result<Program>& program, const SessionOptions& options,
                                 const std::string& weight_folder) {
  if (!program) return fail(program.error());
  return compile(*program, options, weight_folder);
}

Result<Session> Session::compile(const Program& program, const SessionOptions& options,
                                 const std::string& weight_folder) {
  return or_out_of_memory([&] { return compile_program(program, options, weight_folder); });
}

Result<Session> Session::compile_program(const Program& program, const SessionOptions& options,
                                         const std::string& weight_folder) {
  auto state = std::make_unique<State>(weight_folder);
  // The device before the compile: a wrong name should not cost one.
  ACCY_TRY(state->choose(options.device));
  preparation::PreparationOptions preparation;
  preparation.dimensions = options.dimensions;
  ACCY_TRY_ASSIGN(auto contract, preparation::prepare_contract_job_from_semantic_module(
                                     program.state().semantic.fork(), preparation));
  state->contract = contract.revision();
  state->read_ports();
  if (state->device != nullptr) {
    ACCY_TRY_ASSIGN(auto tensor, preparation::prepare_tensor_job_from_contract_job(
                                     std::move(contract), preparation));
    ACCY_TRY(state->load(std::move(tensor), preparation));
  }
  return Session(std::move(state));
}

std::span<const TensorPort> Session::inputs() const { return state_->inputs; }
std::span<const TensorPort> Session::outputs() const { return state_->outputs; }
const std::string& Session::device() const { return state_->device_name; }
const std::string& Session::device_description() const { return state_->description; }
const std::string& Session::device_reason() const { return state_->reason; }
std::span<const LaunchTime> Session::launches() const { return state_->launches; }

Result<std::vector<HostTensor>> Session::run(std::span<const HostTensor> inputs) {
  return or_out_of_memory([&]() -> Result<std::vector<HostTensor>> {
    if (state_->executable == nullptr)
      return evaluate::evaluate(state_->function(), inputs, state_->weights);
    ACCY_TRY_ASSIGN(runtime::RunResult result, state_->executable->run(inputs));
    state_->launches.clear();
    for (runtime::KernelTime& kernel : result.kernels)
      state_->launches.push_back({std::move(kernel.name), kernel.elapsed_ns});
    return std::move(result.outputs);
  });
}

Result<std::vector<OutputCheck>> Session::check(std::span<const HostTensor> inputs,
                                                std::span<const HostTensor> outputs) const {
  ACCY_TRY_ASSIGN(const auto expected, or_out_of_memory([&] {
                    return evaluate::evaluate_wide(state_->function(), inputs, state_->weights);
                  }));
  if (outputs.size() != expected.size())
    return fail(ErrorCode::invalid_input, "program has " + std::to_string(expected.size()) +
                                              " outputs, not " + std::to_string(outputs.size()));
  std::vector<OutputCheck> checks;
  for (std::size_t index = 0; index < outputs.size(); ++index) {
    const evaluate::Comparison comparison = evaluate::compare(outputs[index], expected[index]);
    checks.push_back({comparison.pass, comparison.max_ulp, comparison.worst_ratio,
                      comparison.message});
  }
  return checks;
}

}  // namespace accy
