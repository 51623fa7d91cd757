// Extraction: the cheapest program that an EGraph holds, where what several users share counts
// once.
//
// The cost of a choice is that of the graph it makes, not of a tree. The least one is NP-hard to
// find. Here every class learns, bottom up and until nothing gets cheaper, the set of classes that
// its best node so far stands on; a node's cost is the sum over the union of its operands' sets.
// What a class knows of another may be older than what that one has chosen since, so the sums are
// estimates. The result is therefore measured, classes that differ from the program are set back
// to it where that is no worse, and the caller compares what is left with the program_cost().
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "choir/egraph/egraph.hpp"

namespace accy::choir {

/// The cost of a node by itself; at least 1, and less than 2^40.
using NodeCost = std::uint64_t (*)(const EGraph& graph, NodeId node);

struct Extraction {
  /// By class: the node that stands for it; none where nothing of finite cost does.
  std::vector<NodeId> choice;
  std::uint64_t cost = 0;  ///< of what the roots reach
};

/// Nodes that no rule made are the program's, and preferred among equally cheap ones. They must
/// have been added first, operands before users.
Extraction extract(const EGraph& graph, std::span<const ClassId> roots, NodeCost cost);

/// The cost of a graph whose reached classes have one node each: of a program, before any rule.
std::uint64_t program_cost(const EGraph& graph, std::span<const ClassId> roots, NodeCost cost);

}  // namespace accy::choir
