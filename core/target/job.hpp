// The target stage: target code for every kernel.
#pragma once

#include "choir/job.hpp"
#include "kernel/job.hpp"

namespace accy::target {

struct TargetStage {
  static const choir::StageSpec& spec();
};
using TargetJob = choir::Job<TargetStage>;

}  // namespace accy::target
