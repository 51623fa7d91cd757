// Entry at every stage, the prepared job, the run record, the stand-alone target pipeline.
#include "choir/text.hpp"
#include "contract/passes/shape_layout.hpp"
#include "dialect/dialects.hpp"
#include "preparation/backend_job.hpp"
#include "preparation/stage_run.hpp"
#include "preparation/target_options.hpp"
#include "support/stages.hpp"
#include "targets/registry.hpp"

namespace accy::test {
namespace {

using namespace preparation;

constexpr std::string_view program = R"(choir semantic v1
tensor.func @main {inputs = ["a", "w"], outputs = ["y", "z"]} (%a: tensor<f32, [12, 8]>, %w: tensor<f32, [8, 4]>) {
  %m = tensor.matmul %a, %w
  %y = tensor.softmax %m {axis = 1}
  %z = tensor.exp %a
  tensor.return %y, %z
}
)";

const TargetProfile& profile() {
  static const TargetProfile found = *targets::find_profile("interpreter:generic");
  return found;
}

PreparationOptions options() {
  PreparationOptions options;
  options.profile = &profile();
  options.backend = targets::find_backend(profile().target);
  return options;
}

semantic::SemanticModule semantic_module() {
  auto module = semantic::parse_semantic_module(program, "p.choir");
  EXPECT_TRUE(module.has_value()) << module.error().to_string();
  return std::move(*module);
}

template <class T>
T value_of(Result<T> result) {
  if (!result) {
    ADD_FAILURE() << result.error().to_string();
    std::abort();
  }
  return std::move(*result);
}

std::string target_text(const BackendPreparedJob& job) {
  return choir::print(value_of(job.target_job())->module());
}

/// Fake clock: 1, 2, 3, ... microseconds.
struct Clock {
  std::int64_t readings = 0;
  std::function<std::int64_t()> function() {
    return [this] { return 1000 * ++readings; };
  }
};

TEST(BackendJob, ReadsTheClockOnceAndTwiceAStage) {
  Clock clock;
  PreparationOptions given = options();
  given.now = clock.function();
  const auto job = value_of(prepare_backend_job_from_semantic_module(semantic_module(), given));
  EXPECT_EQ(clock.readings, 13);
  EXPECT_EQ(job.run().total_ns, 12000U);
  ASSERT_EQ(job.run().stages.size(), stage_count);
  for (const choir::StageRun& stage : job.run().stages)
    EXPECT_EQ(stage.elapsed_ns, stage.stage == "semantic" ? 0U : 1000U) << stage.stage;
}

TEST(BackendJob, RecordsTheRun) {
  semantic::SemanticModule module = semantic_module();
  const std::uint64_t operations = choir::count_operations(module.module().operation());
  const auto job = value_of(prepare_backend_job_from_semantic_module(module.fork(), options()));
  EXPECT_EQ(job.run().initial_operations, operations);
  EXPECT_EQ(job.run().final_operations,
            choir::count_operations(value_of(job.target_job())->module().operation()));
  EXPECT_EQ(job.run().semantic_fingerprint, module.revision()->address().content.high);
  EXPECT_EQ(job.run().target_profile, profile());
  const auto stamps = value_of(job.product_stamps());
  ASSERT_EQ(stamps.size(), stage_count);
  choir::RevisionRef revision = value_of(job.target_job())->revision();
  for (std::size_t index = stage_count; index-- > 1;) {
    EXPECT_EQ(stamps[index].stage, to_string(static_cast<Stage>(index)));
    EXPECT_EQ(stamps[index].fingerprint, fingerprint(*revision));
    EXPECT_FALSE(stamps[index].reused);
    revision = revision->dependency("source");
  }
  const auto run =
      value_of(run_backend_preparation_pipeline_from_semantic_module(module.fork(), options()));
  EXPECT_EQ(run.final_operations, job.run().final_operations);
}

TEST(BackendJob, IsTheSameFromEveryStage) {
  const PreparationOptions given = options();
  const std::string expected =
      target_text(value_of(prepare_backend_job_from_semantic_module(semantic_module(), given)));
  const auto check = [&](const BackendPreparedJob& job) {
    EXPECT_EQ(target_text(job), expected);
    EXPECT_EQ(job.run().stages.size(), stage_count);
  };
  const auto contract = [&] {
    return value_of(prepare_contract_job_from_semantic_module_with_run(semantic_module(), given));
  };
  const auto tensor = [&] {
    return value_of(prepare_tensor_job_from_contract_job_with_run(contract().job, given));
  };
  const auto dispatch = [&] {
    return value_of(prepare_dispatch_job_from_tensor_job_with_run(tensor().job, given));
  };
  const auto memory = [&] {
    return value_of(prepare_memory_job_from_dispatch_job_with_run(dispatch().job, given));
  };
  const auto kernel = [&] {
    return value_of(prepare_kernel_job_from_memory_job_with_run(memory().job, given));
  };
  const auto target = [&] {
    return value_of(prepare_target_job_from_kernel_job_with_run(kernel().job, given));
  };
  EXPECT_EQ(contract().run.stage, "contract");
  check(value_of(prepare_backend_job_from_contract_job(contract().job, given)));
  check(value_of(prepare_backend_job_from_contract_preparation_result(contract(), given)));
  check(value_of(prepare_backend_job_from_tensor_preparation_result(tensor(), given)));
  check(value_of(prepare_backend_job_from_dispatch_preparation_result(dispatch(), given)));
  check(value_of(prepare_backend_job_from_memory_preparation_result(memory(), given)));
  check(value_of(prepare_backend_job_from_kernel_preparation_result(kernel(), given)));
  check(value_of(prepare_backend_job_from_target_preparation_result(target(), given)));
}

/// Every later stage from the text of its product alone: no semantic product, the same code.
TEST(BackendJob, StartsFromTheTextOfALaterStage) {
  const auto whole =
      value_of(prepare_backend_job_from_semantic_module(semantic_module(), options()));
  choir::RevisionRef revision = value_of(whole.target_job())->revision();
  while (revision->address().stage != "contract") revision = revision->dependency("source");
  const std::string text = choir::print(revision->module());
  auto module = choir::parse_and_verify(text, "contract.choir", registry());
  ASSERT_TRUE(module.has_value());
  auto sealed = value_of(choir::seal_job<contract::ContractStage>(std::move(*module)));
  const auto job = value_of(prepare_backend_job_from_contract_job(std::move(sealed), options()));
  EXPECT_EQ(choir::print(value_of(job.target_job())->module(), {.locations = false}),
            choir::print(value_of(whole.target_job())->module(), {.locations = false}));
  EXPECT_EQ(job.run().semantic_fingerprint, std::nullopt);
  EXPECT_EQ(job.run().stages.size(), stage_count - 1);
  EXPECT_EQ(job.run().initial_operations, choir::count_operations(revision->module().operation()));
  const auto prepared = BackendPreparedModule::from(*value_of(job.target_job()));
  ASSERT_FALSE(prepared.has_value());
  EXPECT_EQ(prepared.error().message, "the semantic product is missing");

  auto wrong = choir::parse_and_verify(text, "contract.choir", registry());
  const auto refused = choir::seal_job<tensor::TensorStage>(std::move(*wrong));
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().message, "program is at stage contract, not tensor");
}

TEST(BackendJob, AnswersForItsKernels) {
  const auto job = value_of(prepare_backend_job_from_semantic_module(semantic_module(), options()));
  const kernel::Kernelization& kernels = *value_of(job.kernelization());
  const std::size_t count = value_of(job.generated_kernel_count());
  EXPECT_EQ(count, kernels.kernel_count());
  ASSERT_GE(count, 2U);
  const auto summaries = value_of(job.copy_generated_kernel_summaries());
  ASSERT_EQ(summaries.size(), count);
  for (std::size_t index = 0; index < count; ++index) {
    const auto summary = value_of(job.generated_kernel_summary(index));
    EXPECT_EQ(summary, summaries[index]);
    const choir::Operation* function = value_of(job.generated_kernel_program(index));
    EXPECT_EQ(function->symbol(), summary.name);
    EXPECT_EQ(choir::count_operations(*function), summary.operations);
    ASSERT_FALSE(summary.work_items.empty());
    EXPECT_EQ(summary.launches, 1U);
    const std::int64_t item = summary.work_items.front();
    EXPECT_EQ(value_of(job.generated_kernel_summary_for_work(item)), summary);
    EXPECT_EQ(value_of(job.generated_kernel_program_for_work(item)), function);
  }
  const auto beyond = job.generated_kernel_summary(count);
  ASSERT_FALSE(beyond.has_value());
  EXPECT_NE(beyond.error().message.find("no generated kernel"), std::string::npos);
  EXPECT_FALSE(job.generated_kernel_program(count).has_value());
  const auto stranger = job.generated_kernel_program_for_work(999);
  ASSERT_FALSE(stranger.has_value());
  EXPECT_NE(stranger.error().message.find("no kernel is launched for a work item 999"),
            std::string::npos);
}

TEST(BackendJob, SaysWhenItsTargetProductIsMissing) {
  const BackendPreparedJob job(std::nullopt, {.initial_operations = 7});
  EXPECT_EQ(job.run().initial_operations, 7U);
  const auto expect_missing = [](const auto& result) {
    ASSERT_FALSE(result.has_value());
    EXPECT_EQ(result.error().message, "the job has no target product");
    EXPECT_EQ(result.error().code, ErrorCode::not_found);
  };
  expect_missing(job.target_job());
  expect_missing(job.kernelization());
  expect_missing(job.product_stamps());
  expect_missing(job.generated_kernel_count());
  expect_missing(job.generated_kernel_summary(0));
  expect_missing(job.generated_kernel_program(0));
  expect_missing(job.generated_kernel_summary_for_work(0));
  expect_missing(job.generated_kernel_program_for_work(0));
  expect_missing(job.copy_generated_kernel_summaries());
}

kernel::KernelJob kernel_job(const PreparationOptions& given) {
  auto memory = value_of(prepare_memory_job_from_semantic_module(semantic_module(), given));
  return value_of(prepare_kernel_job_from_memory_job(std::move(memory), given));
}

TEST(TargetProduct, BorrowsItsKernelJob) {
  const PreparationOptions given = options();
  const kernel::KernelJob job = kernel_job(given);
  const std::string before = choir::print(job.module());
  const std::size_t stages = job.record().stages.size();
  const auto first = value_of(prepare_target_product_from_kernel_job(job, given));
  const auto second = value_of(prepare_target_product_from_kernel_job(job, given));
  EXPECT_EQ(choir::print(job.module()), before);
  EXPECT_EQ(job.record().stages.size(), stages);
  EXPECT_EQ(first.product->address(), second.product->address());
  EXPECT_EQ(first.kernelization.kernel_count(), second.kernelization.kernel_count());
  EXPECT_EQ(first.kernel_product, job.revision());
  EXPECT_EQ(first.run.stage, "target");
  EXPECT_EQ(first.run.parts.size(), first.kernelization.kernel_count());

  PreparationOptions failing = given;
  failing.edit_pipeline = [](std::string_view, choir::Pipeline& pipeline) {
    pipeline.add({.name = "test-fails",
                  .description = {},
                  .options = {},
                  .run = [](choir::PassContext&) -> Result<choir::PassChange> {
                    return fail(ErrorCode::internal, "told to");
                  },
                  .preserved = {}});
  };
  EXPECT_FALSE(prepare_target_product_from_kernel_job(job, failing).has_value());
  EXPECT_EQ(choir::print(job.module()), before);
  EXPECT_TRUE(prepare_target_product_from_kernel_job(job, given).has_value());
}

TEST(TargetProduct, RefusesAProfileThatAnswersOtherwise) {
  const kernel::KernelJob job = kernel_job(options());
  TargetProfile other = profile();
  other.driver = "another";  // which no pass has read
  PreparationOptions given = options();
  given.profile = &other;
  EXPECT_TRUE(prepare_target_product_from_kernel_job(job, given).has_value());
  other.workgroup_invocations_maximum = 1;
  const auto refused = prepare_target_product_from_kernel_job(job, given);
  ASSERT_FALSE(refused.has_value());
  EXPECT_NE(refused.error().message.find("the kernel product was made for a profile whose "
                                         "workgroup_invocations_maximum is "),
            std::string::npos)
      << refused.error().message;
}

TEST(TargetPipeline, RunsOnAModuleAlone) {
  const PreparationOptions given = options();
  const kernel::KernelJob job = kernel_job(given);
  const auto expected = value_of(prepare_target_product_from_kernel_job(job, given));
  choir::Module module = job.module().clone();
  // Nothing says which profile: the pass cannot be made.
  const Status without = run_target_pipeline(module, *given.backend);
  ASSERT_FALSE(without.has_value());
  EXPECT_EQ(without.error().message, "pass 'accy-choir-legalize' needs a target profile");

  apply_target_options(module, {.profile = profile(), .schedules = {}});
  ASSERT_TRUE(run_target_pipeline(module, *given.backend).has_value());
  remove_target_options(module);
  module.set_stage("target");
  EXPECT_EQ(choir::print(module), choir::print(expected.product->module()));

  choir::Module again = job.module().clone();
  ASSERT_TRUE(run_target_pipeline(again, *given.backend, {.workers = 2}, nullptr, &profile()));
  again.set_stage("target");
  EXPECT_EQ(choir::print(again), choir::print(expected.product->module()));
}

TEST(TargetPipeline, TellsWhatFailed) {
  const PreparationOptions given = options();
  choir::Module module = kernel_job(given).module().clone();
  const TargetProfile cuda = *targets::find_profile("cuda:sm_75");
  TargetProfile small = cuda;
  small.workgroup_invocations_maximum = 1;
  choir::PassFailure failure;
  const Status status = run_target_pipeline(module, *targets::find_backend("cuda"),
                                            {.keep_module_text = true}, &failure, &small);
  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(failure.pipeline, "accy-choir-target");
  EXPECT_EQ(failure.pass, "accy-choir-legalize");
  EXPECT_NE(failure.error.find("workgroup_invocations_maximum"), std::string::npos);
  EXPECT_NE(failure.symbol, "");
  EXPECT_NE(failure.module_text.find("kernel.func @" + failure.symbol), std::string::npos);
}

TEST(TargetOptions, AreAttributesOfTheModule) {
  choir::Module module = kernel_job(options()).module().clone();
  const std::string before = choir::print(module);
  TargetOptions given{
      .profile = profile(),
      .schedules = {.row_pipelines = {{3, kernel::ScheduleClass::invocation_row, 32},
                                      {4, kernel::ScheduleClass::workgroup_row, 64}},
                    .scans = {{5, kernel::ScanScheduleClass::single_pass}}}};
  apply_target_options(module, given);
  // Through text and back.
  auto again = choir::parse_and_verify(choir::print(module), "p.choir", registry());
  ASSERT_TRUE(again.has_value()) << again.error().to_string();
  EXPECT_EQ(value_of(read_target_options(*again)), given);
  apply_target_options(module, {});
  EXPECT_EQ(choir::print(module), before);
  EXPECT_EQ(value_of(read_target_options(module)), TargetOptions{});
}

TEST(TargetOptions, AreCheckedWhenTheyAreRead) {
  const auto refusal = [](std::string_view attributes) {
    auto module =
        choir::parse("choir kernel v1 {" + std::string(attributes) + "}\n", "p.choir", registry());
    EXPECT_TRUE(module.has_value()) << module.error().to_string();
    const auto read = read_target_options(*module);
    return read ? std::string("accepted") : read.error().message;
  };
  EXPECT_EQ(refusal("target_profile = 3"),
            "module attribute target_profile is no list of bytes in quotes");
  EXPECT_NE(refusal("target_profile = \"{}\"").find("schema"), std::string::npos);
  EXPECT_EQ(refusal("row_pipeline_schedules = [{item = 1, schedule = workgroup_row}]"),
            "module attribute row_pipeline_schedules is no list of {item = N, schedule = CLASS, "
            "workgroup = N}");
  EXPECT_EQ(refusal("row_pipeline_schedules = 1").find("module attribute"), 0U);
  EXPECT_EQ(refusal("scan_schedules = [1]"),
            "module attribute scan_schedules is no list of {item = N, schedule = CLASS}");
  EXPECT_EQ(refusal("scan_schedules = true").find("module attribute"), 0U);
  EXPECT_EQ(refusal("row_pipeline_schedules = [{item = 1, schedule = tiled, workgroup = 2}]"),
            "unknown schedule 'tiled' (known: workgroup_row, invocation_row, invocation_column)");
  EXPECT_EQ(refusal("scan_schedules = [{item = 1, schedule = tiled}]"),
            "unknown schedule 'tiled' (known: reduce_then_scan, single_pass)");
}

/// The error of a compile with these decisions; empty when it succeeds.
std::string compile_with(kernel::ScheduleDecisions decisions, std::string* schedule = nullptr) {
  PreparationOptions given = options();
  given.schedules = std::move(decisions);
  const auto job = prepare_backend_job_from_semantic_module(semantic_module(), given);
  if (!job) return job.error().message;
  if (schedule != nullptr)
    for (const auto& summary : value_of(job->copy_generated_kernel_summaries()))
      if (summary.kind == "row_pipeline")
        *schedule = summary.schedule + " " + std::to_string(summary.workgroup[0]);
  return "";
}

TEST(ScheduleDecisions, GoBeforeTheModel) {
  using kernel::ScheduleClass;
  std::int64_t row = -1, other = -1;
  const auto job = value_of(prepare_backend_job_from_semantic_module(semantic_module(), options()));
  for (const auto& summary : value_of(job.copy_generated_kernel_summaries()))
    (summary.kind == "row_pipeline" ? row : other) = summary.work_items.front();
  ASSERT_TRUE(row >= 0 && other >= 0);
  std::string schedule;
  for (std::int64_t workgroup : {1, 8, 64}) {
    EXPECT_EQ(compile_with({{{row, ScheduleClass::workgroup_row, workgroup}}, {}}, &schedule), "");
    EXPECT_EQ(schedule, "workgroup_row " + std::to_string(workgroup));
  }
  EXPECT_EQ(compile_with({{{row, ScheduleClass::invocation_row, 16}}, {}}, &schedule), "");
  EXPECT_EQ(schedule, "invocation_row 16");
  // For an item that does not exist there is nothing to decide.
  EXPECT_EQ(compile_with({{{99, ScheduleClass::workgroup_row, 8}}, {}}), "");

  const std::string start = "schedule decision for work item " + std::to_string(row) + ": ";
  EXPECT_EQ(compile_with({{{row, ScheduleClass::invocation_column, 8}}, {}}),
            start + "invocation_column is not among the item's legal schedules");
  EXPECT_EQ(compile_with({{{row, ScheduleClass::workgroup_row, 3}}, {}}),
            start + "workgroup 3 is no power of two from 1 to the profile's " +
                std::to_string(profile().workgroup_invocations_maximum));
  EXPECT_EQ(compile_with({{}, {{row, kernel::ScanScheduleClass::single_pass}}}),
            start + "the item is of kind row_pipeline, not a scan");
  EXPECT_NE(compile_with({{{other, ScheduleClass::workgroup_row, 8}}, {}})
                .find(", not row_pipeline or reduction"),
            std::string::npos);
}

TEST(ScheduleDecisions, ChangeTheKernelKey) {
  PreparationOptions given = options();
  choir::MemoryStore store;
  given.store = &store;
  const auto plain = value_of(prepare_backend_job_from_semantic_module(semantic_module(), given));
  given.schedules.row_pipelines = {{99, kernel::ScheduleClass::workgroup_row, 8}};
  const auto decided = value_of(prepare_backend_job_from_semantic_module(semantic_module(), given));
  EXPECT_TRUE(decided.run().stages[4].reused);
  EXPECT_FALSE(decided.run().stages[5].reused);
  EXPECT_NE(given.schedules.to_string(), "");
}

TEST(WarmJobs, GoOnInPlaceWithTheirAnalyses) {
  PreparationOptions given = options();
  auto contract = value_of(prepare_contract_job_from_semantic_module(semantic_module(), given));
  EXPECT_TRUE(contract.warm());
  EXPECT_FALSE(contract.fork().warm());
  // A pass that asks for what the contract stage computed last.
  given.edit_pipeline = [](std::string_view stage, choir::Pipeline& pipeline) {
    if (stage != "tensor") return;
    choir::Pass ask{.name = "test-asks",
                    .description = {},
                    .options = {},
                    .run = [](choir::PassContext& context) -> Result<choir::PassChange> {
                      context.analyses.get<contract::LayoutMap>(contract::shape_layout_analysis(),
                                                                context.module);
                      return choir::PassChange::unchanged;
                    },
                    .preserved = {}};
    pipeline.steps.insert(pipeline.steps.begin(), std::move(ask));
  };
  auto fork = contract.fork();
  const auto warm =
      value_of(prepare_tensor_job_from_contract_job_with_run(std::move(contract), given));
  EXPECT_EQ(warm.run.statistics.analysis_hits, 1U);
  const auto cold = value_of(prepare_tensor_job_from_contract_job_with_run(std::move(fork), given));
  EXPECT_EQ(cold.run.statistics.analysis_hits, 0U);
  EXPECT_EQ(cold.run.statistics.analysis_misses, 1U);
  EXPECT_EQ(warm.job.revision()->address(), cold.job.revision()->address());
}

TEST(WarmJobs, AreColdBehindAStoreHit) {
  choir::MemoryStore store;
  PreparationOptions given = options();
  given.store = &store;
  EXPECT_TRUE(value_of(prepare_contract_job_from_semantic_module(semantic_module(), given)).warm());
  EXPECT_FALSE(
      value_of(prepare_contract_job_from_semantic_module(semantic_module(), given)).warm());
}

}  // namespace
}  // namespace accy::test
