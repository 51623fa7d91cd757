// canonicalize: one form for equal graphs, by a table of exact rules, merging and erasing.
#pragma once

#include "choir/pass.hpp"

namespace accy::contract {

/// Applies the rules of canonicalize.cpp to a fixed point, merges equal pure operations and erases
/// unused ones. Every rule keeps the result's bits; none reassociates or rounds earlier.
choir::Pass canonicalize_pass();

}  // namespace accy::contract
