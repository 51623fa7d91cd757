#include "choir/ir/suggestion.hpp"

#include <algorithm>
#include <numeric>

namespace accy::choir {

namespace {

/// Edits (insert, remove, replace a byte) that turn one text into the other.
std::size_t edit_distance(std::string_view from, std::string_view to) {
  std::vector<std::size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= from.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= to.size(); ++j) {
      const std::size_t replaced = diagonal + (from[i - 1] == to[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row[to.size()];
}

std::string_view behind_dot(std::string_view name) { return name.substr(name.rfind('.') + 1); }

}  // namespace

std::string suggest_operation(std::string_view name, const Registry& registry) {
  constexpr std::size_t longest = 64;  // a longer name is no misspelling, and costs its square
  if (name.size() > longest) return {};
  std::string_view best;
  std::size_t best_distance = std::min<std::size_t>(2, behind_dot(name).size() / 2) + 1;
  for (const OperationDefinition* definition : registry.operations()) {
    // The right operation without its dialect, or with a wrong one, counts as one edit.
    const bool same = behind_dot(definition->name) == behind_dot(name);
    const std::size_t distance = same ? 1 : edit_distance(name, definition->name);
    if (distance >= best_distance) continue;
    best = definition->name;
    best_distance = distance;
  }
  return best.empty() ? std::string() : "; did you mean '" + std::string(best) + "'?";
}

}  // namespace accy::choir
