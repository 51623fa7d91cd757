// The memory pipeline.
#pragma once

#include "choir/pass.hpp"

namespace accy::memory {

choir::Pipeline memory_pipeline();

}  // namespace accy::memory
