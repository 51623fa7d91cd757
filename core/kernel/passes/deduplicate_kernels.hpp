// deduplicate_kernels: one kernel for launches of equal programs.
#pragma once

#include "choir/pass.hpp"

namespace accy::kernel {

/// Names every kernel `kind_digest` by its content, so that equal programs become one and a kernel
/// keeps its name whatever stands around it.
choir::Pass deduplicate_kernels_pass();

}  // namespace accy::kernel
