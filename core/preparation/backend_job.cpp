#include "preparation/backend_job.hpp"

namespace accy::preparation {

namespace {

Failure missing_target() { return fail(ErrorCode::not_found, "the job has no target product"); }

/// The kernel product behind a target product.
std::optional<kernel::Kernelization> kernels_of(const std::optional<target::TargetJob>& target) {
  if (!target) return std::nullopt;
  const choir::RevisionRef source = target->revision()->dependency("source");
  ACCY_ASSERT(source, "a target product has no kernel product");
  return kernel::Kernelization(source->module());
}

BackendPreparationRun run_of(const target::TargetJob& job, const PreparationOptions& options) {
  const choir::RunRecord& record = job.record();
  BackendPreparationRun run{.total_ns = choir::ns_between(
                                record.started_at.value_or(record.finished_at), record.finished_at),
                            .initial_operations = record.initial_operations,
                            .final_operations = choir::count_operations(job.module().operation()),
                            .semantic_fingerprint = record.semantic_fingerprint,
                            .stages = record.stages,
                            .target_profile = std::nullopt};
  if (options.profile != nullptr) run.target_profile = *options.profile;
  return run;
}

/// Starts the run's clock, unless the job's run has started already.
template <class Job>
Job started(Job job, const PreparationOptions& options) {
  choir::RunRecord record = job.record();
  if (record.started_at) return job;
  record.started_at = options.now();
  choir::RevisionRef revision = job.revision();
  return Job(std::move(revision), std::move(record), std::move(job).take_warm());
}

}  // namespace

BackendPreparedJob::BackendPreparedJob(std::optional<target::TargetJob> target,
                                       BackendPreparationRun run)
    : target_(std::move(target)), kernelization_(kernels_of(target_)), run_(std::move(run)) {}

Result<const target::TargetJob*> BackendPreparedJob::target_job() const {
  if (!target_) return missing_target();
  return &*target_;
}

Result<const kernel::Kernelization*> BackendPreparedJob::kernelization() const {
  if (!kernelization_) return missing_target();
  return &*kernelization_;
}

Result<std::vector<ProductStamp>> BackendPreparedJob::product_stamps() const {
  if (!target_) return missing_target();
  std::vector<ProductStamp> stamps;
  for (const choir::StageRun& run : run_.stages)
    stamps.push_back({run.stage, run.plan_fingerprint, run.elapsed_ns, run.reused});
  return stamps;
}

Result<std::size_t> BackendPreparedJob::generated_kernel_count() const {
  ACCY_TRY_ASSIGN(const kernel::Kernelization* kernels, kernelization());
  return kernels->kernel_count();
}

Result<kernel::GeneratedKernelSummary>
BackendPreparedJob::generated_kernel_summary(std::size_t kernel) const {
  ACCY_TRY_ASSIGN(const kernel::Kernelization* kernels, kernelization());
  return kernels->summary(kernel);
}

Result<const choir::Operation*>
BackendPreparedJob::generated_kernel_program(std::size_t kernel) const {
  ACCY_TRY_ASSIGN(const kernel::Kernelization* kernels, kernelization());
  return kernels->program(kernel);
}

Result<kernel::GeneratedKernelSummary>
BackendPreparedJob::generated_kernel_summary_for_work(std::int64_t item) const {
  ACCY_TRY_ASSIGN(const kernel::Kernelization* kernels, kernelization());
  return kernels->summary_for_work(item);
}

Result<const choir::Operation*>
BackendPreparedJob::generated_kernel_program_for_work(std::int64_t item) const {
  ACCY_TRY_ASSIGN(const kernel::Kernelization* kernels, kernelization());
  return kernels->program_for_work(item);
}

Result<std::vector<kernel::GeneratedKernelSummary>>
BackendPreparedJob::copy_generated_kernel_summaries() const {
  ACCY_TRY_ASSIGN(const kernel::Kernelization* kernels, kernelization());
  return kernels->summaries();
}

Result<BackendPreparedJob>
prepare_backend_job_from_target_preparation_result(TargetPreparationResult result,
                                                   const PreparationOptions& options) {
  BackendPreparationRun run = run_of(result.job, options);
  return BackendPreparedJob(std::move(result.job), std::move(run));
}

Result<BackendPreparedJob>
prepare_backend_job_from_kernel_preparation_result(KernelPreparationResult result,
                                                   const PreparationOptions& options) {
  ACCY_TRY_ASSIGN(auto next, prepare_target_job_from_kernel_job_with_run(
                                 started(std::move(result.job), options), options));
  return prepare_backend_job_from_target_preparation_result(std::move(next), options);
}

Result<BackendPreparedJob>
prepare_backend_job_from_memory_preparation_result(MemoryPreparationResult result,
                                                   const PreparationOptions& options) {
  ACCY_TRY_ASSIGN(auto next, prepare_kernel_job_from_memory_job_with_run(
                                 started(std::move(result.job), options), options));
  return prepare_backend_job_from_kernel_preparation_result(std::move(next), options);
}

Result<BackendPreparedJob>
prepare_backend_job_from_dispatch_preparation_result(DispatchPreparationResult result,
                                                     const PreparationOptions& options) {
  ACCY_TRY_ASSIGN(auto next, prepare_memory_job_from_dispatch_job_with_run(
                                 started(std::move(result.job), options), options));
  return prepare_backend_job_from_memory_preparation_result(std::move(next), options);
}

Result<BackendPreparedJob>
prepare_backend_job_from_tensor_preparation_result(TensorPreparationResult result,
                                                   const PreparationOptions& options) {
  ACCY_TRY_ASSIGN(auto next, prepare_dispatch_job_from_tensor_job_with_run(
                                 started(std::move(result.job), options), options));
  return prepare_backend_job_from_dispatch_preparation_result(std::move(next), options);
}

Result<BackendPreparedJob>
prepare_backend_job_from_contract_preparation_result(ContractPreparationResult result,
                                                     const PreparationOptions& options) {
  ACCY_TRY_ASSIGN(auto next, prepare_tensor_job_from_contract_job_with_run(
                                 started(std::move(result.job), options), options));
  return prepare_backend_job_from_tensor_preparation_result(std::move(next), options);
}

Result<BackendPreparedJob>
prepare_backend_job_from_contract_job(contract::ContractJob job,
                                      const PreparationOptions& options) {
  return prepare_backend_job_from_contract_preparation_result({std::move(job), {}}, options);
}

Result<BackendPreparedJob>
prepare_backend_job_from_semantic_module(semantic::SemanticModule module,
                                         const PreparationOptions& options) {
  ACCY_TRY_ASSIGN(auto next, prepare_contract_job_from_semantic_module_with_run(
                                 started(std::move(module), options), options));
  return prepare_backend_job_from_contract_preparation_result(std::move(next), options);
}

Result<BackendPreparationRun>
run_backend_preparation_pipeline_from_semantic_module(semantic::SemanticModule module,
                                                      const PreparationOptions& options) {
  ACCY_TRY_ASSIGN(const BackendPreparedJob job,
                  prepare_backend_job_from_semantic_module(std::move(module), options));
  return job.run();
}

}  // namespace accy::preparation
