// The tensor stage: primitive tensor operations only.
#pragma once

#include "choir/job.hpp"
#include "contract/job.hpp"

namespace accy::tensor {

struct TensorStage {
  static const choir::StageSpec& spec();
};
using TensorJob = choir::Job<TensorStage>;

}  // namespace accy::tensor
