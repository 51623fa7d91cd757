#include <algorithm>
#include <optional>

#include "bench/bench.hpp"
#include "preparation/backend_job.hpp"
#include "targets/registry.hpp"

namespace accy::bench {

namespace {

constexpr std::size_t default_operations = 1'000;

/// One compile, from the text to the code.
struct Compile {
  std::int64_t total_ns = 0;
  std::int64_t read_ns = 0;
  std::vector<choir::StageRun> stages;
  std::vector<choir::PassTiming> passes;
  std::size_t kernels = 0;
};

Compile compile(const std::string& program, const TargetProfile& profile, bool wall, bool timing) {
  const auto clock = [wall] { return now(wall); };
  choir::TimingInstrumentation instrumentation({.now = clock, .operation_counts = false});
  preparation::PreparationOptions options;
  options.profile = &profile;
  options.backend = targets::find_backend(profile.target);
  options.now = clock;
  if (timing) options.instrumentation = &instrumentation;
  const std::int64_t start = clock();
  auto module = semantic::parse_semantic_module(program, "program.choir");
  ACCY_ASSERT(module.has_value(), module.error().to_string());
  const std::int64_t read = clock();
  const auto job =
      preparation::prepare_backend_job_from_semantic_module(std::move(*module), options);
  const std::int64_t end = clock();
  ACCY_ASSERT(job.has_value(), job.error().to_string());
  return {.total_ns = end - start,
          .read_ns = read - start,
          .stages = job->run().stages,
          .passes = instrumentation.passes(),
          .kernels = *job->generated_kernel_count()};
}

nlohmann::json stage_rows(const Compile& best) {
  nlohmann::json rows = nlohmann::json::array();
  rows.push_back({{"stage", "read"}, {"elapsed_ns", best.read_ns}});
  std::int64_t between = best.total_ns - best.read_ns;
  for (const choir::StageRun& stage : best.stages) {
    if (stage.stage == "semantic") continue;  // it was read
    between -= static_cast<std::int64_t>(stage.elapsed_ns);
    rows.push_back({{"stage", stage.stage},
                    {"elapsed_ns", stage.elapsed_ns},
                    {"operations", stage.operations}});
  }
  rows.push_back({{"stage", "seal"}, {"elapsed_ns", between}});
  return rows;
}

nlohmann::json pass_rows(std::vector<choir::PassTiming> passes) {
  constexpr std::size_t shown = 10;
  std::ranges::sort(passes, std::ranges::greater(), &choir::PassTiming::elapsed_ns);
  nlohmann::json rows = nlohmann::json::array();
  for (std::size_t index = 0; index < std::min(shown, passes.size()); ++index)
    rows.push_back({{"name", passes[index].name},
                    {"runs", passes[index].runs},
                    {"elapsed_ns", passes[index].elapsed_ns}});
  return rows;
}

}  // namespace

nlohmann::json measure_pipeline(const Options& options, const std::string& target, Chain chain) {
  const auto profile = targets::find_profile(target);
  if (!profile) return {{"target", target}, {"error", profile.error().to_string()}};
  const std::size_t operations = options.operations == 0 ? default_operations : options.operations;
  const std::string program = pipeline_program(operations, chain);
  std::optional<Compile> best;
  std::optional<Compile> timed;  // apart, as reading the clock twice a pass is not free
  for (std::size_t round = 0; round < options.rounds; ++round) {
    Compile plain = compile(program, *profile, options.wall, false);
    if (!best || plain.total_ns < best->total_ns) best = std::move(plain);
    Compile with_passes = compile(program, *profile, options.wall, true);
    if (!timed || with_passes.total_ns < timed->total_ns) timed = std::move(with_passes);
  }
  return {{"target", target},
          {"chain", chain == Chain::arithmetic ? "arithmetic" : "functions"},
          {"operations", operations},
          {"kernels", best->kernels},
          {"total_ns", best->total_ns},
          {"stages", stage_rows(*best)},
          {"passes", pass_rows(timed->passes)}};
}

}  // namespace accy::bench
