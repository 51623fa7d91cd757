#include "dispatch/pipeline.hpp"

#include "dispatch/passes/form_regions.hpp"
#include "dispatch/passes/fuse_regions.hpp"
#include "dispatch/passes/plan_schedule.hpp"

namespace accy::dispatch {

choir::Pipeline dispatch_pipeline() {
  return {"accy-choir-dispatch",
          {
              form_regions_pass(),      // every operation an item, so that fusing is only merging
              fuse_regions_pass({}),    // before the order is numbered
              plan_schedule_pass(),     // last: it numbers what is left
          }};
}

}  // namespace accy::dispatch
