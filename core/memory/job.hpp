// The memory stage: every value has a place; one arena plan, with no profile read.
#pragma once

#include "choir/job.hpp"
#include "dispatch/job.hpp"

namespace accy::memory {

struct MemoryStage {
  static const choir::StageSpec& spec();
};
using MemoryJob = choir::Job<MemoryStage>;

}  // namespace accy::memory
