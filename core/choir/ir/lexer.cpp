#include "choir/ir/lexer.hpp"

#include "choir/ir/spelling.hpp"

namespace accy::choir {

namespace {

bool is_punctuation(char byte) {
  switch (byte) {
    case '(':
    case ')':
    case '{':
    case '}':
    case '[':
    case ']':
    case '<':
    case '>':
    case ',':
    case ':':
    case '=':
    case '!': return true;
    default: return false;
  }
}

bool is_digit(char byte) { return byte >= '0' && byte <= '9'; }

}  // namespace

void Lexer::skip_blank() {
  while (offset_ < text_.size()) {
    const char byte = text_[offset_];
    if (byte == '\n') {
      ++line_;
      column_ = 1;
      at_line_start_ = true;
      ++offset_;
    } else if (byte == ' ' || byte == '\t' || byte == '\r') {
      ++column_;
      ++offset_;
    } else if (byte == '/' && peek(1) == '/') {
      // No token follows on this line, so that the column need not be kept.
      const std::size_t end = text_.find('\n', offset_);
      offset_ = end == std::string_view::npos ? text_.size() : end;
    } else {
      return;
    }
  }
}

Token Lexer::next() {
  skip_blank();
  Token token;
  token.offset = offset_;
  token.line = line_;
  token.column = column_;
  token.first_on_line = at_line_start_;
  at_line_start_ = false;
  if (offset_ == text_.size()) return token;
  const char byte = peek();
  if (is_punctuation(byte)) return finish(token, TokenKind::punctuation, 1);
  if (byte == '%') return read_name(token, TokenKind::value);
  if (byte == '@') return read_name(token, TokenKind::symbol);
  if (byte == '"') return read_quoted(token, TokenKind::string, 0);
  if (byte == 'x' && peek(1) == '"') return read_quoted(token, TokenKind::data, 1);
  if (byte == 'w' && peek(1) == '"') return read_quoted(token, TokenKind::quoted_word, 1);
  if (is_digit(byte) || byte == '-') return read_number(token);
  if (is_letter(byte)) {
    std::size_t length = 1;
    while (is_name_byte(peek(length)) || (peek(length) == '.' && is_letter(peek(length + 1))))
      ++length;
    return finish(token, TokenKind::word, length);
  }
  std::size_t length = 1;
  while ((static_cast<unsigned char>(peek(length)) & 0xc0U) == 0x80U) ++length;
  return finish(token, TokenKind::error, length, "unexpected character");
}

Token Lexer::finish(Token token, TokenKind kind, std::size_t length, std::string_view problem) {
  token.kind = kind;
  token.text = text_.substr(token.offset, length);
  token.problem = problem;
  offset_ += length;
  column_ += static_cast<std::uint32_t>(count_code_points(token.text));
  return token;
}

Token Lexer::read_name(Token token, TokenKind kind) {
  if (peek(1) == '"') return read_quoted(token, kind, 1);
  std::size_t length = 1;
  while (is_name_byte(peek(length))) ++length;
  if (length == 1) return finish(token, TokenKind::error, 1, "name is missing behind");
  return finish(token, kind, length);
}

Token Lexer::read_quoted(Token token, TokenKind kind, std::size_t quote) {
  std::size_t length = quote + 1;
  while (true) {
    if (offset_ + length >= text_.size() || peek(length) == '\n')
      return finish(token, TokenKind::error, length, "string is not closed on its line:");
    if (peek(length) == '"') return finish(token, kind, length + 1);
    const bool escape = peek(length) == '\\' && offset_ + length + 1 < text_.size() &&
                        peek(length + 1) != '\n';
    length += escape ? 2 : 1;
  }
}

std::size_t Lexer::digits_from(std::size_t ahead) const {
  while (is_digit(peek(ahead))) ++ahead;
  return ahead;
}

Token Lexer::read_number(Token token) {
  if (text_.substr(offset_, 4) == "-inf" && !is_name_byte(peek(4)))
    return finish(token, TokenKind::floating, 4);
  const std::size_t sign = peek() == '-' ? 1 : 0;
  std::size_t length = digits_from(sign);
  TokenKind kind = TokenKind::integer;
  bool good = length > sign;
  if (good && peek(length) == '.') {
    const std::size_t fraction = length + 1;
    kind = TokenKind::floating;
    length = digits_from(fraction);
    good = length > fraction;
  }
  if (good && (peek(length) == 'e' || peek(length) == 'E')) {
    const std::size_t exponent = length + (peek(length + 1) == '-' || peek(length + 1) == '+') + 1;
    kind = TokenKind::floating;
    length = digits_from(exponent);
    good = length > exponent;
  }
  const bool bits = sign == 0 && length == 1 && peek() == '0' && peek(1) == 'x';
  const std::size_t tail = length;
  while (is_name_byte(peek(length)) || peek(length) == '.') ++length;
  if (bits && length == 18) return finish(token, TokenKind::floating, length);
  if (!good || length > tail) return finish(token, TokenKind::error, length, "malformed number");
  return finish(token, kind, length);
}

}  // namespace accy::choir
