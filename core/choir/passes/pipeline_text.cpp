// Pipelines from text; pass_registry.hpp has the grammar.
#include <charconv>

#include "choir/pass_registry.hpp"

namespace accy::choir {

namespace {

constexpr int nesting_maximum = 8;

class PipelineParser {
 public:
  PipelineParser(const PassRegistry& registry, std::string_view text)
      : registry_(registry), text_(text) {}

  Result<std::vector<PipelineStep>> parse() {
    std::vector<PipelineStep> steps;
    ACCY_TRY(parse_steps(steps, 0));
    if (position_ != text_.size()) return fail(expected("',' or the end"));
    return steps;
  }

 private:
  void skip_spaces() {
    while (position_ < text_.size() &&
           (text_[position_] == ' ' || text_[position_] == '\n' || text_[position_] == '\t'))
      ++position_;
  }
  bool at(char character) {
    skip_spaces();
    return position_ < text_.size() && text_[position_] == character;
  }
  bool accept(char character) {
    if (!at(character)) return false;
    ++position_;
    return true;
  }

  Error located(Error error, std::size_t position) const {
    error.message = "pipeline text, column " + std::to_string(position + 1) + ": " + error.message;
    return error;
  }
  Error expected(std::string_view what) {
    skip_spaces();
    const std::string found =
        position_ < text_.size() ? "'" + std::string(1, text_[position_]) + "'" : "the end";
    return located({.code = ErrorCode::invalid_input,
                    .message = "expected " + std::string(what) + ", found " + found},
                   position_);
  }

  static bool is_name(char character) {
    return character == '_' || character == '-' || character == '.' ||
           (character >= '0' && character <= '9') || (character >= 'a' && character <= 'z') ||
           (character >= 'A' && character <= 'Z');
  }
  std::string_view word() {
    skip_spaces();
    const std::size_t start = position_;
    while (position_ < text_.size() && is_name(text_[position_])) ++position_;
    return text_.substr(start, position_ - start);
  }

  Status parse_steps(std::vector<PipelineStep>& steps, int depth) {
    if (depth > nesting_maximum)
      return fail(located(
          {.code = ErrorCode::invalid_input,
           .message = "pipelines nest deeper than the limit of " + std::to_string(nesting_maximum)},
          position_));
    skip_spaces();
    if (position_ == text_.size() || at(')')) return {};
    do {
      ACCY_TRY(parse_step(steps, depth));
    } while (accept(','));
    return {};
  }

  Status parse_step(std::vector<PipelineStep>& steps, int depth) {
    skip_spaces();
    const std::size_t start = position_;
    const std::string_view name = word();
    if (name.empty()) return fail(expected("the name of a pass or pipeline"));
    if (accept('(')) {
      Nest nest{std::string(name), {}};
      ACCY_TRY(parse_steps(nest.steps, depth + 1));
      if (!accept(')')) return fail(expected("',' or ')'"));
      steps.emplace_back(std::move(nest));
      return {};
    }
    if (const PassRegistration* pass = registry_.find_pass(name)) {
      PassOptionValues values(pass->options);
      if (accept('{')) ACCY_TRY(parse_options(values));
      Result<Pass> made = pass->build(values);
      if (!made) return fail(located(std::move(made.error()), start));
      steps.emplace_back(std::move(*made));
      return {};
    }
    if (registry_.find_pipeline(name) == nullptr)
      return fail(located(registry_.make_pass(name).error(), start));
    ACCY_TRY_ASSIGN(Pipeline pipeline, registry_.make_pipeline(name));
    for (PipelineStep& step : pipeline.steps) steps.push_back(std::move(step));
    return {};
  }

  Status parse_options(PassOptionValues& values) {
    if (accept('}')) return {};
    do {
      skip_spaces();
      const std::size_t start = position_;
      const std::string_view name = word();
      if (name.empty()) return fail(expected("an option's name"));
      if (!accept('=')) return fail(expected("'='"));
      ACCY_TRY_ASSIGN(PassOptionValue value, parse_value());
      if (Status status = values.set(name, std::move(value)); !status)
        return fail(located(std::move(status.error()), start));
    } while (accept(','));
    return accept('}') ? Status{} : fail(expected("',' or '}'"));
  }

  Result<PassOptionValue> parse_value() {
    if (accept('"')) return parse_quoted();
    const std::size_t start = position_;
    const std::string_view text = word();
    if (text.empty()) return fail(expected("a value"));
    if (text == "true" || text == "false") return PassOptionValue(text == "true");
    if (text[0] != '-' && (text[0] < '0' || text[0] > '9'))
      return PassOptionValue(std::string(text));
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc() && end == text.data() + text.size()) return PassOptionValue(number);
    return fail(located({.code = ErrorCode::invalid_input,
                         .message = "'" + std::string(text) + "' is no 64-bit integer"},
                        start));
  }

  Result<PassOptionValue> parse_quoted() {
    std::string text;
    while (position_ < text_.size() && text_[position_] != '"') {
      if (text_[position_] == '\\' && position_ + 1 < text_.size()) ++position_;
      text += text_[position_++];
    }
    if (!accept('"')) return fail(expected("the closing '\"'"));
    return PassOptionValue(std::move(text));
  }

  const PassRegistry& registry_;
  std::string_view text_;
  std::size_t position_ = 0;
};

}  // namespace

Result<Pipeline> PassRegistry::parse_pipeline(std::string_view text, std::string_view name) const {
  ACCY_TRY_ASSIGN(std::vector<PipelineStep> steps, PipelineParser(*this, text).parse());
  return Pipeline{name, std::move(steps)};
}

}  // namespace accy::choir
