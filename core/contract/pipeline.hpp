// The contract pipeline.
#pragma once

#include "choir/pass.hpp"
#include "contract/passes/bind_dimensions.hpp"

namespace accy::contract {

choir::Pipeline contract_pipeline(DimensionBindings bindings);

}  // namespace accy::contract
