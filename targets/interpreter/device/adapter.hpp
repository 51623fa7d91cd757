// The interpreter adapter: what the runtime's registry names.
#pragma once

#include "runtime/adapter.hpp"

namespace accy::interpreter {

/// One device, "interpreter", always there: kernel programs run on the CPU with every check of
/// evaluate/kernel_interpreter.hpp.
const runtime::Adapter& adapter();

}  // namespace accy::interpreter
