// indexing lower: replaces roll, tile and one-hot by their expansions.
#pragma once

#include "choir/pass_registry.hpp"

namespace accy::tensor {

/// The result keeps its bits. What it leaves may hold composites of later passes.
choir::Pass lower_indexing_pass();

}  // namespace accy::tensor
