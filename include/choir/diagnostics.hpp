// Diagnostics: a sink that collects every fault of a text or module.
#pragma once

#include <string>
#include <vector>

#include "accy/export.hpp"
#include "accy/result.hpp"
#include "choir/operation.hpp"

namespace accy::choir {

struct ACCY_EXPORT Diagnostic {
  SourceLocation where;
  std::string op;       ///< name of the operation concerned; empty for a syntax error
  std::string message;
  std::string line;     ///< the source line, when known; printed with a caret under the column
  std::string to_string() const;
};

/// Collects up to a limit; the rest is counted.
class ACCY_EXPORT Diagnostics {
 public:
  void report(SourceLocation where, std::string op, std::string message, std::string line = {});
  /// At the operation's first location.
  void report(const Operation& operation, std::string message);
  /// Gives each diagnostic of that file its line of the text, so that it is shown.
  void attach_lines(std::string_view file, std::string_view text);
  /// The place of what is reported without one: the start of the text.
  void set_default_place(SourceLocation where) { default_place_ = std::move(where); }
  /// Whether something was reported at the operation's place, or it stands for an unknown one.
  bool has(const Operation& operation) const;
  /// By file, line and column; what has no place comes last.
  void sort();
  bool empty() const { return list_.empty(); }
  const std::vector<Diagnostic>& list() const { return list_; }
  /// All of them as one error at the place of the first; the sink must not be empty.
  Error to_error(ErrorCode code = ErrorCode::invalid_input) const;

 private:
  static constexpr std::size_t maximum = 100;
  std::vector<Diagnostic> list_;
  SourceLocation default_place_;
  std::size_t dropped_ = 0;
};

}  // namespace accy::choir
