// activation lower: replaces composite operations by their expansions.
#pragma once

#include "choir/pass.hpp"

namespace accy::tensor {

/// relu, gelu, sigmoid, softmax and whatever else declares an expansion become primitive
/// operations; the expansion is the operation's meaning, so the result keeps its bits.
choir::Pass lower_activations_pass();

}  // namespace accy::tensor
