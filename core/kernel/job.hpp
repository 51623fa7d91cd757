// The kernel stage: for each work item its launches, kernel programs and geometry, for one profile.
#pragma once

#include "choir/job.hpp"
#include "memory/job.hpp"

namespace accy::kernel {

struct KernelStage {
  static const choir::StageSpec& spec();
};
using KernelJob = choir::Job<KernelStage>;

}  // namespace accy::kernel
