#include "choir/text.hpp"

#include <algorithm>

#include "choir/ir/parser.hpp"
#include "choir/ir/spelling.hpp"

namespace accy::choir {

namespace {

/// The text's bytes must be valid before the lexer relies on them.
void check_bytes(std::string_view text, std::string_view file, Diagnostics& diagnostics) {
  constexpr std::size_t maximum = 0xffffffffU;
  if (text.size() > maximum) {
    diagnostics.report({std::string(file), 1, 1}, {},
                       "text is too long (" + std::to_string(text.size()) +
                           " bytes, the limit is " + std::to_string(maximum) + ")");
    return;
  }
  const std::size_t offset = std::min(find_invalid_utf8(text), text.find('\0'));
  if (offset == std::string_view::npos) return;
  const std::string_view before = text.substr(0, offset);
  const auto line = static_cast<std::uint32_t>(std::count(before.begin(), before.end(), '\n'));
  const auto column = static_cast<std::uint32_t>(
      count_code_points(before.substr(before.rfind('\n') + 1)));
  diagnostics.report({std::string(file), line + 1, column + 1}, {},
                     text[offset] == '\0'
                         ? "text contains a NUL byte"
                         : "text is not valid utf-8 (byte " +
                               std::to_string(static_cast<unsigned char>(text[offset])) + ")");
}

}  // namespace

Result<Module> parse(std::string_view text, std::string_view file, const Registry& registry) {
  Diagnostics diagnostics;
  check_bytes(text, file, diagnostics);
  if (!diagnostics.empty()) return fail(diagnostics.to_error());
  Module module(registry, "unknown");
  Parser parser(text, file, module.context(), diagnostics);
  if (parser.parse_header(module.operation())) parser.parse_body(module.body());
  if (!diagnostics.empty()) return fail(diagnostics.to_error());
  return module;
}

Module parse_and_verify(std::string_view text, std::string_view file, const Registry& registry,
                        Diagnostics& diagnostics) {
  Module module(registry, "unknown");
  check_bytes(text, file, diagnostics);
  if (!diagnostics.empty()) return module;
  Parser parser(text, file, module.context(), diagnostics);
  if (!parser.parse_header(module.operation())) return module;
  parser.parse_body(module.body());
  verify(module, diagnostics, parser.take_faulty());
  diagnostics.attach_lines(file, text);
  diagnostics.sort();
  return module;
}

Result<Module> parse_and_verify(std::string_view text, std::string_view file,
                                const Registry& registry) {
  Diagnostics diagnostics;
  Module module = parse_and_verify(text, file, registry, diagnostics);
  if (!diagnostics.empty()) return fail(diagnostics.to_error());
  return module;
}

}  // namespace accy::choir
