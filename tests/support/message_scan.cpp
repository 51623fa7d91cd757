#include "support/message_scan.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace accy::test {
namespace {

constexpr std::array calls{"fail", "invalid", "report", "require", "error", "malformed",
                           "unsupported", "reject"};

bool is_word(char character) {
  return std::isalnum(static_cast<unsigned char>(character)) != 0 || character == '_';
}

/// Reads one token's length at a place: a literal with its quotes, a comment, white space or a
/// character; so that parentheses in literals do not count.
std::size_t token_length(std::string_view source, std::size_t place) {
  const char first = source[place];
  if (source.substr(place).starts_with("//"))
    return std::min(source.find('\n', place), source.size()) - place;
  const bool quote = first == '"' || (first == '\'' && (place == 0 || !is_word(source[place - 1])));
  if (!quote) return 1;
  std::size_t end = place + 1;
  while (end < source.size() && source[end] != first) end += source[end] == '\\' ? 2 : 1;
  return std::min(end + 1, source.size()) - place;
}

std::string unescaped(std::string_view literal) {
  std::string text;
  for (std::size_t index = 0; index < literal.size(); ++index) {
    if (literal[index] == '\\' && index + 1 < literal.size()) {
      ++index;
      text += literal[index] == 'n' ? '\n' : literal[index];
    } else {
      text += literal[index];
    }
  }
  return text;
}

/// Literals of the source from a place to the parenthesis that closes the one open there (or to the
/// end), neighbours joined.
std::vector<std::string> literals_from(std::string_view source, std::size_t place, int depth) {
  std::vector<std::string> literals;
  bool join = false;
  while (place < source.size()) {
    const std::size_t length = token_length(source, place);
    const char first = source[place];
    if (first == '"') {
      const std::string text = unescaped(source.substr(place + 1, length - 2));
      if (join) literals.back() += text;
      else literals.push_back(text);
      join = true;
    } else if (length == 1 && std::isspace(static_cast<unsigned char>(first)) == 0) {
      join = false;
      depth += first == '(' ? 1 : first == ')' ? -1 : 0;
      if (first == ')' && depth == 0) break;
    }
    place += length;
  }
  return literals;
}

constexpr std::size_t piece_minimum = 8;  // shorter ones are no message: "operand ", " of "

/// Adds the parts of a literal between the `{}` of a format.
void add_pieces(std::string_view literal, std::vector<std::string>& pieces) {
  constexpr std::string_view edges = " ,:;(){}[]'=\n";
  while (!literal.empty()) {
    const std::size_t end = std::min(literal.find('{'), literal.size());
    std::string_view piece = literal.substr(0, end);
    const std::size_t start = std::min(piece.find_first_not_of(edges), piece.size());
    piece.remove_prefix(start);
    piece = piece.substr(0, piece.find_last_not_of(edges) + 1);
    if (piece.size() >= piece_minimum) pieces.emplace_back(piece);
    literal.remove_prefix(std::min(std::max(literal.find('}', end), end), literal.size() - 1) + 1);
  }
}

}  // namespace

std::vector<SourceMessage> source_messages(std::string_view source) {
  std::vector<SourceMessage> messages;
  std::size_t line = 1;
  for (std::size_t place = 0; place < source.size();) {
    const std::size_t length = token_length(source, place);
    const bool starts = length == 1 && is_word(source[place]) &&
                        (place == 0 || !is_word(source[place - 1]));
    if (starts) {
      std::size_t end = place;
      while (end < source.size() && is_word(source[end])) ++end;
      const std::string_view word = source.substr(place, end - place);
      if (end < source.size() && source[end] == '(' &&
          std::ranges::find(calls, word) != calls.end()) {
        SourceMessage message{line, {}};
        for (const std::string& literal : literals_from(source, end, 0))
          add_pieces(literal, message.pieces);
        // `fail(std::move(error).with("doing"))` passes on a message of another place.
        const bool passes_on = source.substr(end).starts_with("(std::move(");
        if (!message.pieces.empty() && !passes_on) messages.push_back(std::move(message));
      }
    }
    line += static_cast<std::size_t>(std::ranges::count(source.substr(place, length), '\n'));
    place += length;
  }
  return messages;
}

std::vector<std::string> string_literals(std::string_view source) {
  return literals_from(source, 0, 1);
}

}  // namespace accy::test
