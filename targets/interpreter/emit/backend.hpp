// The interpreter target's compiler half: its code is the kernel program's own text.
#pragma once

#include "target/backend.hpp"

namespace accy::interpreter {

/// Profiles, no legalization, text, and the verifier. Static data.
const target::Backend& backend();

}  // namespace accy::interpreter
