#include "choir/ir/spelling.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace accy::choir {

bool is_letter(char byte) {
  return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '_';
}

namespace {

constexpr std::uint64_t canonical_nan = 0x7ff8000000000000ULL;

bool is_digit(char byte) { return byte >= '0' && byte <= '9'; }
bool is_ascii(std::string_view text) {
  // Eight bytes at a time, as texts of generated code are long.
  std::uint64_t bits = 0;
  for (; text.size() >= sizeof(bits); text.remove_prefix(sizeof(bits))) {
    std::memcpy(&bits, text.data(), sizeof(bits));
    if ((bits & 0x8080808080808080ULL) != 0) return false;
  }
  return std::ranges::all_of(text, [](char byte) { return (byte & 0x80) == 0; });
}
bool needs_no_escape(char byte) {
  return byte >= 0x20 && byte < 0x7f && byte != '"' && byte != '\\';
}
bool is_reserved(std::string_view text) {
  return text == "true" || text == "false" || text == "inf" || text == "nan";
}

/// Length of the UTF-8 sequence at the start of the text; 0 when it is invalid (overlong forms,
/// surrogates and values beyond U+10FFFF included).
std::size_t utf8_sequence(std::string_view text) {
  const auto byte = [&](std::size_t index) { return static_cast<unsigned char>(text[index]); };
  const unsigned lead = byte(0);
  if (lead < 0x80U) return 1;
  const std::size_t length = lead >= 0xf0U ? 4 : lead >= 0xe0U ? 3 : 2;
  if (lead < 0xc2U || lead > 0xf4U || text.size() < length) return 0;
  for (std::size_t index = 1; index < length; ++index)
    if ((byte(index) & 0xc0U) != 0x80U) return 0;
  const unsigned second = byte(1);
  if ((lead == 0xe0U && second < 0xa0U) || (lead == 0xedU && second > 0x9fU) ||
      (lead == 0xf0U && second < 0x90U) || (lead == 0xf4U && second > 0x8fU))
    return 0;
  return length;
}

void append_utf8(std::string& out, std::uint32_t code) {
  if (code < 0x80U) {
    out += static_cast<char>(code);
  } else if (code < 0x800U) {
    out += static_cast<char>(0xc0U | (code >> 6));
    out += static_cast<char>(0x80U | (code & 0x3fU));
  } else {
    out += static_cast<char>(0xe0U | (code >> 12));
    out += static_cast<char>(0x80U | ((code >> 6) & 0x3fU));
    out += static_cast<char>(0x80U | (code & 0x3fU));
  }
}

Failure string_fault(std::string_view body, std::size_t offset, std::string message) {
  SourceLocation where;
  where.column = static_cast<std::uint32_t>(count_code_points(body.substr(0, offset)));
  return fail(ErrorCode::invalid_input, std::move(message), std::move(where));
}

/// The four digits behind \u.
Result<std::uint32_t> decode_unicode(std::string_view body, std::size_t escape) {
  const std::string_view digits = body.substr(std::min(escape + 2, body.size()), 4);
  std::uint32_t code = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
  if (digits.size() != 4 || read.ec != std::errc() || read.ptr != digits.data() + 4)
    return string_fault(body, escape, "\\u takes four hexadecimal digits, found " +
                                          quote_for_message(digits));
  if (code >= 0xd800U && code <= 0xdfffU)
    return string_fault(body, escape, "surrogate \\u" + std::string(digits) +
                                          " in a string; write the character itself");
  return code;
}

void append_hexadecimal(std::string& out, std::uint64_t value, int digits) {
  for (int digit = digits - 1; digit >= 0; --digit)
    out += "0123456789abcdef"[(value >> (4 * digit)) & 0xfU];
}

}  // namespace

bool is_name_byte(char byte) { return is_letter(byte) || is_digit(byte); }

bool is_word(std::string_view text) {
  bool at_start = true;
  for (char byte : text) {
    if (at_start ? !is_letter(byte) : !(is_name_byte(byte) || byte == '.')) return false;
    at_start = byte == '.';
  }
  return !at_start;
}

bool is_bare_name(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_name_byte);
}

bool is_all_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
}

bool is_usable_name(std::string_view text) {
  return !text.empty() && text.size() <= maximum_name_bytes &&
         text.find('\0') == std::string_view::npos &&
         find_invalid_utf8(text) == std::string_view::npos;
}

std::size_t find_invalid_utf8(std::string_view text) {
  if (is_ascii(text)) return std::string_view::npos;
  for (std::size_t offset = 0; offset < text.size();) {
    const std::size_t length = utf8_sequence(text.substr(offset));
    if (length == 0) return offset;
    offset += length;
  }
  return std::string_view::npos;
}

std::size_t count_code_points(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char byte) {
    return (static_cast<unsigned char>(byte) & 0xc0U) != 0x80U;
  }));
}

void append_quoted(std::string& out, std::string_view text) {
  out += '"';
  if (std::ranges::all_of(text, needs_no_escape)) {
    out += text;
    out += '"';
    return;
  }
  for (std::size_t offset = 0; offset < text.size();) {
    const char byte = text[offset];
    const std::size_t length = utf8_sequence(text.substr(offset));
    if (length == 0) {
      append_utf8(out, 0xfffdU);
    } else if (byte == '"' || byte == '\\') {
      out += '\\';
      out += byte;
    } else if (byte == '\n') {
      out += "\\n";
    } else if (byte == '\t') {
      out += "\\t";
    } else if (byte == '\r') {
      out += "\\r";
    } else if (length == 1 && (byte < 0x20 || byte == 0x7f)) {
      out += "\\u";
      append_hexadecimal(out, static_cast<unsigned char>(byte), 4);
    } else {
      out += text.substr(offset, length);
    }
    offset += std::max<std::size_t>(length, 1);
  }
  out += '"';
}

Result<std::string> decode_string(std::string_view body) {
  std::string out;
  out.reserve(body.size());
  for (std::size_t offset = 0; offset < body.size(); ++offset) {
    const char byte = body[offset];
    if (static_cast<unsigned char>(byte) < 0x20U)
      return string_fault(body, offset, "control character " +
                                            std::to_string(static_cast<int>(byte)) +
                                            " in a string; write it as an escape");
    if (byte != '\\') {
      out += byte;
      continue;
    }
    const char escape = offset + 1 < body.size() ? body[offset + 1] : '\0';
    switch (escape) {
      case '"': out += '"'; break;
      case '\\': out += '\\'; break;
      case 'n': out += '\n'; break;
      case 't': out += '\t'; break;
      case 'r': out += '\r'; break;
      case 'u': {
        ACCY_TRY_ASSIGN(const std::uint32_t code, decode_unicode(body, offset));
        append_utf8(out, code);
        offset += 4;
        break;
      }
      default:
        return string_fault(body, offset,
                            "unknown escape in a string; known are \\\" \\\\ \\n \\t \\r \\u");
    }
    ++offset;
  }
  return out;
}

void append_word(std::string& out, std::string_view text) {
  if (is_word(text) && !is_reserved(text)) {
    out += text;
    return;
  }
  out += 'w';
  append_quoted(out, text);
}

void append_key(std::string& out, std::string_view text) {
  if (is_word(text))
    out += text;
  else
    append_quoted(out, text);
}

void append_symbol(std::string& out, std::string_view text) {
  if (is_bare_name(text))
    out += text;
  else
    append_quoted(out, text);
}

void append_value_name(std::string& out, std::string_view text) {
  if (is_bare_name(text) && !is_all_digits(text))
    out += text;
  else
    append_quoted(out, text);
}

void append_float(std::string& out, double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  if (std::isnan(value)) {
    out += bits == canonical_nan ? "nan" : "0x";
    if (bits != canonical_nan) append_hexadecimal(out, bits, 16);
    return;
  }
  if (std::isinf(value)) {
    out += value < 0 ? "-inf" : "inf";
    return;
  }
  char buffer[32];
  const auto written = std::to_chars(buffer, buffer + sizeof(buffer), value);
  const std::string_view text(buffer, static_cast<std::size_t>(written.ptr - buffer));
  out += text;
  if (text.find_first_of(".e") == std::string_view::npos) out += ".0";
}

std::string quote_for_message(std::string_view text) {
  constexpr std::size_t maximum = 60;
  std::size_t end = std::min(text.size(), maximum);
  while (end > 0 && end < text.size() && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U)
    --end;
  std::string shown(text.substr(0, end));
  // A control character in a text must not reach the terminal.
  std::replace_if(
      shown.begin(), shown.end(),
      [](char byte) { return static_cast<unsigned char>(byte) < 0x20U || byte == 0x7f; }, '?');
  if (find_invalid_utf8(shown) != std::string_view::npos)
    std::replace_if(
        shown.begin(), shown.end(), [](char byte) { return (byte & 0x80) != 0; }, '?');
  return "'" + shown + (end < text.size() ? "...'" : "'");
}

}  // namespace accy::choir
