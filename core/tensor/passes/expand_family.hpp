// What the passes that lower composite operations share.
#pragma once

#include <functional>
#include <string>

#include "choir/pass_manager.hpp"
#include "dialect/tensor/interfaces.hpp"

namespace accy::tensor {

/// Replaces every operation of the family, and what its expansion uses of the family, by primitive
/// operations and those of other families. `prepare` may change an operation before and tells what
/// it chose, for the log, or nothing.
Result<choir::PassChange> expand_family(
    choir::PassContext& context, Family family,
    const std::function<std::string(choir::Operation&)>& prepare = {});

}  // namespace accy::tensor
