// Finds the diagnostics that sources can produce, for the test that each has a test.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace accy::test {

/// One call that makes a diagnostic. `pieces` are the fixed parts of its string literals: what
/// stands between the values, without spaces and punctuation at its ends, from 8 characters on.
struct SourceMessage {
  std::size_t line = 0;  ///< from 1
  std::vector<std::string> pieces;
};

/// Calls of fail, invalid, report, require and their like that hold a piece.
std::vector<SourceMessage> source_messages(std::string_view source);

/// The content of every string literal of a source, joined as the compiler joins them.
std::vector<std::string> string_literals(std::string_view source);

}  // namespace accy::test
