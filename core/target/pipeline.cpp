#include "target/pipeline.hpp"

#include "dialect/kernel/kernel.hpp"

namespace accy::target {

std::vector<choir::PassRegistration>
target_stages(const Backend* backend, const TargetProfile* profile, const EmitOptions& options) {
  return {legalize_registration(backend, profile),
          emit_code_registration(backend, profile, options)};
}

choir::PipelineRegistration target_pipeline_registration() {
  // Nested: a kernel's code depends on that kernel alone, so that it is made once for equal ones
  // and kernels are made side by side.
  return {
      .name = target_pipeline_name,
      .description = "Turn each kernel program into target code",
      .plan = {{
          {"accy-choir-legalize", kernel::op::func},  // what the target lacks becomes what it has
          {"accy-choir-emit-code", kernel::op::func},
      }}};
}

}  // namespace accy::target
