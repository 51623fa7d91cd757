// A case file: a program, what to do with it, and what must come out (docs/testing.md).
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "accy/result.hpp"

namespace accy::test {

/// `// error: text`: one error of that line (from 1) whose message holds the text.
struct ExpectedError {
  std::uint32_t line = 0;
  std::string text;
};

/// The numbers of one tensor as written, brackets and commas dropped.
struct NamedNumbers {
  std::string name;
  std::vector<std::string> numbers;
};

/// `// run: a=[1, 2] b=3 -> y=[4, 5] ~ 1e-6`; without `~` every bit counts.
struct RunLine {
  std::uint32_t line = 0;
  std::vector<NamedNumbers> inputs;
  std::vector<NamedNumbers> outputs;
  std::optional<double> tolerance;  ///< of |actual - expected| over max(1, |expected|)
};

struct CaseFile {
  std::filesystem::path path;
  std::string input;  ///< all in front of `// ----`, comments included: its lines are the file's
  std::string action;                          ///< "pass", "stages", ...
  std::vector<std::string> arguments;          ///< the words behind it
  std::map<std::string, std::string> options;  ///< key=value words: profile, dimensions
  std::vector<ExpectedError> errors;
  std::vector<RunLine> runs;
  std::optional<std::string> expected;  ///< all behind `// ----`
};

/// Reads and splits a file. Errors: no `// test:` line, or a line of these that is malformed.
Result<CaseFile> read_case_file(const std::filesystem::path& path);

/// Writes the file again with that output as the expected one.
Status bless(const CaseFile& file, std::string_view output);

/// What differs, for people; empty when the output is as expected. The expected text counts whole,
/// unless it has `// match:` lines (parts of the output, in order) or `// match-not:` lines (texts
/// that are no part of it).
std::string compare_output(std::string_view expected, std::string_view output);

/// What differs between the error and the expected ones: each must be met by one of the file's
/// errors, and each error by one of them. An error without a place counts as on the `choir` line.
std::string compare_errors(const CaseFile& file, const Error& error);

}  // namespace accy::test
