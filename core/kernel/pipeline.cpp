#include "kernel/pipeline.hpp"

#include "kernel/passes/deduplicate_kernels.hpp"
#include "kernel/passes/generate_kernels.hpp"
#include "kernel/passes/split_reductions.hpp"

namespace accy::kernel {

std::vector<choir::PassRegistration> kernel_stages(const TargetProfile* profile,
                                                   const ScheduleDecisions& decisions) {
  choir::PassRegistration generate = choir::registration(generate_kernels_pass(profile, decisions));
  generate.build = [profile, decisions](const choir::PassOptionValues&) -> Result<choir::Pass> {
    if (profile == nullptr)
      return fail(ErrorCode::invalid_input,
                  "pass 'accy-choir-generate-kernels' needs a target profile");
    return generate_kernels_pass(profile, decisions);
  };
  return {split_reductions_registration(), std::move(generate),
          choir::registration(deduplicate_kernels_pass())};
}

choir::PipelineRegistration kernel_pipeline_registration() {
  return {.name = kernel_pipeline_name,
          .description = "Write each work item's kernel programs and launches for a profile",
          .plan = {{
              {"accy-choir-split-reductions"},  // on items, so that both halves are generated alike
              {"accy-choir-generate-kernels"},
              {"accy-choir-deduplicate-kernels"},  // behind all generators: equal programs of any
                                                   // items
          }}};
}

}  // namespace accy::kernel
