// The passes of the target stage: legalize every kernel for a profile, emit its code, validate it.
// Backend and profile must outlive them; what they read of it is among the run's facts.
#pragma once

#include "choir/pass.hpp"
#include "target/backend.hpp"

namespace accy::target {

/// Rewrites every kernel.func into what the backend emits for the profile.
choir::Pass legalize_pass(const Backend* backend, const TargetProfile* profile);

/// Replaces every kernel.func by a target.code; each is validated before it is written.
choir::Pass emit_code_pass(const Backend* backend, const TargetProfile* profile);

}  // namespace accy::target
