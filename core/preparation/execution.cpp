#include "preparation/execution.hpp"

#include "preparation/stage_run.hpp"
#include "preparation/target_options.hpp"

namespace accy::preparation {

namespace {

/// One stage from a job of the one before: the result's job carries the job's record on.
template <class NextJob, class SourceJob>
Result<PreparationResult<NextJob>> advance(Stage stage, SourceJob job,
                                           const PreparationOptions& options) {
  ACCY_TRY(job.verify());
  choir::RevisionRef source = job.revision();
  choir::RunRecord record = job.record();
  ACCY_TRY_ASSIGN(StageOutput output,
                  run_stage(stage, {std::move(source), std::move(job).take_warm()}, options));
  if (!record.started_at) record.started_at = output.started_at;
  record.finished_at = output.finished_at;
  record.stages.push_back(output.run);
  return PreparationResult<NextJob>{
      NextJob(std::move(output.product), std::move(record), std::move(output.warm)),
      std::move(output.run)};
}

template <class NextJob>
Result<NextJob> job_of(Result<PreparationResult<NextJob>> result) {
  if (!result) return fail(std::move(result.error()));
  return std::move(result->job);
}

Status require_profile(const PreparationOptions& options, std::string_view stage) {
  if (options.profile != nullptr) return {};
  return fail(ErrorCode::invalid_input,
              "the " + std::string(stage) + " stage needs a target profile");
}

/// A kernel product is for the profiles that answer as its own did: another one is an error, not a
/// guess.
Status require_matching_profile(const choir::Revision& kernel_product,
                                const TargetProfile& profile) {
  for (const choir::Fact& fact : kernel_product.metadata().facts) {
    std::string present = profile_field_json(profile, fact.name);
    if (present != fact.value)
      return fail(ErrorCode::invalid_input, "the kernel product was made for a profile whose " +
                                                fact.name + " is " + fact.value + ", that of " +
                                                profile.id() + " is " + present);
  }
  return {};
}

Status require_target(const choir::Revision& kernel_product, const PreparationOptions& options) {
  ACCY_TRY(require_profile(options, "target"));
  if (options.backend == nullptr || options.backend->name != options.profile->target)
    return fail(ErrorCode::invalid_input,
                "no backend is given that emits for profile " + options.profile->id());
  return require_matching_profile(kernel_product, *options.profile);
}

}  // namespace

Result<ContractPreparationResult>
prepare_contract_job_from_semantic_module_with_run(semantic::SemanticModule module,
                                                   const PreparationOptions& options) {
  return advance<contract::ContractJob>(Stage::contract, std::move(module), options);
}

Result<TensorPreparationResult>
prepare_tensor_job_from_contract_job_with_run(contract::ContractJob job,
                                              const PreparationOptions& options) {
  return advance<tensor::TensorJob>(Stage::tensor, std::move(job), options);
}

Result<DispatchPreparationResult>
prepare_dispatch_job_from_tensor_job_with_run(tensor::TensorJob job,
                                              const PreparationOptions& options) {
  return advance<dispatch::DispatchJob>(Stage::dispatch, std::move(job), options);
}

Result<MemoryPreparationResult>
prepare_memory_job_from_dispatch_job_with_run(dispatch::DispatchJob job,
                                              const PreparationOptions& options) {
  return advance<memory::MemoryJob>(Stage::memory, std::move(job), options);
}

Result<KernelPreparationResult>
prepare_kernel_job_from_memory_job_with_run(memory::MemoryJob job,
                                            const PreparationOptions& options) {
  ACCY_TRY(require_profile(options, "kernel"));
  return advance<kernel::KernelJob>(Stage::kernel, std::move(job), options);
}

Result<TargetPreparationResult>
prepare_target_job_from_kernel_job_with_run(kernel::KernelJob job,
                                            const PreparationOptions& options) {
  ACCY_TRY_ASSIGN(TargetProductPreparationResult result,
                  prepare_target_product_from_kernel_job(job, options));
  choir::RunRecord record = std::move(job).take_record();
  if (!record.started_at)
    record.started_at = result.finished_at - static_cast<std::int64_t>(result.run.elapsed_ns);
  record.finished_at = result.finished_at;
  record.stages.push_back(result.run);
  return TargetPreparationResult{target::TargetJob(std::move(result.product), std::move(record)),
                                 std::move(result.run)};
}

Result<TargetProductPreparationResult>
prepare_target_product_from_kernel_job(const kernel::KernelJob& job,
                                       const PreparationOptions& options) {
  ACCY_TRY(job.verify());
  ACCY_TRY(require_target(*job.revision(), options));
  std::optional<kernel::Kernelization> kernelization;
  ACCY_TRY_ASSIGN(StageOutput output,
                  run_stage(Stage::target, {job.revision(), std::nullopt}, options,
                            [&] { kernelization.emplace(job.module()); }));
  if (!kernelization) kernelization.emplace(job.module());  // the product came from the store
  return TargetProductPreparationResult{std::move(output.product), job.revision(),
                                        std::move(*kernelization), std::move(output.run),
                                        output.finished_at};
}

Status run_target_pipeline(choir::Module& module, const target::Backend& backend,
                           const choir::RunOptions& run, choir::PassFailure* failure,
                           const TargetProfile* profile) {
  ACCY_TRY_ASSIGN(const TargetOptions target, read_target_options(module));
  if (profile == nullptr && target.profile) profile = &*target.profile;
  choir::PassManager manager;
  ACCY_TRY(add_stage_pipeline(manager, Stage::target, {.profile = profile, .backend = &backend}));
  Status status = manager.run(module, run);
  if (!status && failure != nullptr) *failure = *manager.last_failure();
  return status;
}

Result<contract::ContractJob> prepare_contract_job_from_semantic_module(
    semantic::SemanticModule module, const PreparationOptions& options) {
  return job_of(prepare_contract_job_from_semantic_module_with_run(std::move(module), options));
}

Result<tensor::TensorJob> prepare_tensor_job_from_contract_job(contract::ContractJob job,
                                                               const PreparationOptions& options) {
  return job_of(prepare_tensor_job_from_contract_job_with_run(std::move(job), options));
}

Result<dispatch::DispatchJob> prepare_dispatch_job_from_tensor_job(
    tensor::TensorJob job, const PreparationOptions& options) {
  return job_of(prepare_dispatch_job_from_tensor_job_with_run(std::move(job), options));
}

Result<memory::MemoryJob> prepare_memory_job_from_dispatch_job(dispatch::DispatchJob job,
                                                               const PreparationOptions& options) {
  return job_of(prepare_memory_job_from_dispatch_job_with_run(std::move(job), options));
}

Result<kernel::KernelJob> prepare_kernel_job_from_memory_job(memory::MemoryJob job,
                                                             const PreparationOptions& options) {
  return job_of(prepare_kernel_job_from_memory_job_with_run(std::move(job), options));
}

Result<target::TargetJob> prepare_target_job_from_kernel_job(kernel::KernelJob job,
                                                             const PreparationOptions& options) {
  return job_of(prepare_target_job_from_kernel_job_with_run(std::move(job), options));
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
