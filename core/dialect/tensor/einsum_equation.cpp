#include "dialect/tensor/einsum_equation.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "dialect/tensor/checks.hpp"

namespace accy::tensor {

namespace {

constexpr std::size_t label_count = einsum_letters + 8;

/// One term: its letters, and how many of them stand in front of an ellipsis.
struct Term {
  std::string text;
  std::string letters;
  std::optional<std::size_t> ellipsis;
};

EinsumLabel label_of(char letter) {
  return static_cast<EinsumLabel>(letter >= 'a' ? letter - 'a' : letter - 'A' + 26);
}

Result<Term> read_term(std::string_view text) {
  Term term{.text = std::string(text), .letters = {}, .ellipsis = {}};
  for (std::size_t index = 0; index < text.size(); ++index) {
    const char character = text[index];
    if ((character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z')) {
      term.letters.push_back(character);
    } else if (text.substr(index, 3) == "...") {
      if (term.ellipsis) return invalid("term (" + term.text + ") has two ellipses");
      term.ellipsis = term.letters.size();
      index += 2;
    } else {
      return invalid("equation holds (" + std::string(1, character) +
                     "), expected letters, commas, an ellipsis or an arrow");
    }
  }
  return term;
}

/// The labels of a term, its ellipsis standing for so many axes.
std::vector<EinsumLabel> labels_of(const Term& term, std::size_t ellipsis_axes) {
  std::vector<EinsumLabel> labels;
  for (char letter : term.letters) labels.push_back(label_of(letter));
  std::vector<EinsumLabel> hidden;
  for (std::size_t axis = ellipsis_axes; axis > 0; --axis)
    hidden.push_back(static_cast<EinsumLabel>(einsum_letters + axis - 1));
  labels.insert(labels.begin() + static_cast<std::ptrdiff_t>(term.ellipsis.value_or(0)),
                hidden.begin(), hidden.end());
  return labels;
}

Result<std::vector<EinsumLabel>> operand_labels(const Term& term, std::size_t rank) {
  const std::size_t count = term.letters.size();
  if (term.ellipsis ? rank < count : rank != count)
    return invalid("term (" + term.text + ") has " + std::to_string(count) +
                   " letters for an operand of rank " + std::to_string(rank));
  return labels_of(term, rank - count);
}

/// How many axes the widest ellipsis stands for.
std::size_t ellipsis_axes(const EinsumEquation& equation) {
  std::size_t axes = 0;
  for (const auto& labels : equation.operands)
    for (EinsumLabel label : labels)
      if (label >= einsum_letters) axes = std::max<std::size_t>(axes, label - einsum_letters + 1U);
  return axes;
}

std::array<int, label_count> count_labels(const EinsumEquation& equation) {
  std::array<int, label_count> counts{};
  for (const auto& labels : equation.operands)
    for (EinsumLabel label : labels) ++counts[label];
  return counts;
}

Result<std::vector<EinsumLabel>> explicit_output(const EinsumEquation& equation,
                                                 std::string_view text) {
  ACCY_TRY_ASSIGN(const Term term, read_term(text));
  const auto counts = count_labels(equation);
  std::array<bool, label_count> seen{};
  for (char letter : term.letters) {
    const EinsumLabel label = label_of(letter);
    const std::string name(1, letter);
    if (counts[label] == 0) return invalid("output names (" + name + "), which no term has");
    if (seen[label]) return invalid("output names (" + name + ") twice");
    seen[label] = true;
  }
  const std::size_t hidden = ellipsis_axes(equation);
  if (hidden > 0 && !term.ellipsis)
    return invalid("output (" + term.text + ") lacks the ellipsis of the terms");
  return labels_of(term, hidden);
}

std::vector<EinsumLabel> implicit_output(const EinsumEquation& equation) {
  const auto counts = count_labels(equation);
  Term term{.text = {}, .letters = {}, .ellipsis = 0};
  for (char letter = 'A'; letter <= 'z'; ++letter) {
    const bool is_letter = letter <= 'Z' || letter >= 'a';
    if (is_letter && counts[label_of(letter)] == 1) term.letters.push_back(letter);
  }
  return labels_of(term, ellipsis_axes(equation));
}

}  // namespace

Result<EinsumEquation> read_einsum_equation(std::string_view given,
                                            std::span<const std::size_t> ranks) {
  std::string text(given);
  std::erase(text, ' ');
  const std::size_t arrow = text.find("->");
  const std::string terms = text.substr(0, arrow);
  EinsumEquation equation;
  const auto term_count = static_cast<std::size_t>(std::ranges::count(terms, ',')) + 1;
  if (term_count != ranks.size())
    return invalid("equation has " + std::to_string(term_count) + " terms for " +
                   std::to_string(ranks.size()) + " operands");
  std::size_t start = 0;
  for (std::size_t rank : ranks) {
    const std::size_t end = std::min(terms.find(',', start), terms.size());
    ACCY_TRY_ASSIGN(const Term term, read_term(std::string_view(terms).substr(start, end - start)));
    ACCY_TRY_ASSIGN(auto labels, operand_labels(term, rank));
    equation.operands.push_back(std::move(labels));
    start = end + 1;
  }
  if (arrow == std::string::npos) {
    equation.output = implicit_output(equation);
  } else {
    ACCY_TRY_ASSIGN(equation.output,
                    explicit_output(equation, std::string_view(text).substr(arrow + 2)));
  }
  return equation;
}

Result<std::vector<Dimension>> einsum_sizes(const EinsumEquation& equation,
                                            std::span<const TensorType> operands) {
  constexpr Dimension one{1, {}};
  std::vector<std::optional<Dimension>> found(label_count);
  for (std::size_t index = 0; index < operands.size(); ++index) {
    for (std::size_t axis = 0; axis < operands[index].rank(); ++axis) {
      const EinsumLabel label = equation.operands[index][axis];
      const Dimension size = operands[index].dimension(axis);
      std::optional<Dimension>& known = found[label];
      const bool repeats = label >= einsum_letters && size == one;
      if (!known || (label >= einsum_letters && *known == one)) known = size;
      if (*known != size && !repeats)
        return invalid("axis " + std::to_string(axis) + " of operand " + std::to_string(index) +
                       " has the size (" + size.to_string() + "), expected (" + known->to_string() +
                       ")");
    }
  }
  std::vector<Dimension> sizes;
  for (const auto& size : found) sizes.push_back(size.value_or(one));
  return sizes;
}

}  // namespace accy::tensor
