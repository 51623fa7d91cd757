// The CUDA target's runtime half.
#pragma once

#include "runtime/adapter.hpp"

namespace accy::cuda {

/// The adapter over the installed driver; without one it lists why there is none. Static data.
const runtime::Adapter& adapter();

}  // namespace accy::cuda
