// Our own rules about PTX text; ptxas is no part of accy, only of its tests.
#pragma once

#include "accy/result.hpp"
#include "profile/profile.hpp"
#include "target/backend.hpp"

namespace accy::cuda {

/// Checks emitted PTX: header (version within the profile, target, address size), the entry, an
/// explicit rounding on every float instruction that rounds, no flush to zero, an explicit state
/// space on every access. The error holds the line.
Status validate(const target::KernelCode& code, const TracedProfile& profile);

}  // namespace accy::cuda
