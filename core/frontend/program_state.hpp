// What an accy::Program holds.
#pragma once

#include "accy/program.hpp"
#include "semantic/job.hpp"

namespace accy {

struct Program::State {
  semantic::SemanticModule semantic;
};

}  // namespace accy
