// The assignments on the command line: name=value.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "accy/result.hpp"

namespace accy::tools {

/// "name=value" with both parts not empty; split at the first '='.
Result<std::pair<std::string, std::string>> split_assignment(std::string_view text);

/// Sizes of named dimensions from "n=16" texts; a name given twice is an error.
Result<std::map<std::string, std::int64_t>> parse_dimensions(
    const std::vector<std::string>& assignments);

}  // namespace accy::tools
