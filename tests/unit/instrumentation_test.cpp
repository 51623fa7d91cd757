// Timing of passes and analyses with an injected clock and allocator.
#include <gtest/gtest.h>
#include <limits>

#include "choir/instrumentation.hpp"
#include "choir/pass_manager.hpp"
#include "choir/text.hpp"
#include "dialect/dialects.hpp"

namespace accy::choir {
namespace {

constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();

TEST(NsBetween, ClampsAndSaturates) {
  EXPECT_EQ(ns_between(5, 12), 7U);
  EXPECT_EQ(ns_between(12, 12), 0U);
  EXPECT_EQ(ns_between(12, 5), 0U);
  EXPECT_EQ(ns_between(most, least), 0U);
  EXPECT_EQ(ns_between(least, most), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(ns_between(-1, most), std::uint64_t{1} << 63);
}

TEST(SaturatingAdd, StopsAtTheLargestValue) {
  constexpr std::uint64_t limit = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(saturating_add(2, 3), 5U);
  EXPECT_EQ(saturating_add(limit, 0), limit);
  EXPECT_EQ(saturating_add(limit - 1, 1), limit);
  EXPECT_EQ(saturating_add(limit, 1), limit);
  PassStatistics sum{.pass_runs = limit};
  sum += {.pass_runs = 1, .analysis_hits = 2};
  EXPECT_EQ(sum.pass_runs, limit);
  EXPECT_EQ(sum.analysis_hits, 2U);
}

Module two_functions() {
  return *parse_and_verify(R"(choir kernel v1
kernel.func @a {exact = false, subgroup = 0, workgroup = [1, 1, 1]} () {
  kernel.return
}
kernel.func @b {exact = false, subgroup = 0, workgroup = [1, 1, 1]} () {
  kernel.return
}
)",
                           "p.choir", registry());
}

const AnalysisDescriptor& analysis() {
  static const AnalysisDescriptor descriptor{"test-analysis",
                                             [](const Module&) { return std::any(1); }};
  return descriptor;
}

Pass asking() {
  return {.name = "test-asks",
          .description = {},
          .options = {},
          .run = [](PassContext& context) -> Result<PassChange> {
            context.analyses.get<int>(analysis(), context.module);
            return PassChange::unchanged;
          },
          .preserved = {}};
}

Pass erasing() {
  return {.name = "test-erases",
          .description = {},
          .options = {},
          .run = [](PassContext& context) -> Result<PassChange> {
            context.module.body().back()->erase();
            return PassChange::changed;
          },
          .preserved = {}};
}

/// A clock that goes on by 10 at each reading.
struct Clock {
  std::int64_t time = 0;
  std::function<std::int64_t()> function() {
    return [this] { return time += 10; };
  }
};

TEST(Timing, MeasuresPassesAndAnalyses) {
  Clock clock;
  TimingInstrumentation timing({.now = clock.function(), .allocations = {}});
  Module module = two_functions();
  PassManager manager("test");
  manager.add_instrumentation(timing);
  manager.add_pass(asking());   // begins at 10; its analysis at 20 to 30; ends at 40
  manager.add_pass(asking());   // 50 to 60: the analysis is kept
  manager.add_pass(erasing());  // 70 to 80
  ASSERT_TRUE(manager.run(module));
  EXPECT_EQ(timing.pass_time("test-asks"), 40U);
  EXPECT_EQ(timing.pass_count("test-asks"), 2U);
  EXPECT_EQ(timing.pass_time("test-erases"), 10U);
  EXPECT_EQ(timing.analysis_time("test-analysis"), 10U);
  EXPECT_EQ(timing.analysis_count("test-analysis"), 1U);
  EXPECT_EQ(clock.time, 80);
  EXPECT_EQ(timing.pass_operations_before("test-asks"), 10U);  // twice the module and 4 in it
  EXPECT_EQ(timing.pass_operations_delta("test-asks"), 0);
  EXPECT_EQ(timing.pass_operations_before("test-erases"), 5U);
  EXPECT_EQ(timing.pass_operations_after("test-erases"), 3U);
  EXPECT_EQ(timing.pass_operations_delta("test-erases"), -2);
  ASSERT_EQ(timing.passes().size(), 2U);
  EXPECT_EQ(timing.passes()[0].name, "test-asks");
  EXPECT_EQ(timing.analyses().size(), 1U);
  EXPECT_TRUE(timing.collects_operation_counts());
}

TEST(Timing, IsEmptyForUnknownNames) {
  const TimingInstrumentation timing;
  EXPECT_EQ(timing.pass_time("x"), std::nullopt);
  EXPECT_EQ(timing.pass_count("x"), std::nullopt);
  EXPECT_EQ(timing.pass_operations_before("x"), std::nullopt);
  EXPECT_EQ(timing.pass_operations_after("x"), std::nullopt);
  EXPECT_EQ(timing.pass_operations_delta("x"), std::nullopt);
  EXPECT_EQ(timing.pass_allocation_count("x"), std::nullopt);
  EXPECT_EQ(timing.pass_free_count("x"), std::nullopt);
  EXPECT_EQ(timing.pass_allocation_bytes("x"), std::nullopt);
  EXPECT_EQ(timing.analysis_time("x"), std::nullopt);
  EXPECT_EQ(timing.analysis_count("x"), std::nullopt);
}

TEST(Timing, CollectsAllocationsWhenAProviderIsSet) {
  AllocationSnapshot now{.allocations = 100, .frees = 50, .bytes = 1000};
  TimingInstrumentation timing;
  Module module = two_functions();
  const auto run = [&] {
    PassManager manager("test");
    manager.add_instrumentation(timing);
    Pass pass = asking();
    pass.run = [&](PassContext&) -> Result<PassChange> {
      now.allocations += 3;
      now.frees += 2;
      now.bytes += 64;
      return PassChange::unchanged;
    };
    manager.add_pass(pass);
    ASSERT_TRUE(manager.run(module));
  };
  run();
  EXPECT_EQ(timing.pass_allocation_count("test-asks"), std::nullopt);
  timing.set_allocation_snapshot_provider([&] { return now; });
  run();
  run();
  EXPECT_EQ(timing.pass_allocation_count("test-asks"), 6U);
  EXPECT_EQ(timing.pass_free_count("test-asks"), 4U);
  EXPECT_EQ(timing.pass_allocation_bytes("test-asks"), 128U);
}

TEST(Timing, LeavesOperationCountsOutWhenToldTo) {
  TimingInstrumentation timing({.operation_counts = false, .allocations = {}});
  Module module = two_functions();
  PassManager manager("test");
  manager.add_instrumentation(timing);
  manager.add_pass(asking());
  ASSERT_TRUE(manager.run(module));
  EXPECT_FALSE(timing.collects_operation_counts());
  EXPECT_EQ(timing.pass_count("test-asks"), 1U);
  EXPECT_EQ(timing.pass_operations_before("test-asks"), std::nullopt);
  EXPECT_EQ(timing.pass_operations_delta("test-asks"), std::nullopt);
}

TEST(Timing, ClampsAClockThatGoesBack) {
  std::int64_t time = 100;
  TimingInstrumentation timing({.now = [&] { return time -= 10; }, .allocations = {}});
  Module module = two_functions();
  PassManager manager("test");
  manager.add_instrumentation(timing);
  manager.add_pass(asking());
  ASSERT_TRUE(manager.run(module));
  EXPECT_EQ(timing.pass_time("test-asks"), 0U);
  EXPECT_EQ(timing.analysis_time("test-analysis"), 0U);
}

TEST(Timing, SeesNestedPassesOfAllWorkers) {
  TimingInstrumentation timing;
  Module module = two_functions();
  PassManager manager("test");
  manager.add_instrumentation(timing);
  manager.root().nest("kernel.func").add(asking());
  ASSERT_TRUE(manager.run(module, {.workers = 2}));
  EXPECT_EQ(timing.pass_count("test-asks"), 2U);
  EXPECT_EQ(timing.analysis_count("test-analysis"), 2U);
}

}  // namespace
}  // namespace accy::choir
