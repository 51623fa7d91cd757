#include "target/pipeline.hpp"

#include "dialect/kernel/kernel.hpp"
#include "target/passes/emit_code.hpp"

namespace accy::target {

namespace {

using MakePass = choir::Pass (*)(const Backend*, const TargetProfile*);

choir::PassRegistration needing_backend(MakePass make, const Backend* backend,
                                        const TargetProfile* profile) {
  choir::PassRegistration made = choir::registration(make(backend, profile));
  made.build = [make, backend, profile,
                name = made.name](const choir::PassOptionValues&) -> Result<choir::Pass> {
    if (profile == nullptr)
      return fail(ErrorCode::invalid_input,
                  "pass '" + std::string(name) + "' needs a target profile");
    if (backend == nullptr)
      return fail(ErrorCode::invalid_input, "pass '" + std::string(name) + "' needs a backend");
    return make(backend, profile);
  };
  return made;
}

}  // namespace

std::vector<choir::PassRegistration> target_stages(const Backend* backend,
                                                   const TargetProfile* profile) {
  return {needing_backend(legalize_pass, backend, profile),
          needing_backend(emit_code_pass, backend, profile)};
}

choir::PipelineRegistration target_pipeline_registration() {
  // Nested: a kernel's code depends on that kernel alone, so that it is made once for equal ones
  // and kernels are made side by side.
  return {.name = target_pipeline_name,
          .description = "Turn each kernel program into validated target code",
          .plan = {{
              {"accy-choir-legalize", kernel::op::func},   // what the target lacks becomes what it
                                                           // has
              {"accy-choir-emit-code", kernel::op::func},  // validated at once
          }}};
}

}  // namespace accy::target
