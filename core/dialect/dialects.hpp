// The registry of every dialect of accy.
#pragma once

#include "choir/definition.hpp"

namespace accy {

/// All operations and types; built on first use, immutable, shared by threads.
const choir::Registry& registry();

}  // namespace accy
