// What saturation knows of a node by itself: its cost, and whether it is constant.
#pragma once

#include "choir/egraph/egraph.hpp"

namespace accy::contract {

/// Bytes that the operation reads and writes, and an arithmetic operation for each step of each
/// element: 1, 16 where it costs many additions, 32 where it is composite, 2 for each product of a
/// matmul. Broadcasts, reshapes and slices are read through and count as 1, splats as nothing, what
/// constant folding will compute as 1.
std::uint64_t node_cost(const choir::EGraph& graph, choir::NodeId node);

/// The number or truth value of a splat; the word `constant` for other values that constant folding
/// will know; else null.
choir::Attribute node_constant(const choir::EGraph& graph, choir::NodeId node);

}  // namespace accy::contract
