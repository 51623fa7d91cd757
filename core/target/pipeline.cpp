#include "target/pipeline.hpp"

#include "target/passes/emit_code.hpp"

namespace accy::target {

choir::Pipeline target_pipeline(const Backend& backend, const TargetProfile& profile) {
  return {"accy-choir-target",
          {
              legalize_pass(backend, profile),   // what the target lacks becomes what it has
              emit_code_pass(backend, profile),  // validated kernel by kernel
          }};
}

}  // namespace accy::target
