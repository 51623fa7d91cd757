#include "choir/ir/text_reader.hpp"

#include "choir/ir/spelling.hpp"

namespace accy::choir {

std::string_view line_around(std::string_view text, std::size_t offset) {
  constexpr std::size_t maximum = 4096;
  const std::size_t before = text.substr(0, offset).rfind('\n');
  const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
  std::string_view line = text.substr(begin, text.find('\n', offset) - begin);
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return line.size() > maximum ? std::string_view() : line;
}

TextReader::TextReader(std::string_view text, std::string_view file, Context& context,
                       Diagnostics& diagnostics)
    : text_(text), file_(file), context_(context), diagnostics_(diagnostics), lexer_(text) {
  token_ = lexer_.next();
}

void TextReader::advance() {
  after_parenthesis_ = at(')');
  token_ = lexer_.next();
}

bool TextReader::at(char punctuation) const {
  return token_.kind == TokenKind::punctuation && token_.text.front() == punctuation;
}

bool TextReader::at_word(std::string_view word) const {
  return token_.kind == TokenKind::word && token_.text == word;
}

bool TextReader::accept(char punctuation) {
  if (!at(punctuation)) return false;
  advance();
  return true;
}

bool TextReader::expect(char punctuation, std::string_view purpose) {
  if (accept(punctuation)) return true;
  return expected("'" + std::string(1, punctuation) + "' " + std::string(purpose));
}

bool TextReader::at_result_list() const {
  Lexer ahead = lexer_;
  Token token = token_;
  while (token.kind == TokenKind::value) {
    token = ahead.next();
    if (token.kind != TokenKind::punctuation) return false;
    if (token.text == "=") return true;
    if (token.text != ",") return false;
    token = ahead.next();
  }
  return false;
}

void TextReader::set_default_place(const Token& token) {
  diagnostics_.set_default_place({std::string(file_), token.line, token.column});
}

bool TextReader::expected(std::string_view what) {
  if (at(TokenKind::error)) {
    report(token_, std::string(token_.problem) + " " + quote_for_message(token_.text));
    return false;
  }
  if (at(TokenKind::end)) {
    if (end_reported_) return false;  // every open region would say so again
    end_reported_ = true;
  }
  report(token_, "expected " + std::string(what) + ", found " +
                     (at(TokenKind::end) ? "the end of the text" : quote_for_message(token_.text)));
  return false;
}

void TextReader::report(const Token& token, std::string message, std::string_view op) {
  ++errors_;
  diagnostics_.report({std::string(file_), token.line, token.column}, std::string(op),
                      std::move(message),
                      errors_ > kept_messages ? std::string()
                                              : std::string(line_around(text_, token.offset)));
}

std::optional<std::string> TextReader::string_text(const Token& token) {
  const std::size_t prefix = token.kind == TokenKind::string ? 1 : 2;
  auto text = decode_string(token.text.substr(prefix, token.text.size() - prefix - 1));
  if (text) return std::move(*text);
  Token place = token;
  place.column += static_cast<std::uint32_t>(prefix) + text.error().where.column;
  report(place, text.error().message);
  return std::nullopt;
}

std::optional<std::string_view> TextReader::name_text(const Token& token) {
  std::string decoded;
  const auto name = checked_name(token, decoded);
  return name ? std::optional(context_.intern(*name)) : std::nullopt;
}

std::optional<std::string_view> TextReader::value_name(const Token& token) {
  std::string decoded;
  const auto name = checked_name(token, decoded);
  return name ? std::optional(context_.keep(*name)) : std::nullopt;
}

std::optional<std::string_view> TextReader::checked_name(const Token& token, std::string& decoded) {
  std::string_view name = token.text;
  if (token.kind != TokenKind::word && name.back() == '"') {
    auto text = string_text(token);
    if (!text) return std::nullopt;
    decoded = std::move(*text);
    name = decoded;
  } else if (token.kind != TokenKind::word) {
    name.remove_prefix(1);
  }
  if (name.size() > maximum_name_bytes) {
    report(token, "name is too long (" + std::to_string(name.size()) + " bytes, the limit is " +
                      std::to_string(maximum_name_bytes) + ")");
    return std::nullopt;
  }
  if (name.find('\0') != std::string_view::npos) {
    report(token, "name contains a NUL character");
    return std::nullopt;
  }
  return name;
}

bool TextReader::at_statement_start() const {
  if (!token_.first_on_line) return false;
  return at(TokenKind::value) ||
         (at(TokenKind::word) && token_.text.find('.') != std::string_view::npos);
}

void TextReader::skip_statement() {
  std::size_t soft = open_braces_;  // of dictionaries: a new statement ends them
  std::size_t hard = 0;             // of regions: skipped whole
  open_braces_ = 0;
  for (; !at(TokenKind::end); advance()) {
    if (hard == 0 && at_statement_start()) return;
    if (at('{')) {
      ++(after_parenthesis_ ? hard : soft);
    } else if (at('}')) {
      // A brace alone on its line more likely closes a region than a dictionary left open.
      if (hard == 0 && (soft == 0 || token_.first_on_line)) return;
      --(soft > 0 ? soft : hard);
    }
  }
}

}  // namespace accy::choir
