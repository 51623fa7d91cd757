#include "tools/compile_report.hpp"

#include <algorithm>
#include <fmt/core.h>

#include "dialect/host/host.hpp"
#include "targets/registry.hpp"
#include "tools/json_output.hpp"

namespace accy::tools {
namespace {

using nlohmann::json;
using preparation::Stage;

const choir::Operation& host_function(const CompileResult& result) {
  const choir::Operation* function =
      host::find_function(result.module.stage<Stage::target>().module());
  ACCY_ASSERT(function != nullptr, "target product has no host function");
  return *function;
}

json stage_document(const CompileResult& result, Stage stage) {
  const choir::Revision& revision = *result.module.stage(stage);
  const choir::StageRun* run = result.record.find(preparation::to_string(stage));
  ACCY_ASSERT(run != nullptr, "record lacks a stage");
  return {{"stage", run->stage},
          {"key", revision.metadata().key.value.to_string()},
          {"digest", revision.address().content.to_string()},
          {"ops", run->operations},
          {"elapsed_ns", run->elapsed_ns},
          {"pass_runs", run->statistics.pass_runs},
          {"reused", run->reused}};
}

/// The kind of the memory stage's item that became launches under that number.
std::string item_kind(const CompileResult& result, std::int64_t item) {
  const choir::Operation* function =
      host::find_function(result.module.stage<Stage::memory>().module());
  for (const choir::Operation* operation : function->body().operations())
    if (operation->name() == "host.item_into" && host::integer_or(*operation, "order", -1) == item)
      return std::string(operation->attribute("kind").text());
  return "unknown";
}

/// Whether the kernel's code came from the store: with its whole stage, or by itself.
bool is_reused(const CompileResult& result, std::string_view kernel) {
  const choir::StageRun& run = *result.record.find("target");
  const auto part = std::ranges::find(run.parts, kernel, &choir::PartRun::symbol);
  return run.reused || (part != run.parts.end() && part->reused);
}

json launch_document(const CompileResult& result, const choir::Operation& launch) {
  const choir::Module& module = result.module.stage<Stage::target>().module();
  const std::string name(launch.attribute("kernel").text());
  const choir::Operation* code = module.lookup(name);
  ACCY_ASSERT(code != nullptr, "launch without code");
  return {{"name", name},
          {"kind", item_kind(result, host::integer_or(launch, "item", -1))},
          {"workgroup", host::triple(*code, "workgroup")},
          {"grid", host::triple(launch, "grid")},
          {"shared_bytes", host::integer_or(*code, "shared_bytes", 0)},
          {"reused", is_reused(result, name)}};
}

/// The stage whose pipeline has the pass.
std::string stage_of(std::string_view pass, const CompileResult& result) {
  for (std::size_t index = 0; index < preparation::stage_count; ++index) {
    const auto pipeline = preparation::stage_pipeline(
        static_cast<Stage>(index),
        {.profile = &result.profile, .backend = targets::find_backend(result.profile.target)});
    if (!pipeline) continue;  // the semantic stage has none
    for (const choir::Pass* candidate : pipeline->passes())
      if (candidate->name == pass) return std::string(to_string(static_cast<Stage>(index)));
  }
  return "unknown";
}

json timing_document(const CompileResult& result) {
  json document{{"passes", json::array()}, {"analyses", json::array()}};
  for (const choir::PassTiming& pass : result.timing->passes)
    document["passes"].push_back({{"stage", stage_of(pass.name, result)},
                                  {"name", pass.name},
                                  {"runs", pass.runs},
                                  {"elapsed_ns", pass.elapsed_ns},
                                  {"operations_before", pass.operations_before},
                                  {"operations_after", pass.operations_after}});
  for (const choir::AnalysisTiming& analysis : result.timing->analyses)
    document["analyses"].push_back(
        {{"name", analysis.name}, {"runs", analysis.runs}, {"elapsed_ns", analysis.elapsed_ns}});
  return document;
}

double milliseconds(const json& row) {
  return static_cast<double>(row["elapsed_ns"].get<std::uint64_t>()) * 1e-6;
}

void print_timing(const json& timing, std::ostream& output) {
  output << fmt::format("  {:<9} {:<38} {:>6} {:>12} {:>9} {:>9} {:>9}\n", "stage", "pass", "runs",
                        "time", "ops in", "ops out", "change");
  for (const json& row : timing["passes"]) {
    const auto before = row["operations_before"].get<std::int64_t>();
    const auto after = row["operations_after"].get<std::int64_t>();
    output << fmt::format("  {:<9} {:<38} {:>6} {:>9.3f} ms {:>9} {:>9} {:>+9}\n",
                          row["stage"].get<std::string>(), row["name"].get<std::string>(),
                          row["runs"].get<std::uint64_t>(), milliseconds(row), before, after,
                          after - before);
  }
  for (const json& row : timing["analyses"])
    output << fmt::format("  {:<9} {:<38} {:>6} {:>9.3f} ms\n", "analysis",
                          row["name"].get<std::string>(), row["runs"].get<std::uint64_t>(),
                          milliseconds(row));
}

std::string triple_text(const json& triple) {
  return fmt::format("{}x{}x{}", triple[0].get<std::int64_t>(), triple[1].get<std::int64_t>(),
                     triple[2].get<std::int64_t>());
}

}  // namespace

json to_document(const CompileResult& result) {
  json document = json_document("compile");
  document["target"] = result.profile.id();
  document["stages"] = json::array();
  for (std::size_t stage = 0; stage < preparation::stage_count; ++stage)
    document["stages"].push_back(stage_document(result, static_cast<Stage>(stage)));
  document["kernels"] = json::array();
  const choir::Operation& function = host_function(result);
  for (const choir::Operation* operation : function.body().operations())
    if (operation->name() == "host.launch")
      document["kernels"].push_back(launch_document(result, *operation));
  for (const char* size : {"arena_bytes", "workspace_bytes", "constant_bytes"})
    document[size] = host::integer_or(function, size, 0);
  if (result.timing) document["timing"] = timing_document(result);
  return document;
}

void print_for_people(const CompileResult& result, std::ostream& output) {
  const json document = to_document(result);
  output << fmt::format("{}\n", result.profile.id());
  for (const json& stage : document["stages"])
    output << fmt::format("  {:<9} {:>6} ops  {:>9.3f} ms  {}{}\n",
                          stage["stage"].get<std::string>(), stage["ops"].get<std::uint64_t>(),
                          static_cast<double>(stage["elapsed_ns"].get<std::uint64_t>()) * 1e-6,
                          stage["digest"].get<std::string>(),
                          stage["reused"].get<bool>() ? "  reused" : "");
  for (const json& kernel : document["kernels"])
    output << fmt::format("  @{}  {}  workgroup {}  grid {}  shared {} bytes\n",
                          kernel["name"].get<std::string>(), kernel["kind"].get<std::string>(),
                          triple_text(kernel["workgroup"]), triple_text(kernel["grid"]),
                          kernel["shared_bytes"].get<std::int64_t>());
  output << fmt::format("  arena {} bytes, workspace {} bytes, constants {} bytes\n",
                        document["arena_bytes"].get<std::int64_t>(),
                        document["workspace_bytes"].get<std::int64_t>(),
                        document["constant_bytes"].get<std::int64_t>());
  if (result.timing) print_timing(document["timing"], output);
}

json to_document(const CacheReport& report) {
  const choir::DiskStoreCounters& counters = report.counters;
  return {{"hits", counters.hits},
          {"misses", counters.misses},
          {"damaged", counters.damaged},
          {"inserted", counters.inserted},
          {"failures", counters.failures},
          {"failure", report.failure.empty() ? json(nullptr) : json(report.failure)}};
}

void print_for_people(const CacheReport& report, std::ostream& output) {
  const choir::DiskStoreCounters& counters = report.counters;
  output << fmt::format("cache: {} found, {} not found, {} written\n", counters.hits,
                        counters.misses, counters.inserted);
  if (counters.damaged > 0)
    output << fmt::format("cache: {} damaged files passed over\n", counters.damaged);
  if (counters.failures > 0)
    output << fmt::format("cache: {} products could not be written, the last because {}\n",
                          counters.failures, report.failure);
}

}  // namespace accy::tools
