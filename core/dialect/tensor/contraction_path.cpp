#include "dialect/tensor/contraction_path.hpp"

#include <bit>
#include <limits>

namespace accy::tensor {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::size_t exhaustive_maximum = 8;

double volume(const ContractionProblem& problem, LabelSet labels) {
  double count = 1;
  for (; labels != 0; labels &= labels - 1)
    count *= problem.sizes[static_cast<std::size_t>(std::countr_zero(labels))];
  return count;
}

/// Every subset of the operands with the cheapest way to contract it.
class SubsetTable {
 public:
  explicit SubsetTable(const ContractionProblem& problem)
      : problem_(problem), entries_(std::size_t{1} << problem.operands.size()) {
    for (std::size_t subset = 1; subset < entries_.size(); ++subset) fill(subset);
  }

  ContractionPath path() const {
    ContractionPath path;
    const std::size_t whole = entries_.size() - 1;
    if (entries_[whole].cost == infinity) return path;
    std::vector<std::size_t> left;
    for (std::size_t operand = 0; operand < problem_.operands.size(); ++operand)
      left.push_back(std::size_t{1} << operand);
    write(whole, left, path);
    return path;
  }

 private:
  struct Entry {
    double cost = infinity;
    std::size_t part = 0;  ///< one of the two subsets that make it; 0 for a single operand
    LabelSet labels = 0;   ///< of its result
  };

  void fill(std::size_t subset) {
    Entry& entry = entries_[subset];
    LabelSet inside = 0;
    LabelSet outside = problem_.output;
    for (std::size_t operand = 0; operand < problem_.operands.size(); ++operand)
      ((subset >> operand & 1) != 0 ? inside : outside) |= problem_.operands[operand];
    entry.labels = inside & outside;
    if (std::has_single_bit(subset)) {
      entry.cost = 0;
      return;
    }
    if (std::popcount(entry.labels) > problem_.rank_maximum) return;
    // Each pair of parts once: the one that holds the lowest operand.
    const std::size_t lowest = subset & (~subset + 1);
    for (std::size_t part = (subset - 1) & subset; part != 0; part = (part - 1) & subset) {
      if ((part & lowest) == 0) continue;
      const Entry& a = entries_[part];
      const Entry& b = entries_[subset ^ part];
      const double cost = a.cost + b.cost + volume(problem_, a.labels | b.labels);
      if (cost < entry.cost) {
        entry.cost = cost;
        entry.part = part;
      }
    }
  }

  /// Contracts the parts of a subset first; `left` is what is there so far.
  void write(std::size_t subset, std::vector<std::size_t>& left, ContractionPath& path) const {
    const std::size_t part = entries_[subset].part;
    if (part == 0) return;
    write(part, left, path);
    write(subset ^ part, left, path);
    std::vector<std::size_t> places;
    for (std::size_t place = 0; place < left.size(); ++place)
      if (left[place] == part || left[place] == (subset ^ part)) places.push_back(place);
    path.emplace_back(places[0], places[1]);
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(places[1]));
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(places[0]));
    left.push_back(subset);
  }

  const ContractionProblem& problem_;
  std::vector<Entry> entries_;
};

struct Step {
  double cost = infinity;
  std::size_t first = 0;
  std::size_t second = 0;
  LabelSet labels = 0;
};

Step cheapest_step(const ContractionProblem& problem, std::span<const LabelSet> left) {
  Step best;
  for (std::size_t first = 0; first < left.size(); ++first) {
    for (std::size_t second = first + 1; second < left.size(); ++second) {
      LabelSet needed = problem.output;
      for (std::size_t other = 0; other < left.size(); ++other)
        if (other != first && other != second) needed |= left[other];
      const LabelSet both = left[first] | left[second];
      const double cost = volume(problem, both);
      if (cost >= best.cost || std::popcount(both & needed) > problem.rank_maximum) continue;
      best = {cost, first, second, both & needed};
    }
  }
  return best;
}

ContractionPath greedy_path(const ContractionProblem& problem) {
  ContractionPath path;
  std::vector<LabelSet> left = problem.operands;
  while (left.size() > 1) {
    const Step step = cheapest_step(problem, left);
    if (step.cost == infinity) return {};
    path.emplace_back(step.first, step.second);
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(step.second));
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(step.first));
    left.push_back(step.labels);
  }
  return path;
}

}  // namespace

ContractionPath given_path(std::size_t operand_count) {
  ContractionPath path;
  // The result of the first two is the last of the list.
  for (std::size_t left = operand_count; left > 1; --left)
    path.emplace_back(0, left == operand_count ? 1 : left - 1);
  return path;
}

ContractionPath best_path(const ContractionProblem& problem) {
  if (problem.operands.size() < 2) return {};
  if (problem.operands.size() > exhaustive_maximum) return greedy_path(problem);
  return SubsetTable(problem).path();
}

}  // namespace accy::tensor
