// The seven stages in order: one function a stage, and all the rest from the semantic stage.
//
// Every function owns its job, also on failure. A job that goes to two targets is forked first
// (Job::fork): both then share the same revisions.
#pragma once

#include "contract/job.hpp"
#include "dispatch/job.hpp"
#include "kernel/job.hpp"
#include "memory/job.hpp"
#include "preparation/options.hpp"
#include "semantic/job.hpp"
#include "target/job.hpp"
#include "tensor/job.hpp"

namespace accy::preparation {

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

/// The five stages that no target changes.
Result<memory::MemoryJob> prepare_memory_job_from_semantic_module(
    semantic::SemanticModule module, const PreparationOptions& options);
/// The two stages that one target decides.
Result<target::TargetJob> prepare_target_job_from_memory_job(memory::MemoryJob job,
                                                             const PreparationOptions& options);

}  // namespace accy::preparation
