// Reading untrusted JSON: size, nesting and duplicate keys are checked, and failures are Errors.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "accy/result.hpp"
#include "support/checked.hpp"

namespace accy {

/// What a JSON text may be before it is refused.
struct JsonLimits {
  std::size_t bytes = std::size_t{1} << 20;
  std::size_t nesting = limits::nesting;  ///< arrays and objects inside each other
};

/// Parses one JSON value that fills the whole text. Refuses what exceeds the limits, an object key
/// given twice, and a number outside binary64; the error has `file`, line and column.
Result<nlohmann::json> parse_json(std::string_view text, std::string_view file,
                                  JsonLimits limits = {});

/// Canonical text: keys sorted, two-space indentation, no newline at the end. Bytes that are not
/// UTF-8 become U+FFFD.
std::string format_json(const nlohmann::json& value);

/// The value on one line, cut after about 60 bytes: for error messages.
std::string abbreviate_json(const nlohmann::json& value);

/// Text of a file for an error message: quoted, escaped, cut after about 60 bytes.
std::string quote_for_message(std::string_view text);

}  // namespace accy
