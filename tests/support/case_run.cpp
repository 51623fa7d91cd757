#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <memory>

#include "dialect/tensor/type.hpp"
#include "evaluate/comparison.hpp"
#include "frontend/folder_weights.hpp"
#include "runtime/executable.hpp"
#include "support/case_actions.hpp"
#include "support/case_options.hpp"
#include "support/stages.hpp"
#include "targets/registry.hpp"

namespace accy::test {
namespace {

using preparation::Stage;

/// Every device that is here, opened once and closed before main() ends: a driver must not outlive
/// its own unloading.
class CaseDevices : public testing::Environment {
 public:
  void TearDown() override { open_.clear(); }

  static Result<std::vector<runtime::Device*>> all() {
    if (open_.empty())
      for (const runtime::DeviceInfo& info : targets::enumerate().devices) {
        ACCY_TRY_ASSIGN(auto device, targets::open(info.name));
        open_.push_back(std::move(device));
      }
    std::vector<runtime::Device*> devices;
    for (const auto& device : open_) devices.push_back(device.get());
    return devices;
  }

 private:
  static inline std::vector<std::unique_ptr<runtime::Device>> open_;
};

const auto* const environment = testing::AddGlobalTestEnvironment(new CaseDevices);

/// Names and types of a contract function's arguments, or of what it returns.
struct Values {
  std::vector<std::string> names;
  std::vector<tensor::TensorType> types;
};

Values values_of(const choir::Operation& function, bool inputs) {
  Values values;
  for (choir::Attribute name : function.attribute(inputs ? "inputs" : "outputs").array())
    values.names.emplace_back(name.text());
  const choir::Block& body = function.body();
  for (std::size_t index = 0; index < values.names.size(); ++index) {
    const choir::Value* value =
        inputs ? body.argument(index) : body.terminator()->operand(index);
    values.types.push_back(*tensor::TensorType::from(value->type()));
  }
  return values;
}

/// 64-bit integers keep all their digits, the rest goes through f64 as a program's constants do.
bool store(HostTensor& tensor, std::int64_t index, const std::string& text) {
  const auto place = static_cast<std::size_t>(index);
  char* end = nullptr;
  if (text == "true" || text == "false") {
    tensor.set(index, text == "true" ? 1 : 0);
    return true;
  }
  if (tensor.element == ElementType::i64)
    tensor.view<std::int64_t>()[place] = std::strtoll(text.c_str(), &end, 10);
  else if (tensor.element == ElementType::u64)
    tensor.view<std::uint64_t>()[place] = std::strtoull(text.c_str(), &end, 10);
  else tensor.set(index, std::strtod(text.c_str(), &end));
  return end != nullptr && *end == '\0';
}

Result<std::vector<HostTensor>> tensors_of(const std::vector<NamedNumbers>& given,
                                           const Values& wanted) {
  std::vector<HostTensor> tensors;
  if (given.size() != wanted.names.size())
    return fail(ErrorCode::invalid_input, "run line has " + std::to_string(given.size()) +
                                              " tensors, the program " +
                                              std::to_string(wanted.names.size()));
  for (std::size_t index = 0; index < given.size(); ++index) {
    const NamedNumbers& named = given[index];
    const std::vector<std::int64_t> shape = wanted.types[index].static_shape();
    ACCY_TRY_ASSIGN(HostTensor made, HostTensor::zeros(wanted.types[index].element(), shape));
    if (named.name != wanted.names[index] ||
        made.count() != static_cast<std::int64_t>(named.numbers.size()))
      return fail(ErrorCode::invalid_input,
                  "run line has " + std::to_string(named.numbers.size()) + " numbers of " +
                      named.name + ", expected " + std::to_string(made.count()) + " of " +
                      wanted.names[index]);
    for (std::int64_t element = 0; element < made.count(); ++element)
      if (!store(made, element, named.numbers[static_cast<std::size_t>(element)]))
        return fail(ErrorCode::invalid_input,
                    "'" + named.numbers[static_cast<std::size_t>(element)] + "' is no number");
    tensors.push_back(std::move(made));
  }
  return tensors;
}

/// What differs; empty when nothing does.
std::string compare(const HostTensor& actual, const HostTensor& expected,
                    std::optional<double> tolerance) {
  if (!tolerance) return evaluate::compare_exact(actual, expected).message;
  if (actual.element != expected.element || actual.shape != expected.shape)
    return "another element type or shape";
  for (std::int64_t index = 0; index < actual.count(); ++index) {
    const double wanted = expected.at(index);
    const double found = actual.at(index);
    const bool same = found == wanted || (std::isnan(found) && std::isnan(wanted));
    if (!same && !(std::abs(found - wanted) <= *tolerance * std::max(1.0, std::abs(wanted))))
      return "element " + std::to_string(index) + " is " + std::to_string(found) +
             ", expected " + std::to_string(wanted);
  }
  return {};
}

Status check_outputs(const Result<std::vector<HostTensor>>& outputs,
                     const std::vector<HostTensor>& expected, const RunLine& run,
                     const std::string& place) {
  if (!outputs) return fail(Error(outputs.error()).with("running on " + place));
  for (std::size_t index = 0; index < expected.size(); ++index)
    if (const auto difference = compare((*outputs)[index], expected[index], run.tolerance);
        !difference.empty())
      return fail(ErrorCode::internal, "run line " + std::to_string(run.line) + " on " + place +
                                           ", output " + run.outputs[index].name + ": " +
                                           difference);
  return {};
}

using Module = preparation::BackendPreparedModule;

struct RunContext {
  const CaseFile& file;
  const CaseOptions& options;
  frontend::FolderWeights weights;

  Result<Module> prepared_for(const TargetProfile& profile) const {
    preparation::PreparationOptions preparation;
    preparation.profile = &profile;
    preparation.backend = targets::find_backend(profile.target);
    preparation.dimensions = options.dimensions;
    ACCY_TRY_ASSIGN(auto semantic, semantic::parse_semantic_module(
                                       file.input, file.path.filename().string()));
    ACCY_TRY_ASSIGN(auto memory, preparation::prepare_memory_job_from_semantic_module(
                                     std::move(semantic), preparation));
    ACCY_TRY_ASSIGN(auto target, preparation::prepare_target_job_from_memory_job(
                                     std::move(memory), preparation));
    return Module::from(target);
  }
};

Status run_line(const RunContext& context, const RunLine& run, const Module& module,
                const std::vector<std::pair<std::string, runtime::Executable*>>& executables) {
  const choir::Operation& function =
      *semantic::find_function(module.stage<Stage::contract>().module());
  ACCY_TRY_ASSIGN(const auto inputs, tensors_of(run.inputs, values_of(function, true)));
  ACCY_TRY_ASSIGN(const auto expected, tensors_of(run.outputs, values_of(function, false)));
  for (Stage stage : {Stage::semantic, Stage::contract, Stage::tensor, Stage::dispatch,
                      Stage::memory, Stage::kernel})
    ACCY_TRY(check_outputs(evaluate_stage(module, stage, inputs, context.weights), expected, run,
                           "the " + std::string(preparation::to_string(stage)) + " stage"));
  for (const auto& [name, executable] : executables) {
    auto result = executable->run(inputs);
    if (!result) return fail(std::move(result.error()).with("running on " + name));
    ACCY_TRY(check_outputs(std::move(result->outputs), expected, run, name));
  }
  return {};
}

}  // namespace

Status run_lines(const CaseFile& file) {
  if (file.runs.empty() && file.errors.empty())
    return fail(ErrorCode::invalid_input, "the file has no run line");
  ACCY_TRY_ASSIGN(CaseOptions options, CaseOptions::from(file));
  if (!options.profile)
    ACCY_TRY(options.set_profile(targets::all().back().backend->profiles()[0].id()));
  const RunContext context{file, options, frontend::FolderWeights(file.path.parent_path())};
  ACCY_TRY_ASSIGN(const Module module, context.prepared_for(*options.profile));
  ACCY_TRY_ASSIGN(const std::vector<runtime::Device*> devices, CaseDevices::all());
  std::vector<std::unique_ptr<runtime::Executable>> loaded;
  std::vector<std::pair<std::string, runtime::Executable*>> executables;
  for (runtime::Device* device : devices) {
    ACCY_TRY_ASSIGN(const Module prepared, context.prepared_for(device->info().profile));
    ACCY_TRY_ASSIGN(auto executable, runtime::Executable::load(
                                         *device, prepared.stage(Stage::target), context.weights));
    executables.emplace_back(device->info().name, executable.get());
    loaded.push_back(std::move(executable));
  }
  for (const RunLine& run : file.runs) ACCY_TRY(run_line(context, run, module, executables));
  return {};
}

}  // namespace accy::test
