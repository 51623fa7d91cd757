// The time to order the contractions of an einsum.
#include <algorithm>
#include <limits>
#include <random>
#include <vector>

#include "dialect/tensor/contraction_path.hpp"
#include "tests/bench/bench.hpp"

namespace accy::bench {

namespace {

/// Operands of four labels each out of twelve, of sizes 2 to 65.
std::vector<tensor::LabelSet> random_operands(std::size_t count, std::mt19937& random) {
  std::vector<tensor::LabelSet> operands;
  for (std::size_t operand = 0; operand < count; ++operand) {
    tensor::LabelSet labels = 0;
    for (int label = 0; label < 4; ++label) labels |= tensor::LabelSet{1} << random() % 12;
    operands.push_back(labels);
  }
  return operands;
}

}  // namespace

nlohmann::json measure_einsum(const Options& options) {
  nlohmann::json rows = nlohmann::json::array();
  std::mt19937 random(12);
  std::vector<double> sizes;
  for (int label = 0; label < 12; ++label) sizes.push_back(2 + static_cast<double>(random() % 64));
  for (const std::size_t count : {2U, 4U, 8U, 16U, 32U}) {
    const tensor::ContractionProblem problem{
        .operands = random_operands(count, random), .output = 3, .sizes = sizes, .rank_maximum = 8};
    std::int64_t best = std::numeric_limits<std::int64_t>::max();
    std::size_t steps = 0;
    for (std::size_t round = 0; round < options.rounds; ++round) {
      const std::int64_t start = now(options.wall);
      steps = tensor::best_path(problem).size();
      best = std::min(best, now(options.wall) - start);
    }
    rows.push_back({{"operands", count}, {"steps", steps}, {"time_ns", best}});
  }
  return rows;
}

}  // namespace accy::bench
