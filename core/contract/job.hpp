// The contract stage: the normalized graph that every backend accepts, all sizes and the numeric
// contract of every reduction spelled out.
#pragma once

#include "choir/job.hpp"
#include "semantic/job.hpp"

namespace accy::contract {

struct ContractStage {
  static const choir::StageSpec& spec();
};
using ContractJob = choir::Job<ContractStage>;

}  // namespace accy::contract
