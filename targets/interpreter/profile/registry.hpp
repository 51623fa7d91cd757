// The registry that this target's code is read with: the kernel dialect alone.
#pragma once

#include "choir/definition.hpp"

namespace accy::interpreter {

/// Built once, immutable.
const choir::Registry& kernel_registry();

}  // namespace accy::interpreter
