// TextReader: the token stream of one text with its diagnostics and error recovery.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "choir/context.hpp"
#include "choir/diagnostics.hpp"
#include "choir/ir/lexer.hpp"

namespace accy::choir {

/// The line around the byte offset, without its end; empty when too long to be shown.
std::string_view line_around(std::string_view text, std::size_t offset);

class TextReader {
 public:
  /// Text, file, context and diagnostics must outlive the reader.
  TextReader(std::string_view text, std::string_view file, Context& context,
             Diagnostics& diagnostics);

  Context& context() const { return context_; }
  std::string_view file() const { return file_; }
  const Token& token() const { return token_; }
  /// Goes on to the next token.
  void advance();

  bool at(TokenKind kind) const { return token_.kind == kind; }
  bool at(char punctuation) const;
  bool at_word(std::string_view word) const;
  /// Passes the punctuation if it is next.
  bool accept(char punctuation);
  /// As accept, but its absence is reported; `purpose` says where it belongs, as "after the key".
  bool expect(char punctuation, std::string_view purpose);
  /// Whether the tokens from here are `%a, %b =`: the results of the next statement.
  bool at_result_list() const;

  /// Where faults of the whole text are reported.
  void set_default_place(const Token& token);
  /// Reports "expected WHAT, found TOKEN"; returns false.
  bool expected(std::string_view what);
  void report(const Token& token, std::string message, std::string_view op = {});
  /// Number of reported errors, dropped ones included.
  std::size_t errors() const { return errors_; }
  /// Whether one more message will be kept; saves the work for one that is dropped.
  bool keeps_messages() const { return errors_ < kept_messages; }

  /// The decoded text of a string, or what stands between the quotes of w"" and behind % and @.
  /// Faults are reported.
  std::optional<std::string> string_text(const Token& token);
  /// The decoded name of a word, value, symbol or string, interned. Faults are reported.
  std::optional<std::string_view> name_text(const Token& token);
  /// The same for the name of a value, which is not interned: it hardly repeats.
  std::optional<std::string_view> value_name(const Token& token);

  /// A dictionary was opened or closed; recovery closes those that an error left open.
  void open_dictionary() { ++open_braces_; }
  void close_dictionary() { --open_braces_; }
  /// After a syntax error: goes on to the next line that starts a statement or to the brace that
  /// closes the region. Skips the regions of the faulty statement.
  void skip_statement();

 private:
  static constexpr std::size_t kept_messages = 100;
  bool at_statement_start() const;
  /// The name itself, or decoded into `decoded`.
  std::optional<std::string_view> checked_name(const Token& token, std::string& decoded);

  std::string_view text_;
  std::string_view file_;
  Context& context_;
  Diagnostics& diagnostics_;
  Lexer lexer_;
  Token token_;
  bool after_parenthesis_ = false;  // the token before this one was ')'
  bool end_reported_ = false;
  std::size_t open_braces_ = 0;
  std::size_t errors_ = 0;
};

}  // namespace accy::choir
