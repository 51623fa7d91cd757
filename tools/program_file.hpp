// Program files and the assignments on the command line.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "semantic/job.hpp"

namespace accy::tools {

/// Reads and seals a program text of at most 64 MiB.
Result<semantic::SemanticModule> read_program(const std::filesystem::path& path);

/// "name=value" with both parts not empty; split at the first '='.
Result<std::pair<std::string, std::string>> split_assignment(std::string_view text);

/// Sizes of named dimensions from "n=16" texts; a name given twice is an error.
Result<std::map<std::string, std::int64_t>> parse_dimensions(
    const std::vector<std::string>& assignments);

}  // namespace accy::tools
