// loss lower: replaces losses by their expansions.
#pragma once

#include "choir/pass_registry.hpp"

namespace accy::tensor {

/// The result keeps its bits. What it leaves may hold composites of later passes.
choir::Pass lower_losses_pass();

}  // namespace accy::tensor
