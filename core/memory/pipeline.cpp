#include "memory/pipeline.hpp"

#include "memory/passes/pack_arena.hpp"
#include "memory/passes/plan_bufferization.hpp"

namespace accy::memory {

choir::Pipeline memory_pipeline() {
  return {"accy-choir-memory",
          {
              plan_bufferization_pass(),  // values to blocks, so that there is something to pack
              pack_arena_pass(),          // asks liveness of the blocks it places
          }};
}

}  // namespace accy::memory
