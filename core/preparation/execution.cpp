#include "preparation/execution.hpp"

#include "contract/pipeline.hpp"
#include "dispatch/pipeline.hpp"
#include "kernel/pipeline.hpp"
#include "memory/pipeline.hpp"
#include "target/pipeline.hpp"
#include "tensor/pipeline.hpp"

namespace accy::preparation {

namespace {

/// Facts of the profile as a stage's trace names them; the whole profile is one fact for the target
/// stage, whose backends read it untraced.
constexpr std::string_view whole_profile = "profile";

std::string fact_value(const TargetProfile* profile, std::string_view name) {
  if (profile == nullptr) return {};
  return name == whole_profile ? to_json(*profile) : profile_field_json(*profile, name);
}

/// What one stage's run needs besides its job.
struct StagePlan {
  const choir::StageSpec& spec;
  choir::Pipeline pipeline;
  /// Facts read, asked for when the pipeline is through.
  std::function<std::vector<choir::Fact>()> facts;
};

std::vector<choir::Fact> no_facts() { return {}; }

std::uint64_t elapsed(std::int64_t start, std::int64_t end) {
  return end > start ? static_cast<std::uint64_t>(end - start) : 0;
}

struct StageResult {
  choir::RevisionRef revision;
  choir::StageRun run;
};

/// Looks the product up, or makes it: a draft from the source, the pipeline, the seal.
Result<StageResult> make_product(const choir::RevisionRef& source, StagePlan plan,
                                 const PreparationOptions& options) {
  if (options.edit_pipeline) options.edit_pipeline(plan.spec.stage, plan.pipeline);
  const choir::ProductRequest request{.stage = std::string(plan.spec.stage),
                                      .schema_version = plan.spec.version,
                                      .recipe = plan.pipeline.recipe(),
                                      .predecessor = source->address().content};
  StageResult result;
  result.run.stage = request.stage;
  const std::int64_t start = options.now();
  if (options.store != nullptr)
    result.revision = options.store->find(request, [&](std::string_view fact) {
      return fact_value(options.profile, fact);
    });
  if (result.revision) {
    result.run.reused = true;
    result.run.elapsed_ns = elapsed(start, options.now());
  } else {
    choir::Draft draft = choir::Draft::from(plan.spec, *source);
    choir::AnalysisCache analyses;
    ACCY_TRY(choir::run_pipeline(plan.pipeline, draft.module(), analyses, result.run.statistics));
    result.run.elapsed_ns = elapsed(start, options.now());
    std::vector<choir::Fact> facts = plan.facts();
    const choir::ProductKey key = choir::product_key(request, facts);
    ACCY_TRY_ASSIGN(result.revision, std::move(draft).seal({{"source", source}}, key));
    if (options.store != nullptr) options.store->insert(request, std::move(facts), result.revision);
  }
  result.run.operations = choir::count_operations(result.revision->module().operation());
  return result;
}

template <class NextJob, class Job>
Result<NextJob> run_stage(Job job, StagePlan plan, const PreparationOptions& options) {
  ACCY_TRY(job.verify());
  const std::string stage(plan.spec.stage);
  const choir::RevisionRef source = job.revision();
  Result<StageResult> result = make_product(source, std::move(plan), options);
  if (!result) return fail(std::move(result.error()).with("preparing the " + stage + " stage"));
  choir::RunRecord record = std::move(job).take_record();
  record.stages.push_back(std::move(result->run));
  return NextJob(std::move(result->revision), std::move(record));
}

Status require_profile(const PreparationOptions& options, std::string_view stage) {
  if (options.profile != nullptr) return {};
  return fail(ErrorCode::invalid_input,
              "the " + std::string(stage) + " stage needs a target profile");
}

}  // namespace

Result<contract::ContractJob> prepare_contract_job_from_semantic_module(
    semantic::SemanticModule module, const PreparationOptions& options) {
  return run_stage<contract::ContractJob>(
      std::move(module),
      {contract::ContractStage::spec(), contract::contract_pipeline(options.dimensions), no_facts},
      options);
}

Result<tensor::TensorJob> prepare_tensor_job_from_contract_job(contract::ContractJob job,
                                                               const PreparationOptions& options) {
  return run_stage<tensor::TensorJob>(
      std::move(job), {tensor::TensorStage::spec(), tensor::tensor_pipeline(), no_facts}, options);
}

Result<dispatch::DispatchJob> prepare_dispatch_job_from_tensor_job(
    tensor::TensorJob job, const PreparationOptions& options) {
  return run_stage<dispatch::DispatchJob>(
      std::move(job), {dispatch::DispatchStage::spec(), dispatch::dispatch_pipeline(), no_facts},
      options);
}

Result<memory::MemoryJob> prepare_memory_job_from_dispatch_job(dispatch::DispatchJob job,
                                                               const PreparationOptions& options) {
  return run_stage<memory::MemoryJob>(
      std::move(job), {memory::MemoryStage::spec(), memory::memory_pipeline(), no_facts}, options);
}

Result<kernel::KernelJob> prepare_kernel_job_from_memory_job(memory::MemoryJob job,
                                                             const PreparationOptions& options) {
  ACCY_TRY(require_profile(options, "kernel"));
  TracedProfile profile(*options.profile);
  auto facts = [&profile] {
    std::vector<choir::Fact> list;
    for (ProfileRead& read : profile.reads())
      list.push_back({std::move(read.field), std::move(read.value)});
    return list;
  };
  return run_stage<kernel::KernelJob>(
      std::move(job), {kernel::KernelStage::spec(), kernel::kernel_pipeline(profile), facts},
      options);
}

Result<target::TargetJob> prepare_target_job_from_kernel_job(kernel::KernelJob job,
                                                             const PreparationOptions& options) {
  ACCY_TRY(require_profile(options, "target"));
  if (options.backend == nullptr || options.backend->name != options.profile->target)
    return fail(ErrorCode::invalid_input,
                "no backend is given that emits for profile " + options.profile->id());
  auto facts = [&] {
    return std::vector<choir::Fact>{
        {std::string(whole_profile), fact_value(options.profile, whole_profile)}};
  };
  return run_stage<target::TargetJob>(
      std::move(job),
      {target::TargetStage::spec(), target::target_pipeline(*options.backend, *options.profile),
       facts},
      options);
}

Result<memory::MemoryJob> prepare_memory_job_from_semantic_module(
    semantic::SemanticModule module, const PreparationOptions& options) {
  ACCY_TRY_ASSIGN(auto contract,
                  prepare_contract_job_from_semantic_module(std::move(module), options));
  ACCY_TRY_ASSIGN(auto tensor, prepare_tensor_job_from_contract_job(std::move(contract), options));
  ACCY_TRY_ASSIGN(auto dispatch, prepare_dispatch_job_from_tensor_job(std::move(tensor), options));
  return prepare_memory_job_from_dispatch_job(std::move(dispatch), options);
}

Result<target::TargetJob> prepare_target_job_from_memory_job(memory::MemoryJob job,
                                                             const PreparationOptions& options) {
  ACCY_TRY_ASSIGN(auto kernel, prepare_kernel_job_from_memory_job(std::move(job), options));
  return prepare_target_job_from_kernel_job(std::move(kernel), options);
}

}  // namespace accy::preparation
