// The CUDA target's compiler half.
#pragma once

#include "target/backend.hpp"

namespace accy::cuda {

/// Profiles, legalization, PTX and its text rules. Static data.
const target::Backend& backend();

}  // namespace accy::cuda
