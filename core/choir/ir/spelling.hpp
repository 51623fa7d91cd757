// How the text form spells words, names, strings and floats; used by printer and reader alike.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "accy/result.hpp"

namespace accy::choir {

inline constexpr std::size_t maximum_name_bytes = 4096;

bool is_letter(char byte);     ///< [A-Za-z_]
bool is_name_byte(char byte);  ///< [A-Za-z0-9_]

/// [A-Za-z_][A-Za-z0-9_]*, several joined by dots.
bool is_word(std::string_view text);
/// [A-Za-z0-9_]+: may follow % or @ without quotes.
bool is_bare_name(std::string_view text);
bool is_all_digits(std::string_view text);
/// A name that the text form can hold: 1 to maximum_name_bytes bytes of UTF-8 without NUL.
bool is_usable_name(std::string_view text);

/// Offset of the first byte that is not part of valid UTF-8; npos when all is valid.
std::size_t find_invalid_utf8(std::string_view text);
/// Number of code points of valid UTF-8.
std::size_t count_code_points(std::string_view text);

/// "text" with escapes. A byte that is no UTF-8 becomes U+FFFD, so that a text is always readable.
void append_quoted(std::string& out, std::string_view text);
/// The string between the quotes with its escapes resolved. An error's column is the offset of the
/// fault in code points.
Result<std::string> decode_string(std::string_view body);

/// A word attribute: bare, or w"..." when it is no word or would read as another attribute.
void append_word(std::string& out, std::string_view text);
/// A dictionary key: a word or a string.
void append_key(std::string& out, std::string_view text);
/// A symbol name behind '@': bare or quoted.
void append_symbol(std::string& out, std::string_view text);
/// A source name behind '%': bare or quoted; digits alone are quoted, as bare digits mean no name.
void append_value_name(std::string& out, std::string_view text);

/// Shortest text that reads back to the same bits: it has '.', 'e' or is inf, -inf, nan; another
/// NaN is 0x and its 16 hexadecimal digits.
void append_float(std::string& out, double value);

/// The text for a message: at most 60 bytes, cut at a code point, in single quotes.
std::string quote_for_message(std::string_view text);

}  // namespace accy::choir
