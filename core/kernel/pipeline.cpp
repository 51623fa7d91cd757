#include "kernel/pipeline.hpp"

#include "kernel/passes/deduplicate_kernels.hpp"
#include "kernel/passes/generate_kernels.hpp"
#include "kernel/passes/split_reductions.hpp"

namespace accy::kernel {

choir::Pipeline kernel_pipeline(TracedProfile& profile) {
  return {"accy-choir-kernel",
          {
              split_reductions_pass({}),  // on items, so that both halves are generated like any
              generate_kernels_pass(profile),
              deduplicate_kernels_pass(),  // behind all generators: equal programs of any items
          }};
}

}  // namespace accy::kernel
