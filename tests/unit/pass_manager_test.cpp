// The pass manager: order, statistics, verification, nesting, workers, failures.
#include <atomic>
#include <gtest/gtest.h>
#include <stdexcept>

#include "choir/builder.hpp"
#include "choir/job.hpp"
#include "choir/pass_manager.hpp"
#include "choir/text.hpp"
#include "choir/value_table.hpp"
#include "dialect/dialects.hpp"

namespace accy::choir {
namespace {

constexpr std::string_view program = R"(choir kernel v1
kernel.func @b {exact = false, subgroup = 0, workgroup = [1, 1, 1]} () {
  kernel.return
}
kernel.func @a {exact = false, subgroup = 0, workgroup = [1, 1, 1]} () {
  kernel.return
}
kernel.func @c {exact = false, subgroup = 0, workgroup = [2, 1, 1]} () {
  kernel.return
}
)";

Module module_of(std::string_view text) {
  Result<Module> module = parse_and_verify(text, "p.choir", registry());
  EXPECT_TRUE(module.has_value()) << module.error().to_string();
  return std::move(*module);
}

Pass pass_named(std::string_view name, std::function<Result<PassChange>(PassContext&)> run) {
  return {.name = name, .description = {}, .options = {}, .run = std::move(run), .preserved = {}};
}

Pass nothing(std::string_view name) {
  return pass_named(name, [](PassContext&) -> Result<PassChange> { return PassChange::unchanged; });
}

/// Marks every function; shows which module it saw by counting its operations.
Pass mark() {
  return pass_named("test-mark", [](PassContext& context) -> Result<PassChange> {
    for (Operation* operation : context.module.body().operations()) {
      operation->set_attribute("seen", context.module.context().integer(static_cast<std::int64_t>(
                                           context.module.body().size())));
      context.facts.add("read", "by the pass");
      context.decisions.record(
          {.kind = "mark", .subject = std::string(operation->symbol()), .choice = "seen"});
    }
    return PassChange::changed;
  });
}

const AnalysisDescriptor& count_analysis() {
  static const AnalysisDescriptor descriptor{
      "test-count",
      [](const Module& module) { return std::any(count_operations(module.operation())); }};
  return descriptor;
}

Pass asks(std::string_view name, PassChange change, std::vector<std::string_view> preserved) {
  Pass pass = pass_named(name, [change](PassContext& context) -> Result<PassChange> {
    EXPECT_EQ(context.analyses.get<std::uint64_t>(count_analysis(), context.module), 7U);
    return change;
  });
  pass.preserved = std::move(preserved);
  return pass;
}

TEST(PassManager, CountsRunsChangesAndAnalyses) {
  Module module = module_of(program);
  PassManager manager("test");
  manager.add_pass(asks("a", PassChange::unchanged, {}));              // miss
  manager.add_pass(asks("b", PassChange::changed, {"test-count"}));    // hit, kept
  manager.add_pass(asks("c", PassChange::changed, {}));                // hit, dropped
  manager.add_pass(asks("d", PassChange::unchanged, {"test-count"}));  // miss
  ASSERT_TRUE(manager.run(module));
  const PassStatistics expected{.pass_runs = 4,
                                .pass_failures = 0,
                                .passes_modified = 2,
                                .analysis_hits = 2,
                                .analysis_misses = 2,
                                .analyses_invalidated = 1};
  EXPECT_EQ(manager.statistics(), expected);
  EXPECT_EQ(manager.last_failure(), nullptr);
}

TEST(PassManager, KeepsAGivenCacheAcrossRuns) {
  Module module = module_of(program);
  AnalysisCache analyses;
  PassManager first("first");
  first.add_pass(asks("a", PassChange::unchanged, {}));
  ASSERT_TRUE(first.run_with_analysis_cache(module, analyses));
  PassManager second("second");
  second.add_pass(asks("a", PassChange::unchanged, {}));
  ASSERT_TRUE(second.run_with_analysis_cache(module, analyses));
  EXPECT_EQ(second.statistics().analysis_hits, 1U);
  EXPECT_EQ(second.statistics().analysis_misses, 0U);
}

std::string nested_text(std::size_t workers, PassManager& manager) {
  Module module = module_of(program);
  Nest& nest = manager.root().nest("kernel.func");
  nest.add(mark());
  EXPECT_TRUE(manager.run(module, {.workers = workers}));
  return print(module);
}

TEST(NestedPipeline, SeesOneOperationAndKeepsTheOrder) {
  PassManager manager("test");
  manager.record_decisions(true);
  const std::string text = nested_text(1, manager);
  EXPECT_EQ(manager.statistics().pass_runs, 3U);
  const Module module = module_of(text);
  std::string order;
  for (const Operation* operation : module.body().operations()) {
    order += operation->symbol();
    EXPECT_EQ(operation->attribute("seen").integer(), 1);
  }
  EXPECT_EQ(order, "bac");
  ASSERT_EQ(manager.parts().size(), 3U);
  EXPECT_EQ(manager.parts()[1].symbol, "a");
  ASSERT_EQ(manager.decisions().list().size(), 3U);
  EXPECT_EQ(manager.decisions().list()[0].subject, "b");
  EXPECT_EQ(manager.decisions().list()[0].pass, "test-mark");
  EXPECT_EQ(manager.decisions().list()[0].stage, "kernel");
  const std::vector<Fact> facts{{"read", "by the pass"}};
  EXPECT_EQ(manager.facts().facts(), facts);
}

TEST(NestedPipeline, GivesTheSameForAnyNumberOfWorkers) {
  PassManager one("test");
  one.record_decisions(true);
  const std::string text = nested_text(1, one);
  for (std::size_t workers : {0, 2, 3, 16}) {
    PassManager many("test");
    many.record_decisions(true);
    EXPECT_EQ(nested_text(workers, many), text) << workers;
    EXPECT_EQ(many.statistics(), one.statistics());
    EXPECT_EQ(many.decisions().list(), one.decisions().list());
  }
}

TEST(NestedPipeline, ReportsTheFirstFaultInOrder) {
  for (std::size_t workers : {1, 4}) {
    Module module = module_of(program);
    PassManager manager("test-pipeline");
    manager.root()
        .nest("kernel.func")
        .add(pass_named("test-fails", [](PassContext& context) -> Result<PassChange> {
          const Operation& function = *context.module.body().front();
          if (function.symbol() == "b") return PassChange::unchanged;
          return fail(ErrorCode::unsupported, "cannot do @" + std::string(function.symbol()),
                      function.location().first(), "kernel.func");
        }));
    const Status status = manager.run(module, {.workers = workers, .keep_module_text = true});
    ASSERT_FALSE(status);
    EXPECT_NE(status.error().message.find("cannot do @a"), std::string::npos);
    const PassFailure* failure = manager.last_failure();
    ASSERT_NE(failure, nullptr);
    EXPECT_EQ(failure->kind, FailureKind::pass_failed);
    EXPECT_EQ(failure->pipeline, "test-pipeline");
    EXPECT_EQ(failure->pass, "test-fails");
    EXPECT_EQ(failure->op, "kernel.func");
    EXPECT_EQ(failure->symbol, "a");
    EXPECT_EQ(failure->workers, workers);
    // The part that failed alone.
    EXPECT_EQ(module_of(failure->module_text).body().size(), 1U);
    EXPECT_NE(failure->module_text.find("@a"), std::string::npos);
  }
}

TEST(NestedPipeline, TakesWhatTheStoreHas) {
  MemoryStore store;
  const auto value_of = [](std::string_view) { return std::string("by the pass"); };
  const auto run = [&](const std::function<std::string(std::string_view)>& value,
                       std::vector<bool> expected) {
    Module module = module_of(program);
    PassManager manager("test");
    manager.root().nest("kernel.func").add(mark());
    ASSERT_TRUE(manager.run(module, {.store = &store, .fact_value = value}));
    std::vector<bool> reused;
    for (const PartRun& part : manager.parts()) reused.push_back(part.reused);
    EXPECT_EQ(reused, expected);
    EXPECT_EQ(manager.facts().facts().size(), 1U);
    EXPECT_EQ(module.body().front()->attribute("seen").integer(), 1);
  };
  run(value_of, {false, false, false});
  run(value_of, {true, true, true});
  run([](std::string_view) { return std::string("otherwise"); }, {false, false, false});
}

PassFailure failure_of(Pass pass, const RunOptions& options = {}) {
  Module module = module_of(program);
  PassManager manager("test-pipeline");
  manager.add_pass(nothing("first"));
  manager.add_pass(std::move(pass));
  manager.add_pass(nothing("never"));
  const Status status = manager.run(module, options);
  EXPECT_FALSE(status);
  EXPECT_EQ(manager.statistics().pass_runs, 2U);
  EXPECT_EQ(manager.statistics().pass_failures, 1U);
  EXPECT_NE(manager.last_failure(), nullptr);
  EXPECT_EQ(manager.last_failure()->error, status.error().to_string());
  return *manager.last_failure();
}

TEST(PassFailure, SaysWhichRuleTheVerifierMissed) {
  const PassFailure failure =
      failure_of(pass_named("breaks", [](PassContext& context) -> Result<PassChange> {
        context.module.body().front()->remove_attribute("workgroup");
        return PassChange::changed;
      }));
  EXPECT_EQ(failure.kind, FailureKind::verifier_failed);
  EXPECT_EQ(to_string(failure.kind), "verifier_failed");
  EXPECT_NE(failure.verifier_error.find("workgroup"), std::string::npos);
  EXPECT_EQ(failure.module_text, "");  // nobody asked for it
}

TEST(PassFailure, CatchesExceptions) {
  const PassFailure failure =
      failure_of(pass_named("throws", [](PassContext&) -> Result<PassChange> {
        throw std::runtime_error("deep inside");
      }));
  EXPECT_EQ(failure.kind, FailureKind::exception);
  EXPECT_NE(failure.error.find("exception: deep inside"), std::string::npos);
}

TEST(PassFailure, StopsAModuleThatGrows) {
  const PassFailure failure =
      failure_of(pass_named("grows",
                            [](PassContext& context) -> Result<PassChange> {
                              Builder builder(context.module.body());
                              ValueMap map;
                              Operation& first = *context.module.body().front();
                              auto copy = first.clone(context.module.context(), map);
                              copy->set_attribute("symbol", context.module.context().symbol("d"));
                              context.module.body().push_back(std::move(copy));
                              return PassChange::changed;
                            }),
                 {.operations_maximum = 8, .keep_module_text = true});
  EXPECT_EQ(failure.kind, FailureKind::limit_exceeded);
  EXPECT_NE(failure.error.find("the module has 9 operations, more than the limit of 8"),
            std::string::npos);
  EXPECT_EQ(module_of(failure.module_text).body().size(), 3U);
}

TEST(PassFailure, IsAnnouncedBeforeEachPass) {
  std::vector<std::string> announced;
  const RunOptions options{.before_each = [&](const PassFailure& pending) {
    announced.push_back(pending.pass);
    EXPECT_EQ(module_of(pending.module_text).body().size(), 3U);
  }};
  failure_of(pass_named("fails",
                        [](PassContext&) -> Result<PassChange> {
                          return fail(ErrorCode::internal, "no");
                        }),
             options);
  const std::vector<std::string> expected{"first", "fails"};
  EXPECT_EQ(announced, expected);
}

}  // namespace
}  // namespace accy::choir
