// choir_bench [modules|pipeline|einsum|saturation] [--operations N] [--rounds N]
//             [--target PROFILE] [--wall] [--json]
//
// modules: building, verifying, cloning, printing and parsing a module, and one ten times as large.
// pipeline: the time from a program's text to its code, without a store, in one thread.
// einsum: the time to order contractions.
// saturation: the time to look for a cheaper program, and what it is worth.
#include <charconv>
#include <ctime>
#include <fmt/core.h>
#include <limits>
#include <malloc.h>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "bench/bench.hpp"
#include "choir/instrumentation.hpp"

namespace accy::bench {

std::int64_t now(bool wall) {
  if (wall) return choir::steady_now();
  constexpr std::int64_t second_ns = 1'000'000'000;
  std::timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return second_ns * time.tv_sec + time.tv_nsec;
}

namespace {

using nlohmann::json;

constexpr int wrong_use = 2;

bool read_number(std::string_view text, std::size_t& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && value > 0;
}

/// Takes the value behind an option's name; whether it was one.
bool read_value(std::string_view name, std::string_view value, Options& options) {
  if (name == "--operations") return read_number(value, options.operations);
  if (name == "--rounds") return read_number(value, options.rounds);
  if (name != "--target") return false;
  options.target = value;
  return true;
}

std::optional<Options> read_options(std::span<char*> arguments) {
  Options options;
  for (std::size_t index = 0; index < arguments.size(); ++index) {
    const std::string_view argument = arguments[index];
    if (argument == "modules" || argument == "pipeline" || argument == "einsum" ||
        argument == "saturation") {
      options.benchmark = argument;
    } else if (argument == "--json") {
      options.json = true;
    } else if (argument == "--wall") {
      options.wall = true;
    } else {
      if (index + 1 == arguments.size()) return std::nullopt;
      if (!read_value(argument, arguments[++index], options)) return std::nullopt;
    }
  }
  return options;
}

double milliseconds(const json& row, const char* key) {
  return static_cast<double>(row[key].get<std::int64_t>()) * 1e-6;
}

void print_modules(const json& modules) {
  fmt::print("{:<9} {:>9} ops {:>9} ops  ratio\n", "module",
             modules["small_operations"].get<std::size_t>(),
             modules["large_operations"].get<std::size_t>());
  for (const json& row : modules["steps"])
    fmt::print("{:<9} {:>10.3f} ms {:>10.3f} ms {:>6.2f}\n", row["step"].get<std::string>(),
               milliseconds(row, "small_ns"), milliseconds(row, "large_ns"),
               row["ratio"].get<double>());
}

void print_pipeline(const json& pipeline) {
  fmt::print("\n{}  {}  {} ops, {} kernels  {:.3f} ms\n", pipeline["target"].get<std::string>(),
             pipeline["chain"].get<std::string>(), pipeline["operations"].get<std::size_t>(),
             pipeline["kernels"].get<std::size_t>(), milliseconds(pipeline, "total_ns"));
  for (const json& stage : pipeline["stages"])
    fmt::print("  {:<10} {:>9.3f} ms  {}\n", stage["stage"].get<std::string>(),
               milliseconds(stage, "elapsed_ns"),
               stage.contains("operations")
                   ? fmt::format("{} ops", stage["operations"].get<std::size_t>())
                   : "");
  for (const json& pass : pipeline["passes"])
    fmt::print("  {:<38} {:>4} x {:>9.3f} ms\n", pass["name"].get<std::string>(),
               pass["runs"].get<std::uint64_t>(), milliseconds(pass, "elapsed_ns"));
}

void print_saturation(const json& rows) {
  for (const json& row : rows)
    fmt::print("saturation of {}, {} ops  {:.3f} ms, {} nodes, cost {} to {}, {}\n",
               row["graph"].get<std::string>(), row["operations"].get<std::size_t>(),
               milliseconds(row, "elapsed_ns"), row["nodes"].get<std::size_t>(),
               row["cost_before"].get<std::uint64_t>(), row["cost_after"].get<std::uint64_t>(),
               row["stop"].get<std::string>());
}

/// Every program for every target that was asked for.
json measure_pipelines(const Options& options) {
  std::vector<std::string> chosen{options.target};
  if (options.target.empty()) chosen = {"cuda:sm_80", "vulkan:lavapipe"};
  json results = json::array();
  for (const Chain chain : {Chain::arithmetic, Chain::functions})
    for (const std::string& target : chosen)
      results.push_back(measure_pipeline(options, target, chain));
  return results;
}

int run(const Options& options) {
  json document{{"clock", options.wall ? "wall" : "processor"}, {"rounds", options.rounds}};
  const auto chosen = [&](std::string_view name) {
    return options.benchmark.empty() || options.benchmark == name;
  };
  if (chosen("modules")) document["modules"] = measure_modules(options);
  if (chosen("pipeline")) document["pipeline"] = measure_pipelines(options);
  if (chosen("einsum")) document["einsum"] = measure_einsum(options);
  if (chosen("saturation")) document["saturation"] = measure_saturation(options);
  if (document.contains("pipeline") && document["pipeline"].front().contains("error")) {
    fmt::print(stderr, "choir_bench: {}\n",
               document["pipeline"].front()["error"].get<std::string>());
    return wrong_use;
  }
  if (options.json) {
    fmt::print("{}\n", document.dump(2));
    return 0;
  }
  if (document.contains("modules")) print_modules(document["modules"]);
  if (document.contains("pipeline"))
    for (const json& pipeline : document["pipeline"]) print_pipeline(pipeline);
  if (document.contains("saturation")) print_saturation(document["saturation"]);
  if (document.contains("einsum"))
    for (const json& row : document["einsum"])
      fmt::print("einsum path of {} operands  {:.4f} ms\n", row["operands"].get<std::size_t>(),
                 milliseconds(row, "time_ns"));
  return 0;
}

}  // namespace
}  // namespace accy::bench

int main(int count, char** arguments) {
  // Else the pages of a large module go back to the system after each round and those of a small
  // one do not, and the first pays for them again.
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
  mallopt(M_MMAP_THRESHOLD, std::numeric_limits<int>::max());
  const auto options =
      accy::bench::read_options(std::span(arguments, static_cast<std::size_t>(count)).subspan(1));
  if (options) return accy::bench::run(*options);
  fmt::print(stderr, "usage: choir_bench [modules|pipeline|einsum|saturation] [--operations N] "
                     "[--rounds N] [--target PROFILE] [--wall] [--json]\n");
  return accy::bench::wrong_use;
}
