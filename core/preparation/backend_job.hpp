// BackendPreparedJob: a compile that is through, as a job: the target product, the kernels that it
// came from, and the record of the run. And the functions that do all the rest from any stage.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "preparation/execution.hpp"

namespace accy::preparation {

/// What people compare of one stage's run; no key or reuse decision reads it.
struct ProductStamp {
  std::string stage;
  std::uint64_t fingerprint = 0;
  std::uint64_t elapsed_ns = 0;
  bool reused = false;
  friend bool operator==(const ProductStamp&, const ProductStamp&) = default;
};

/// A whole run in figures; a stage that did not run is absent from `stages`.
struct BackendPreparationRun {
  std::uint64_t total_ns = 0;            ///< from the run's start to the target stage's end
  std::uint64_t initial_operations = 0;  ///< in the module that the run started from
  std::uint64_t final_operations = 0;    ///< in the target product
  std::optional<std::uint64_t> semantic_fingerprint;  ///< none when the run started later
  std::vector<choir::StageRun> stages;
  std::optional<TargetProfile> target_profile;
};

class BackendPreparedJob {
 public:
  /// A job whose target product is absent answers what it can of the run; the rest is an error.
  BackendPreparedJob(std::optional<target::TargetJob> target, BackendPreparationRun run);

  const BackendPreparationRun& run() const { return run_; }
  /// Errors: the target product is missing.
  Result<const target::TargetJob*> target_job() const;
  /// The kernels of the kernel product; lives as long as the job. Errors: as target_job().
  Result<const kernel::Kernelization*> kernelization() const;
  /// One stamp a stage that ran, in order. Errors: as target_job().
  Result<std::vector<ProductStamp>> product_stamps() const;

  // By kernel, in the order of first launches, and by work item (its `order`). Programs are
  // borrowed from the kernel product; summaries are copies. Errors: as target_job(), or a number
  // that does not exist.
  Result<std::size_t> generated_kernel_count() const;
  Result<kernel::GeneratedKernelSummary> generated_kernel_summary(std::size_t kernel) const;
  Result<const choir::Operation*> generated_kernel_program(std::size_t kernel) const;
  Result<kernel::GeneratedKernelSummary> generated_kernel_summary_for_work(std::int64_t item) const;
  Result<const choir::Operation*> generated_kernel_program_for_work(std::int64_t item) const;
  Result<std::vector<kernel::GeneratedKernelSummary>> copy_generated_kernel_summaries() const;

 private:
  std::optional<target::TargetJob> target_;
  std::optional<kernel::Kernelization> kernelization_;
  BackendPreparationRun run_;
};

// From any stage's job or result to the end. Each owns its input, also on failure. The record that
// the job carries goes on: what ran before stays in the run.
Result<BackendPreparedJob>
prepare_backend_job_from_semantic_module(semantic::SemanticModule module,
                                         const PreparationOptions& options);
Result<BackendPreparedJob> prepare_backend_job_from_contract_job(contract::ContractJob job,
                                                                 const PreparationOptions& options);
Result<BackendPreparedJob>
prepare_backend_job_from_contract_preparation_result(ContractPreparationResult result,
                                                     const PreparationOptions& options);
Result<BackendPreparedJob>
prepare_backend_job_from_tensor_preparation_result(TensorPreparationResult result,
                                                   const PreparationOptions& options);
Result<BackendPreparedJob>
prepare_backend_job_from_dispatch_preparation_result(DispatchPreparationResult result,
                                                     const PreparationOptions& options);
Result<BackendPreparedJob>
prepare_backend_job_from_memory_preparation_result(MemoryPreparationResult result,
                                                   const PreparationOptions& options);
Result<BackendPreparedJob>
prepare_backend_job_from_kernel_preparation_result(KernelPreparationResult result,
                                                   const PreparationOptions& options);
Result<BackendPreparedJob>
prepare_backend_job_from_target_preparation_result(TargetPreparationResult result,
                                                   const PreparationOptions& options);

/// The run alone.
Result<BackendPreparationRun>
run_backend_preparation_pipeline_from_semantic_module(semantic::SemanticModule module,
                                                      const PreparationOptions& options);

}  // namespace accy::preparation
