#include "memory/pipeline.hpp"

#include "memory/passes/pack_arena.hpp"
#include "memory/passes/plan_bufferization.hpp"

namespace accy::memory {

std::vector<choir::PassRegistration> memory_stages() {
  return {choir::registration(plan_bufferization_pass()), choir::registration(pack_arena_pass())};
}

choir::PipelineRegistration memory_pipeline_registration() {
  return {.name = memory_pipeline_name,
          .description = "Give every value a place in one arena plan",
          .plan = {{
              {"accy-choir-plan-bufferization"},  // values to blocks: then there is what to pack
              {"accy-choir-pack-arena"},          // asks liveness of the blocks it places
          }}};
}

}  // namespace accy::memory
