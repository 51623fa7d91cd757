// form_regions: turns the tensor function into a host function with one work item an operation.
#pragma once

#include "choir/pass.hpp"

namespace accy::dispatch {

/// Movements (broadcast, reshape, transpose) and splat constants are copied into every item that
/// reads through them; other constants and weights stay in the host function. A movement that the
/// program returns becomes a view where it moves nothing, else a copy item. Every output gets
/// storage of its own: an input, a constant or a value returned twice is copied.
choir::Pass form_regions_pass();

}  // namespace accy::dispatch
