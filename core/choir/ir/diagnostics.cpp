#include "choir/diagnostics.hpp"

#include <algorithm>
#include <tuple>

#include "choir/ir/parser.hpp"
#include "choir/ir/text_reader.hpp"

namespace accy::choir {

namespace {

constexpr std::size_t window_before = 80;  // columns shown before the caret of a long line
constexpr std::size_t window_after = 40;

bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xc0U) == 0x80U; }

/// The part of the line around the column (in code points from 1) and a caret below it.
std::string show_line(std::string_view line, std::size_t column) {
  const std::size_t target = column == 0 ? 0 : column - 1;
  const std::size_t from = target > window_before ? target - window_before : 0;
  std::string shown = from > 0 ? "..." : "";
  std::string padding(shown.size(), ' ');
  std::size_t position = 0;
  bool inside = false;
  for (char byte : line) {
    if (!is_continuation(byte)) {
      if (position == target + window_after) {
        shown += "...";
        break;
      }
      inside = position >= from;
      if (inside && position < target) padding += byte == '\t' ? '\t' : ' ';
      ++position;
    }
    // A control character in a text must not reach the terminal.
    const bool control = static_cast<unsigned char>(byte) < 0x20U || byte == 0x7f;
    if (inside) shown += control && byte != '\t' ? '?' : byte;
  }
  return "\n  " + shown + "\n  " + padding + "^";
}

std::string body_of(const Diagnostic& diagnostic) {
  if (diagnostic.line.empty()) return diagnostic.message;
  return diagnostic.message + show_line(diagnostic.line, diagnostic.where.column);
}

}  // namespace

std::string Diagnostic::to_string() const {
  std::string text = where.to_string();
  if (!text.empty()) text += ": ";
  if (!op.empty()) text += op + ": ";
  return text + body_of(*this);
}

void Diagnostics::report(SourceLocation where, std::string op, std::string message,
                         std::string line) {
  if (list_.size() >= maximum) {
    ++dropped_;
    return;
  }
  if (!where.known()) where = default_place_;
  list_.push_back({std::move(where), std::move(op), std::move(message), std::move(line)});
}

void Diagnostics::report(const Operation& operation, std::string message) {
  report(operation.location().first(), std::string(operation.name()), std::move(message));
}

void Diagnostics::attach_lines(std::string_view file, std::string_view text) {
  std::vector<std::size_t> starts{0};
  for (std::size_t end = text.find('\n'); end != std::string_view::npos;
       end = text.find('\n', end + 1))
    starts.push_back(end + 1);
  for (Diagnostic& diagnostic : list_) {
    const std::size_t line = diagnostic.where.line;
    if (diagnostic.where.file == file && line >= 1 && line <= starts.size())
      diagnostic.line = line_around(text, starts[line - 1]);
  }
}

bool Diagnostics::has(const Operation& operation) const {
  if (operation.name() == unknown_operation_name) return true;
  const SourceLocation where = operation.location().first();
  return std::ranges::find(list_, where, &Diagnostic::where) != list_.end();
}

void Diagnostics::sort() {
  std::ranges::stable_sort(
      list_,
      [](const SourceLocation& a, const SourceLocation& b) {
        if (a.known() != b.known()) return a.known();
        return std::tie(a.file, a.line, a.column) < std::tie(b.file, b.line, b.column);
      },
      &Diagnostic::where);
}

Error Diagnostics::to_error(ErrorCode code) const {
  ACCY_ASSERT(!list_.empty(), "no diagnostic to make an error of");
  const Diagnostic& first = list_.front();
  Error error{code, body_of(first), first.where, first.op, 0, {}};
  for (std::size_t index = 1; index < list_.size(); ++index)
    error.message += "\n" + list_[index].to_string();
  if (dropped_ > 0) error.message += "\nand " + std::to_string(dropped_) + " more errors";
  return error;
}

}  // namespace accy::choir
