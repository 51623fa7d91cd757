// The dispatch pipeline.
#pragma once

#include "choir/pass.hpp"

namespace accy::dispatch {

choir::Pipeline dispatch_pipeline();

}  // namespace accy::dispatch
