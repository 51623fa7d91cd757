// bind_dimensions: replaces every named dimension by a size.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "choir/pass_registry.hpp"

namespace accy::contract {

/// Sizes by symbol. A symbol without a size here takes the `default` of the module's `dimensions`
/// attribute; one that has neither is an error, as is a size outside `minimum` to `maximum`.
using DimensionBindings = std::map<std::string, std::int64_t>;

choir::Pass bind_dimensions_pass(DimensionBindings bindings);
/// Option `sizes`, as "m=4 n=16"; `bindings` are its default.
choir::PassRegistration bind_dimensions_registration(const DimensionBindings& bindings);

}  // namespace accy::contract
