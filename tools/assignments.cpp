#include "tools/assignments.hpp"

#include <charconv>

#include "support/checked.hpp"

namespace accy::tools {
namespace {

Result<std::int64_t> parse_dimension(const std::string& name, std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0 ||
      value > limits::dimension)
    return fail(ErrorCode::invalid_input, "dimension " + name + " (" + std::string(text) +
                                              ") is not an integer in 0 to " +
                                              std::to_string(limits::dimension));
  return value;
}

}  // namespace

Result<std::pair<std::string, std::string>> split_assignment(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == 0 || equals == std::string_view::npos || equals + 1 == text.size())
    return fail(ErrorCode::invalid_input,
                "argument (" + std::string(text) + ") is not of the form name=value");
  return std::pair(std::string(text.substr(0, equals)), std::string(text.substr(equals + 1)));
}

Result<std::map<std::string, std::int64_t>> parse_dimensions(
    const std::vector<std::string>& assignments) {
  std::map<std::string, std::int64_t> dimensions;
  for (const std::string& assignment : assignments) {
    ACCY_TRY_ASSIGN(const auto parts, split_assignment(assignment));
    ACCY_TRY_ASSIGN(const std::int64_t size, parse_dimension(parts.first, parts.second));
    if (!dimensions.emplace(parts.first, size).second)
      return fail(ErrorCode::invalid_input, "dimension " + parts.first + " is given twice");
  }
  return dimensions;
}

}  // namespace accy::tools
