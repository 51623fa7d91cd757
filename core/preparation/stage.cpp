#include "preparation/stage.hpp"

#include "contract/job.hpp"
#include "dispatch/job.hpp"
#include "kernel/job.hpp"
#include "memory/job.hpp"
#include "semantic/job.hpp"
#include "target/job.hpp"
#include "tensor/job.hpp"

namespace accy::preparation {

std::string_view to_string(Stage stage) { return stage_spec(stage).stage; }

const choir::StageSpec& stage_spec(Stage stage) {
  switch (stage) {
    case Stage::semantic: return semantic::SemanticStage::spec();
    case Stage::contract: return contract::ContractStage::spec();
    case Stage::tensor: return tensor::TensorStage::spec();
    case Stage::dispatch: return dispatch::DispatchStage::spec();
    case Stage::memory: return memory::MemoryStage::spec();
    case Stage::kernel: return kernel::KernelStage::spec();
    case Stage::target: return target::TargetStage::spec();
  }
  ACCY_ASSERT(false, "unknown stage");
  return semantic::SemanticStage::spec();
}

}  // namespace accy::preparation
