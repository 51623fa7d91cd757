#include "dispatch/pipeline.hpp"

#include "dispatch/passes/form_regions.hpp"
#include "dispatch/passes/fuse_regions.hpp"
#include "dispatch/passes/plan_schedule.hpp"

namespace accy::dispatch {

std::vector<choir::PassRegistration> dispatch_stages() {
  return {choir::registration(form_regions_pass()), fuse_regions_registration(),
          choir::registration(plan_schedule_pass())};
}

choir::PipelineRegistration dispatch_pipeline_registration() {
  return {.name = dispatch_pipeline_name,
          .description = "Group operations into work items and order them",
          .plan = {{
              {"accy-choir-form-regions"},   // every operation an item: fusing is only merging
              {"accy-choir-fuse-regions"},   // before the order is numbered
              {"accy-choir-plan-schedule"},  // last: it numbers what is left
          }}};
}

}  // namespace accy::dispatch
