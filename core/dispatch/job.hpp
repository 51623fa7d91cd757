// The dispatch stage: one host function over work items in value form.
#pragma once

#include "choir/job.hpp"
#include "tensor/job.hpp"

namespace accy::dispatch {

struct DispatchStage {
  static const choir::StageSpec& spec();
};
using DispatchJob = choir::Job<DispatchStage>;

}  // namespace accy::dispatch
