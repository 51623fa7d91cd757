#include "support/json.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace accy {
namespace {

using nlohmann::json;

constexpr std::size_t abbreviation_bytes = 60;

/// Line and column of a byte offset; a column counts bytes.
SourceLocation locate(std::string_view text, std::string_view file, std::size_t offset) {
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0: the first line
  return {std::string(file),
          static_cast<std::uint32_t>(1 + std::count(before.begin(), before.end(), '\n')),
          static_cast<std::uint32_t>(before.size() - line_start + 1)};
}

/// Builds the value from the parser's events. The library's own builder keeps the last of two equal
/// keys and has no nesting limit.
class ValueBuilder final : public nlohmann::json_sax<json> {
 public:
  explicit ValueBuilder(std::size_t nesting_limit) : nesting_limit_(nesting_limit) {}

  bool null() override { return place(nullptr) != nullptr; }
  bool boolean(bool value) override { return place(value) != nullptr; }
  bool number_integer(json::number_integer_t value) override { return place(value) != nullptr; }
  bool number_unsigned(json::number_unsigned_t value) override { return place(value) != nullptr; }
  bool number_float(json::number_float_t value, const std::string&) override {
    return place(value) != nullptr;
  }
  bool string(std::string& value) override { return place(std::move(value)) != nullptr; }
  bool binary(json::binary_t&) override { return refuse("json text holds binary data"); }
  bool start_object(std::size_t) override { return open(json::object()); }
  bool start_array(std::size_t) override { return open(json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(std::string& name) override {
    auto [entry, added] = open_.back()->get_ref<json::object_t&>().try_emplace(name);
    if (!added) return refuse("key " + quote_for_message(name) + " is given twice");
    slot_ = &entry->second;
    return true;
  }

  bool parse_error(std::size_t position, const std::string& token,
                   const json::exception& exception) override {
    position_ = position;
    // 406 is a number too large for binary64; every other failure is one of syntax.
    return refuse((exception.id == 406 ? "number is out of range, near " : "not json, near ") +
                  quote_for_message(token));
  }

  const std::string& problem() const { return problem_; }
  std::size_t position() const { return position_; }
  json take() { return std::move(root_); }

 private:
  bool refuse(std::string problem) {
    problem_ = std::move(problem);
    return false;
  }

  json* place(json value) {
    json* target = slot_;
    if (open_.empty()) {
      target = &root_;
    } else if (open_.back()->is_array()) {
      open_.back()->push_back(nullptr);
      target = &open_.back()->back();
    }
    *target = std::move(value);
    return target;
  }

  bool open(json container) {
    if (open_.size() == nesting_limit_)
      return refuse("nesting exceeds the limit (" + std::to_string(nesting_limit_) + ")");
    open_.push_back(place(std::move(container)));
    return true;
  }

  bool close() {
    open_.pop_back();
    return true;
  }

  std::size_t nesting_limit_;
  json root_;
  std::vector<json*> open_;  // containers around the next value; none grows while one inside does
  json* slot_ = nullptr;     // where an object's next value goes
  std::string problem_;
  std::size_t position_ = 0;
};

std::string cut(std::string text) {
  if (text.size() <= abbreviation_bytes) return text;
  std::size_t end = abbreviation_bytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return text.substr(0, end) + "...";
}

std::string dump(const json& value, int indentation) {
  return value.dump(indentation, ' ', false, json::error_handler_t::replace);
}

}  // namespace

Result<json> parse_json(std::string_view text, std::string_view file, JsonLimits limits) {
  if (text.size() > limits.bytes)
    return fail(ErrorCode::invalid_input,
                std::string(file) + ": json text (" + std::to_string(text.size()) +
                    " bytes) exceeds the limit (" + std::to_string(limits.bytes) + " bytes)");
  ValueBuilder builder(limits.nesting);
  if (!json::sax_parse(text.begin(), text.end(), &builder)) {
    SourceLocation where{std::string(file), 0, 0};
    if (builder.position() != 0) where = locate(text, file, builder.position() - 1);
    const std::string prefix = where.known() ? "" : std::string(file) + ": ";
    return fail(ErrorCode::invalid_input, prefix + builder.problem(), std::move(where));
  }
  return builder.take();
}

std::string format_json(const json& value) { return dump(value, 2); }

std::string abbreviate_json(const json& value) {
  // A long container would be printed only to be cut, so its size stands for it.
  if (value.is_structured() && value.size() > 16)
    return (value.is_array() ? "array of " : "object of ") + std::to_string(value.size());
  return cut(dump(value, -1));
}

std::string quote_for_message(std::string_view text) {
  return cut(dump(json(std::string(text.substr(0, 4 * abbreviation_bytes))), -1));
}

}  // namespace accy
