#include "tools/run.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>

#include "dialect/tensor/type.hpp"
#include "evaluate/comparison.hpp"
#include "evaluate/tensor_evaluator.hpp"
#include "frontend/folder_weights.hpp"
#include "frontend/npy.hpp"
#include "runtime/executable.hpp"
#include "support/file.hpp"
#include "targets/registry.hpp"
#include "tools/compile.hpp"
#include "tools/json_output.hpp"
#include "tools/program_file.hpp"
#include "tools/run_inputs.hpp"

namespace accy::tools {
namespace {

using nlohmann::json;
using preparation::Stage;
namespace fs = std::filesystem;

/// What a run produced, ready to be reported.
struct RunReport {
  std::string device;
  std::vector<runtime::Port> ports;  ///< of the outputs
  runtime::RunResult result;
  std::vector<std::string> files;                  ///< one an output; empty when not written
  std::vector<evaluate::Comparison> comparisons;   ///< one an output; empty when not checked

  bool passes() const {
    return std::ranges::all_of(comparisons, &evaluate::Comparison::pass);
  }
};

Result<std::vector<evaluate::Comparison>> check(const choir::Module& program,
                                                std::span<const HostTensor> inputs,
                                                std::span<const HostTensor> outputs,
                                                const tensor::WeightSource& weights) {
  ACCY_TRY_ASSIGN(const std::vector<tensor::WideTensor> expected,
                  evaluate::evaluate_wide(*semantic::find_function(program), inputs, weights));
  ACCY_ASSERT(expected.size() == outputs.size(), "evaluator gives another number of outputs");
  std::vector<evaluate::Comparison> comparisons;
  for (std::size_t index = 0; index < outputs.size(); ++index)
    comparisons.push_back(evaluate::compare(outputs[index], expected[index]));
  return comparisons;
}

bool is_file_name(std::string_view name) {
  return !name.empty() && name != "." && name != ".." &&
         name.find_first_of(std::string_view("/\0", 2)) == std::string_view::npos;
}

Result<std::vector<std::string>> write_outputs(const fs::path& folder, const RunReport& report) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error)
    return fail(ErrorCode::io,
                folder.string() + ": folder cannot be created (" + error.message() + ")");
  std::vector<std::string> files;
  for (std::size_t index = 0; index < report.ports.size(); ++index) {
    const std::string& name = report.ports[index].name;
    if (!is_file_name(name))
      return fail(ErrorCode::unsupported, "output name (" + name + ") cannot be a file name");
    const fs::path path = folder / (name + ".npy");
    ACCY_TRY(frontend::write_npy(path, report.result.outputs[index]));
    files.push_back(path.string());
  }
  return files;
}

Result<RunReport> run(const RunOptions& options) {
  ACCY_TRY_ASSIGN(RunInputs given, read_run_inputs(options.inputs));
  preparation::PreparationOptions preparation;
  ACCY_TRY_ASSIGN(preparation.dimensions, parse_dimensions(options.dimensions));
  ACCY_TRY_ASSIGN(const semantic::SemanticModule program, read_program(options.file));
  ACCY_TRY(bind_dimensions(*semantic::find_function(program.module()), given,
                           preparation.dimensions));
  ACCY_TRY_ASSIGN(const auto device, targets::open(options.device));
  ACCY_TRY_ASSIGN(const TargetChoice choice, with_backend(device->info().profile));
  ACCY_TRY_ASSIGN(const CompileResult compiled,
                  compile_for(choice, program.fork(), std::move(preparation)));
  const frontend::FolderWeights weights(options.file.parent_path());
  ACCY_TRY_ASSIGN(const auto executable,
                  runtime::Executable::load(*device, compiled.module.stage(Stage::target),
                                            weights));
  ACCY_TRY_ASSIGN(const std::vector<HostTensor> inputs,
                  make_inputs(std::move(given), executable->inputs()));
  RunReport report{.device = device->info().name,
                   .ports = {executable->outputs().begin(), executable->outputs().end()}};
  ACCY_TRY_ASSIGN(report.result, executable->run(inputs));
  if (!options.output.empty()) {
    ACCY_TRY_ASSIGN(report.files, write_outputs(options.output, report));
  }
  if (options.check) {
    ACCY_TRY_ASSIGN(report.comparisons,
                    check(program.module(), inputs, report.result.outputs, weights));
  }
  return report;
}

/// JSON has no infinity.
json number(double value) {
  return std::isfinite(value) ? json(value) : json(std::isnan(value) ? "nan" : "inf");
}

json output_document(const RunReport& report, std::size_t index) {
  const runtime::Port& port = report.ports[index];
  json document = {{"name", port.name},
                   {"dtype", to_string(port.element)},
                   {"shape", port.shape},
                   {"file", nullptr},
                   {"max_ulp", nullptr},
                   {"max_error_over_bound", nullptr}};
  if (!report.files.empty()) document["file"] = report.files[index];
  if (report.comparisons.empty()) return document;
  document["max_ulp"] = number(report.comparisons[index].max_ulp);
  document["max_error_over_bound"] = number(report.comparisons[index].worst_ratio);
  return document;
}

/// Members of a check that did not take place, and files not written, are null.
json to_document(const RunReport& report, bool checked) {
  json document = json_document("run");
  document["device"] = report.device;
  document["outputs"] = json::array();
  for (std::size_t index = 0; index < report.ports.size(); ++index)
    document["outputs"].push_back(output_document(report, index));
  document["check"] = nullptr;
  if (checked) document["check"] = report.passes() ? "pass" : "fail";
  document["kernels"] = json::array();
  for (const runtime::KernelTime& kernel : report.result.kernels)
    document["kernels"].push_back({{"name", kernel.name}, {"elapsed_ns", kernel.elapsed_ns}});
  return document;
}

void print_for_people(const RunReport& report, bool checked, std::ostream& output) {
  output << report.device << '\n';
  for (const runtime::KernelTime& kernel : report.result.kernels)
    output << fmt::format("  @{}  {:.3f} ms\n", kernel.name,
                          static_cast<double>(kernel.elapsed_ns) * 1e-6);
  for (std::size_t index = 0; index < report.ports.size(); ++index) {
    const runtime::Port& port = report.ports[index];
    output << fmt::format("  {}  {} {}", port.name, to_string(port.element),
                          tensor::shape_to_string(port.shape));
    if (!report.files.empty()) output << "  " << report.files[index];
    if (!report.comparisons.empty())
      output << fmt::format("  max {:.3g} ulp, error {:.3g} of its bound",
                            report.comparisons[index].max_ulp,
                            report.comparisons[index].worst_ratio);
    output << '\n';
  }
  if (checked) output << (report.passes() ? "  check passed\n" : "  check failed\n");
}

}  // namespace

Result<ExitCode> run_program(const RunOptions& options, std::ostream& output,
                             std::ostream& problems) {
  ACCY_TRY_ASSIGN(const RunReport report, run(options));
  if (options.json)
    print_json(output, to_document(report, options.check));
  else
    print_for_people(report, options.check, output);
  for (std::size_t index = 0; index < report.comparisons.size(); ++index)
    if (!report.comparisons[index].pass)
      problems << "accy: output " << report.ports[index].name << ": "
               << report.comparisons[index].message << '\n';
  return report.passes() ? ExitCode::done : ExitCode::check_failed;
}

}  // namespace accy::tools
