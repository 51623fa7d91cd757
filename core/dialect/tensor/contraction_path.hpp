// In which order the operands of an einsum are contracted.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace accy::tensor {

/// A set of labels, one bit each.
using LabelSet = std::uint64_t;

struct ContractionProblem {
  std::vector<LabelSet> operands;
  LabelSet output = 0;
  std::span<const double> sizes;  ///< of each label
  int rank_maximum = 0;           ///< of what is between
};

/// The operands that each step contracts: places in the list of what is left, first below second.
/// Both go, and their result is added at the end.
using ContractionPath = std::vector<std::pair<std::size_t, std::size_t>>;

/// The first two, then the next one with what there is so far, and so on.
ContractionPath given_path(std::size_t operand_count);

/// A path of the fewest multiplications: the best of all for at most 8 operands (a table over their
/// subsets), else one that takes the cheapest step each time. Empty where every path would exceed
/// the rank, and for fewer than two operands. Deterministic.
ContractionPath best_path(const ContractionProblem& problem);

}  // namespace accy::tensor
