#include "tools/run.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>

#include "accy/session.hpp"
#include "dialect/tensor/type.hpp"
#include "frontend/npy.hpp"
#include "semantic/job.hpp"
#include "tools/assignments.hpp"
#include "tools/folder.hpp"
#include "tools/json_output.hpp"
#include "tools/run_inputs.hpp"

namespace accy::tools {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

/// What a run produced, ready to be reported.
struct RunReport {
  std::string device;
  std::string device_reason;            ///< why "auto" took it; empty when it was named
  std::vector<TensorPort> ports;        ///< of the outputs
  std::vector<HostTensor> outputs;
  std::vector<LaunchTime> launches;
  std::vector<std::string> files;       ///< one an output; empty when not written
  std::vector<OutputCheck> checks;      ///< one an output; empty when not checked

  bool passes() const { return std::ranges::all_of(checks, &OutputCheck::pass); }
};

bool is_file_name(std::string_view name) {
  return !name.empty() && name != "." && name != ".." &&
         name.find_first_of(std::string_view("/\0", 2)) == std::string_view::npos;
}

Result<std::vector<std::string>> write_outputs(const fs::path& folder, const RunReport& report) {
  ACCY_TRY(create_folder(folder));
  std::vector<std::string> files;
  for (std::size_t index = 0; index < report.ports.size(); ++index) {
    const std::string& name = report.ports[index].name;
    if (!is_file_name(name))
      return fail(ErrorCode::unsupported, "output name (" + name + ") cannot be a file name");
    const fs::path path = folder / (name + ".npy");
    ACCY_TRY(frontend::write_npy(path, report.outputs[index]));
    files.push_back(path.string());
  }
  return files;
}

Result<RunReport> run(const RunOptions& options) {
  ACCY_TRY_ASSIGN(RunInputs given, read_run_inputs(options.inputs));
  SessionOptions session_options{.device = options.device};
  ACCY_TRY_ASSIGN(session_options.dimensions, parse_dimensions(options.dimensions));
  if (options.file.extension() != ".accy") {  // an artifact's sizes are fixed
    ACCY_TRY_ASSIGN(const semantic::SemanticModule program,
                    semantic::read_semantic_module(options.file));
    ACCY_TRY(bind_dimensions(*semantic::find_function(program.module()), given,
                             session_options.dimensions));
  }
  ACCY_TRY_ASSIGN(Session session, Session::open(options.file.string(), session_options));
  ACCY_TRY_ASSIGN(const std::vector<HostTensor> inputs,
                  make_inputs(std::move(given), session.inputs()));
  RunReport report{.device = session.device(),
                   .device_reason = session.device_reason(),
                   .ports = {session.outputs().begin(), session.outputs().end()}};
  ACCY_TRY_ASSIGN(report.outputs, session.run(inputs));
  report.launches = {session.launches().begin(), session.launches().end()};
  if (!options.output.empty()) {
    ACCY_TRY_ASSIGN(report.files, write_outputs(options.output, report));
  }
  if (options.check) {
    ACCY_TRY_ASSIGN(report.checks, session.check(inputs, report.outputs));
  }
  return report;
}

/// JSON has no infinity.
json number(double value) {
  return std::isfinite(value) ? json(value) : json(std::isnan(value) ? "nan" : "inf");
}

json output_document(const RunReport& report, std::size_t index) {
  const TensorPort& port = report.ports[index];
  json document = {{"name", port.name},
                   {"dtype", to_string(port.element)},
                   {"shape", port.shape},
                   {"file", nullptr},
                   {"max_ulp", nullptr},
                   {"max_error_over_bound", nullptr}};
  if (!report.files.empty()) document["file"] = report.files[index];
  if (report.checks.empty()) return document;
  document["max_ulp"] = number(report.checks[index].max_ulp);
  document["max_error_over_bound"] = number(report.checks[index].max_error_over_bound);
  return document;
}

/// Members of a check that did not take place, and files not written, are null.
json to_document(const RunReport& report, bool checked) {
  json document = json_document("run");
  document["device"] = report.device;
  document["device_reason"] =
      report.device_reason.empty() ? json(nullptr) : json(report.device_reason);
  document["outputs"] = json::array();
  for (std::size_t index = 0; index < report.ports.size(); ++index)
    document["outputs"].push_back(output_document(report, index));
  document["check"] = nullptr;
  if (checked) document["check"] = report.passes() ? "pass" : "fail";
  document["kernels"] = json::array();
  for (const LaunchTime& launch : report.launches)
    document["kernels"].push_back({{"name", launch.kernel}, {"elapsed_ns", launch.elapsed_ns}});
  return document;
}

void print_for_people(const RunReport& report, bool checked, std::ostream& output) {
  output << report.device;
  if (!report.device_reason.empty()) output << "  (" << report.device_reason << ")";
  output << '\n';
  for (const LaunchTime& launch : report.launches)
    output << fmt::format("  @{}  {:.3f} ms\n", launch.kernel,
                          static_cast<double>(launch.elapsed_ns) * 1e-6);
  for (std::size_t index = 0; index < report.ports.size(); ++index) {
    const TensorPort& port = report.ports[index];
    output << fmt::format("  {}  {} {}", port.name, to_string(port.element),
                          tensor::shape_to_string(port.shape));
    if (!report.files.empty()) output << "  " << report.files[index];
    if (!report.checks.empty())
      output << fmt::format("  max {:.3g} ulp, error {:.3g} of its bound",
                            report.checks[index].max_ulp,
                            report.checks[index].max_error_over_bound);
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
  for (std::size_t index = 0; index < report.checks.size(); ++index)
    if (!report.checks[index].pass)
      problems << "accy: output " << report.ports[index].name << ": "
               << report.checks[index].message << '\n';
  return report.passes() ? ExitCode::done : ExitCode::check_failed;
}

}  // namespace accy::tools
