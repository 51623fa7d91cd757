// Einsum against direct index sums, and the paths of contractions.
#include <algorithm>
#include <array>
#include <random>

#include "dialect/tensor/contraction_path.hpp"
#include "tests/support/tensor_evaluator_fixture.hpp"

namespace accy {
namespace {

using evaluate::make;
using Random = std::mt19937;

std::size_t below(Random& random, std::size_t limit) { return random() % limit; }

/// An equation of letters a to f, whose sizes are 1 to 3, and of an ellipsis of one axis, '.'.
struct Equation {
  std::vector<std::string> terms;
  std::string output;
  std::array<std::int64_t, 7> sizes{};  ///< of the letters, then of the ellipsis

  std::int64_t size(char label) const {
    return sizes[label == '.' ? 6 : static_cast<std::size_t>(label - 'a')];
  }
  std::string text() const {
    std::string text;
    for (const std::string& term : terms) text += spelled(term) + ",";
    text.pop_back();
    return text + " -> " + spelled(output);
  }

 private:
  static std::string spelled(const std::string& term) {
    std::string text;
    for (char label : term) text += label == '.' ? std::string("...") : std::string(1, label);
    return text;
  }
};

Equation random_equation(Random& random) {
  Equation equation;
  for (std::int64_t& size : equation.sizes) size = 1 + static_cast<std::int64_t>(below(random, 3));
  std::string used;
  const std::size_t terms = 1 + below(random, 4);
  for (std::size_t term = 0; term < terms; ++term) {
    std::string labels;
    const std::size_t rank = below(random, 4);
    for (std::size_t axis = 0; axis < rank; ++axis)
      labels += static_cast<char>('a' + below(random, 6));
    if (below(random, 4) == 0)
      labels.insert(labels.begin() + static_cast<std::ptrdiff_t>(below(random, labels.size() + 1)),
                    '.');
    used += labels;
    equation.terms.push_back(labels);
  }
  std::ranges::sort(used);
  used.erase(std::unique(used.begin(), used.end()), used.end());
  std::shuffle(used.begin(), used.end(), random);
  for (char label : used)
    if (label == '.' || below(random, 2) == 0) equation.output += label;
  return equation;
}

/// Operands of small numbers. An ellipsis axis may have size 1 instead of its own.
std::vector<HostTensor> random_operands(Random& random, const Equation& equation) {
  std::vector<HostTensor> operands;
  for (const std::string& term : equation.terms) {
    std::vector<std::int64_t> shape;
    std::int64_t count = 1;
    for (char label : term) {
      const bool repeats = label == '.' && below(random, 2) == 0;
      shape.push_back(repeats ? 1 : equation.size(label));
      count *= shape.back();
    }
    std::vector<double> values;
    for (std::int64_t index = 0; index < count; ++index)
      values.push_back(static_cast<double>(below(random, 9)) - 4);
    operands.push_back(make(ElementType::i64, shape, values));
  }
  return operands;
}

/// The element of an operand where each label has this index.
std::int64_t element(const HostTensor& operand, const std::string& term,
                     const std::array<std::int64_t, 7>& at) {
  std::int64_t offset = 0;
  for (std::size_t axis = 0; axis < term.size(); ++axis) {
    const std::int64_t index =
        at[term[axis] == '.' ? 6 : static_cast<std::size_t>(term[axis] - 'a')];
    offset = offset * operand.shape[axis] + (operand.shape[axis] == 1 ? 0 : index);
  }
  return static_cast<std::int64_t>(operand.at(offset));
}

/// Adds up the product over all indices of all labels that the equation uses.
std::vector<double> direct_sum(const Equation& equation, std::span<const HostTensor> operands,
                               std::int64_t ellipsis_size) {
  std::array<std::int64_t, 7> limits{1, 1, 1, 1, 1, 1, 1};
  for (const std::string& term : equation.terms)
    for (char label : term)
      limits[label == '.' ? 6 : static_cast<std::size_t>(label - 'a')] =
          label == '.' ? ellipsis_size : equation.size(label);
  const auto place = [&](char label) {
    return label == '.' ? std::size_t{6} : static_cast<std::size_t>(label - 'a');
  };
  std::int64_t results = 1;
  for (char label : equation.output) results *= limits[place(label)];
  std::vector<double> sums(static_cast<std::size_t>(results), 0);
  std::array<std::int64_t, 7> at{};
  for (bool more = true; more;) {
    std::int64_t product = 1;
    for (std::size_t index = 0; index < operands.size(); ++index)
      product *= element(operands[index], equation.terms[index], at);
    std::int64_t offset = 0;
    for (char label : equation.output) offset = offset * limits[place(label)] + at[place(label)];
    sums[static_cast<std::size_t>(offset)] += static_cast<double>(product);
    more = false;
    for (std::size_t label = 0; label < at.size() && !more; ++label) {
      more = ++at[label] < limits[label];
      if (!more) at[label] = 0;
    }
  }
  return sums;
}

TEST(Einsum, AgreesWithDirectSumsOnRandomEquations) {
  Random random(20261207);
  for (int round = 0; round < 10'000; ++round) {
    const Equation equation = random_equation(random);
    const std::vector<HostTensor> operands = random_operands(random, equation);
    std::int64_t ellipsis_size = 1;
    std::string names;
    for (std::size_t index = 0; index < operands.size(); ++index) {
      names += std::string(index == 0 ? "%" : ", %") + static_cast<char>('a' + index);
      const std::size_t axis = equation.terms[index].find('.');
      if (axis != std::string::npos)
        ellipsis_size = std::max(ellipsis_size, operands[index].shape[axis]);
    }
    const std::string path = below(random, 2) == 0 ? "" : ", path = given";
    const HostTensor found =
        evaluate::run(operands, "%r = tensor.einsum " + names + " {equation = \"" +
                                    equation.text() + "\"" + path + "}");
    ASSERT_EQ(evaluate::values_of(found), direct_sum(equation, operands, ellipsis_size))
        << equation.text() << path << ", round " << round;
  }
}

using tensor::ContractionPath;
using tensor::ContractionProblem;
using tensor::LabelSet;

/// The multiplications of a path.
double cost_of(const ContractionProblem& problem, const ContractionPath& path) {
  std::vector<LabelSet> left = problem.operands;
  double cost = 0;
  for (const auto& [first, second] : path) {
    const LabelSet both = left[first] | left[second];
    double count = 1;
    for (std::size_t label = 0; label < problem.sizes.size(); ++label)
      if ((both >> label & 1) != 0) count *= problem.sizes[label];
    cost += count;
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(second));
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(first));
    LabelSet needed = problem.output;
    for (LabelSet other : left) needed |= other;
    left.push_back(both & needed);
  }
  return cost;
}

/// The least cost of all paths.
double least_cost(const ContractionProblem& problem, ContractionPath& path, std::size_t left) {
  if (left < 2) return cost_of(problem, path);
  double least = HUGE_VAL;
  for (std::size_t first = 0; first < left; ++first) {
    for (std::size_t second = first + 1; second < left; ++second) {
      path.emplace_back(first, second);
      least = std::min(least, least_cost(problem, path, left - 1));
      path.pop_back();
    }
  }
  return least;
}

/// Labels of one operand only have been summed over before operands are contracted.
void drop_lonely_labels(ContractionProblem& problem) {
  for (std::size_t index = 0; index < problem.operands.size(); ++index) {
    LabelSet needed = problem.output;
    for (std::size_t other = 0; other < problem.operands.size(); ++other)
      if (other != index) needed |= problem.operands[other];
    problem.operands[index] &= needed;
  }
}

TEST(ContractionPaths, AreTheBestOfAll) {
  Random random(7);
  for (int round = 0; round < 300; ++round) {
    std::array<double, 6> sizes{};
    for (double& size : sizes) size = 1 + static_cast<double>(below(random, 9));
    ContractionProblem problem{
        .operands = {}, .output = random() % 64, .sizes = sizes, .rank_maximum = 8};
    const std::size_t count = 2 + below(random, 4);
    for (std::size_t operand = 0; operand < count; ++operand)
      problem.operands.push_back(random() % 64);
    drop_lonely_labels(problem);
    const ContractionPath path = tensor::best_path(problem);
    ASSERT_EQ(path.size(), count - 1);
    ContractionPath tried;
    EXPECT_EQ(cost_of(problem, path), least_cost(problem, tried, count)) << "round " << round;
    EXPECT_LE(cost_of(problem, path), cost_of(problem, tensor::given_path(count)));
  }
}

TEST(ContractionPaths, KeepTheRankAndHandleMany) {
  const std::array<double, 12> sizes{2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2};
  // The outer product of the first two would have 6 axes.
  const ContractionProblem narrow{
      .operands = {0b000111, 0b111000, 0b001001}, .output = 0, .sizes = sizes, .rank_maximum = 3};
  const ContractionPath path = tensor::best_path(narrow);
  ASSERT_EQ(path.size(), 2U);
  EXPECT_NE(path[0], (std::pair<std::size_t, std::size_t>{0, 1}));
  const ContractionProblem wide{
      .operands = {0b0111, 0b1110}, .output = 0b1111, .sizes = sizes, .rank_maximum = 3};
  EXPECT_TRUE(tensor::best_path(wide).empty());
  ContractionProblem chain{.operands = {}, .output = 1, .sizes = sizes, .rank_maximum = 8};
  for (unsigned place = 0; place + 1 < sizes.size(); ++place)
    chain.operands.push_back(LabelSet{3} << place);
  EXPECT_EQ(tensor::best_path(chain).size(), 10U);
  EXPECT_EQ(tensor::given_path(4), (ContractionPath{{0, 1}, {0, 2}, {0, 1}}));
  EXPECT_TRUE(tensor::best_path({.operands = {1}, .output = 1, .sizes = sizes}).empty());
}

}  // namespace
}  // namespace accy
