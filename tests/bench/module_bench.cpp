#include <algorithm>
#include <functional>
#include <limits>
#include <optional>

#include "bench/bench.hpp"
#include "choir/text.hpp"
#include "dialect/dialects.hpp"

namespace accy::bench {

namespace {

constexpr std::size_t default_operations = 10'000;
constexpr std::size_t growth = 10;

/// The shortest time of each step so far, in nanoseconds.
struct ModuleTimes {
  std::size_t operations = 0;
  std::int64_t build = std::numeric_limits<std::int64_t>::max();
  std::int64_t verify = build;
  std::int64_t clone = build;
  std::int64_t print = build;
  std::int64_t parse = build;
};

class Stopwatch {
 public:
  explicit Stopwatch(bool wall) : wall_(wall) {}

  /// The work's result, the time in `best` when it is the shortest; destroying what the work used
  /// is not part of it.
  template <class Work>
  auto time(std::int64_t& best, const Work& work) const {
    const std::int64_t start = now(wall_);
    auto result = work();
    best = std::min(best, now(wall_) - start);
    return result;
  }

 private:
  bool wall_;
};

void measure_round(const Stopwatch& watch, ModuleTimes& times) {
  const choir::Module module =
      watch.time(times.build, [&] { return build_module(times.operations); });
  const Status status = watch.time(times.verify, [&] { return choir::verify(module); });
  ACCY_ASSERT(status.has_value(), status.error().to_string());
  const choir::Module copy = watch.time(times.clone, [&] { return module.clone(); });
  const std::string text = watch.time(times.print, [&] { return choir::print(copy); });
  const Result<choir::Module> parsed =
      watch.time(times.parse, [&] { return choir::parse(text, "program.choir", registry()); });
  ACCY_ASSERT(parsed.has_value(), parsed.error().to_string());
  ACCY_ASSERT(choir::count_operations(parsed->operation()) == times.operations + 3,
              "what was printed reads as another module");
}

}  // namespace

nlohmann::json measure_modules(const Options& options) {
  const std::size_t operations = options.operations == 0 ? default_operations : options.operations;
  ModuleTimes small{.operations = operations};
  ModuleTimes large{.operations = growth * operations};
  const Stopwatch watch(options.wall);
  for (std::size_t round = 0; round < options.rounds; ++round) {
    measure_round(watch, small);
    measure_round(watch, large);
  }
  nlohmann::json rows = nlohmann::json::array();
  const auto add = [&](const char* step, std::int64_t few, std::int64_t many) {
    rows.push_back({{"step", step},
                    {"small_ns", few},
                    {"large_ns", many},
                    {"ratio", static_cast<double>(many) / static_cast<double>(few)}});
  };
  add("build", small.build, large.build);
  add("verify", small.verify, large.verify);
  add("clone", small.clone, large.clone);
  add("print", small.print, large.print);
  add("parse", small.parse, large.parse);
  return {{"small_operations", small.operations},
          {"large_operations", large.operations},
          {"steps", rows}};
}

}  // namespace accy::bench
