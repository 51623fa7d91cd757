// Where two compiles part: the first decision that differs, and the input that made it differ.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "tools/explain.hpp"

namespace accy::tools {

/// What one side decided where the two part; nothing when it decided no more.
struct ExplainDifference {
  std::string first_name, second_name;           ///< "p.choir for cuda:sm_80"
  std::optional<choir::Decision> first, second;  ///< both empty: no decision differs
  std::vector<std::string>
      causes;  ///< differing operations of the programs, or fields that were read
};

ExplainDifference first_difference(const ExplainedCompile& first, const ExplainedCompile& second);

std::string to_text(const ExplainDifference& difference);
nlohmann::json to_document(const ExplainDifference& difference);

}  // namespace accy::tools
