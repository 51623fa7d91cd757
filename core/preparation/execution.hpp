// The seven stages in order: one function a stage, and all the rest from any stage.
//
// Every function owns its job, also on failure, but for prepare_target_product_from_kernel_job,
// which borrows it. A job that goes to two targets is forked first (Job::fork): both then share the
// same revisions. With `_with_run` comes what the stage did; the job's record holds it as well.
#pragma once

#include "contract/job.hpp"
#include "dispatch/job.hpp"
#include "kernel/job.hpp"
#include "kernel/kernelization.hpp"
#include "memory/job.hpp"
#include "preparation/options.hpp"
#include "semantic/job.hpp"
#include "target/job.hpp"
#include "tensor/job.hpp"

namespace accy::preparation {

/// A stage's job and what the stage did. The record that the job carries holds the stages before.
template <class StageJob>
struct PreparationResult {
  StageJob job;
  choir::StageRun run;
};
using ContractPreparationResult = PreparationResult<contract::ContractJob>;
using TensorPreparationResult = PreparationResult<tensor::TensorJob>;
using DispatchPreparationResult = PreparationResult<dispatch::DispatchJob>;
using MemoryPreparationResult = PreparationResult<memory::MemoryJob>;
using KernelPreparationResult = PreparationResult<kernel::KernelJob>;
using TargetPreparationResult = PreparationResult<target::TargetJob>;

Result<ContractPreparationResult>
prepare_contract_job_from_semantic_module_with_run(semantic::SemanticModule module,
                                                   const PreparationOptions& options);
Result<TensorPreparationResult>
prepare_tensor_job_from_contract_job_with_run(contract::ContractJob job,
                                              const PreparationOptions& options);
Result<DispatchPreparationResult>
prepare_dispatch_job_from_tensor_job_with_run(tensor::TensorJob job,
                                              const PreparationOptions& options);
Result<MemoryPreparationResult>
prepare_memory_job_from_dispatch_job_with_run(dispatch::DispatchJob job,
                                              const PreparationOptions& options);
Result<KernelPreparationResult>
prepare_kernel_job_from_memory_job_with_run(memory::MemoryJob job,
                                            const PreparationOptions& options);
Result<TargetPreparationResult>
prepare_target_job_from_kernel_job_with_run(kernel::KernelJob job,
                                            const PreparationOptions& options);

Result<contract::ContractJob> prepare_contract_job_from_semantic_module(
    semantic::SemanticModule module, const PreparationOptions& options);
Result<tensor::TensorJob> prepare_tensor_job_from_contract_job(contract::ContractJob job,
                                                               const PreparationOptions& options);
Result<dispatch::DispatchJob> prepare_dispatch_job_from_tensor_job(
    tensor::TensorJob job, const PreparationOptions& options);
Result<memory::MemoryJob> prepare_memory_job_from_dispatch_job(dispatch::DispatchJob job,
                                                               const PreparationOptions& options);
Result<kernel::KernelJob> prepare_kernel_job_from_memory_job(memory::MemoryJob job,
                                                             const PreparationOptions& options);
Result<target::TargetJob> prepare_target_job_from_kernel_job(kernel::KernelJob job,
                                                             const PreparationOptions& options);

/// The target stage's product without a job: a sealed target module and the kernels it came from.
struct TargetProductPreparationResult {
  choir::RevisionRef product;
  choir::RevisionRef kernel_product;  ///< keeps what `kernelization` points into
  kernel::Kernelization kernelization;
  choir::StageRun run;
  std::int64_t finished_at = 0;
};
/// Borrows the kernel job and leaves it as it was.
Result<TargetProductPreparationResult>
prepare_target_product_from_kernel_job(const kernel::KernelJob& job,
                                       const PreparationOptions& options);

/// The target pipeline alone on a module of the kernel stage, in place: kernels become target code.
/// The profile is the options', else the module's own (apply_target_options). On failure the
/// module is as the failing pass left it, or unchanged by a nested one.
Status run_target_pipeline(choir::Module& module, const target::Backend& backend,
                           const choir::RunOptions& run = {}, choir::PassFailure* failure = nullptr,
                           const TargetProfile* profile = nullptr);

/// The five stages that no target changes.
Result<memory::MemoryJob> prepare_memory_job_from_semantic_module(
    semantic::SemanticModule module, const PreparationOptions& options);
/// The two stages that one target decides.
Result<target::TargetJob> prepare_target_job_from_memory_job(memory::MemoryJob job,
                                                             const PreparationOptions& options);

}  // namespace accy::preparation
