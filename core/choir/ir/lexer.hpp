// Lexer of the text form: one token at a time. Copying it remembers a place to come back to.
#pragma once

#include <cstdint>
#include <string_view>

namespace accy::choir {

enum class TokenKind : std::uint8_t {
  end,          ///< of the text
  word,         ///< bare, perhaps with dots
  quoted_word,  ///< w"..."
  value,        ///< %name or %"..."
  symbol,       ///< @name or @"..."
  string,       ///< "..."
  data,         ///< x"..."
  integer,      ///< digits, perhaps after '-'
  floating,     ///< with '.' or exponent, -inf, or 0x and 16 digits: the bits
  punctuation,  ///< one of ( ) { } [ ] < > , : = !
  error,        ///< no token; `problem` says why
};

/// A piece of the text; text and problem live as long as the text and the program.
struct Token {
  TokenKind kind = TokenKind::end;
  std::string_view text;       ///< as spelled
  std::size_t offset = 0;      ///< in bytes from the start of the text
  std::uint32_t line = 1;      ///< from 1
  std::uint32_t column = 1;    ///< in code points from 1
  bool first_on_line = false;  ///< nothing but spaces before it on its line
  std::string_view problem;    ///< of an error token
};

/// The text must be valid UTF-8 of less than 4 GiB and outlive the lexer.
class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}
  Token next();

 private:
  char peek(std::size_t ahead = 0) const {
    return offset_ + ahead < text_.size() ? text_[offset_ + ahead] : '\0';
  }
  void skip_blank();
  Token finish(Token token, TokenKind kind, std::size_t length, std::string_view problem = {});
  Token read_name(Token token, TokenKind kind);
  Token read_quoted(Token token, TokenKind kind, std::size_t quote);
  Token read_number(Token token);
  std::size_t digits_from(std::size_t ahead) const;

  std::string_view text_;
  std::size_t offset_ = 0;
  std::uint32_t line_ = 1;
  std::uint32_t column_ = 1;
  bool at_line_start_ = true;
};

}  // namespace accy::choir
