// Memory limits: whether a plan's buffers fit what a profile allows.
#pragma once

#include "choir/operation.hpp"
#include "profile/profile.hpp"

namespace accy::kernel {

/// Inputs, outputs, arena, constants and workspace of a memory-stage host.func against
/// allocation_bytes_maximum, and every block against buffer_bytes_maximum. The error has the
/// block's place, its bytes and the limit.
Status check_memory_limits(const choir::Operation& function, const TracedProfile& profile);

}  // namespace accy::kernel
