#include "choir/pass_registry.hpp"

#include <algorithm>

namespace accy::choir {

namespace {

std::string_view type_name(const PassOptionValue& value) {
  static constexpr std::string_view names[] = {"a boolean", "an integer", "a text"};
  return names[value.index()];
}

template <class List>
std::string known(const List& list) {
  std::string text;
  for (const auto& entry : list) text += (text.empty() ? "" : ", ") + std::string(entry.name);
  return text.empty() ? "none" : text;
}

bool is_plain(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char character) {
    return character == '_' || character == '.' || character == '-' ||
           (character >= '0' && character <= '9') || (character >= 'a' && character <= 'z') ||
           (character >= 'A' && character <= 'Z');
  });
}

/// As parse_pipeline reads it: quotes where a text is no word, or would be read as another type.
std::string spell(const PassOptionValue& value) {
  if (const bool* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (const auto* number = std::get_if<std::int64_t>(&value)) return std::to_string(*number);
  const std::string& text = std::get<std::string>(value);
  const bool digit = !text.empty() && (text[0] == '-' || (text[0] >= '0' && text[0] <= '9'));
  if (is_plain(text) && !digit && text != "true" && text != "false") return text;
  std::string quoted = "\"";
  for (char character : text) {
    if (character == '"' || character == '\\') quoted += '\\';
    quoted += character;
  }
  return quoted + '"';
}

}  // namespace

PassOptionValues::PassOptionValues(std::span<const PassOptionSpec> specs) : specs_(specs) {
  for (const PassOptionSpec& spec : specs) values_.emplace(spec.name, spec.fallback);
}

Status PassOptionValues::set(std::string_view name, PassOptionValue value) {
  const auto spec = std::ranges::find(specs_, name, &PassOptionSpec::name);
  if (spec == specs_.end())
    return fail(ErrorCode::invalid_input,
                "unknown option '" + std::string(name) + "' (known: " + known(specs_) + ")");
  const std::string described = "option " + std::string(name);
  if (value.index() != spec->fallback.index())
    return fail(ErrorCode::invalid_input, described + " is " + spell(value) + ", not " +
                                              std::string(type_name(spec->fallback)));
  if (const auto* number = std::get_if<std::int64_t>(&value))
    if (*number < spec->minimum || *number > spec->maximum)
      return fail(ErrorCode::invalid_input, described + " is " + std::to_string(*number) +
                                                ", outside " + std::to_string(spec->minimum) +
                                                " to " + std::to_string(spec->maximum));
  if (const auto* text = std::get_if<std::string>(&value);
      text != nullptr && !spec->choices.empty() &&
      std::ranges::find(spec->choices, *text) == spec->choices.end()) {
    std::string choices;
    for (std::string_view choice : spec->choices)
      choices += (choices.empty() ? "" : ", ") + std::string(choice);
    return fail(ErrorCode::invalid_input,
                described + " is " + spell(value) + ", none of " + choices);
  }
  values_[spec->name] = std::move(value);
  return {};
}

const PassOptionValue& PassOptionValues::value(std::string_view name) const {
  const auto found = values_.find(name);
  ACCY_ASSERT(found != values_.end(), "a pass asks for an option that it does not declare");
  return found->second;
}

bool PassOptionValues::boolean(std::string_view name) const { return std::get<bool>(value(name)); }
std::int64_t PassOptionValues::integer(std::string_view name) const {
  return std::get<std::int64_t>(value(name));
}
const std::string& PassOptionValues::text(std::string_view name) const {
  return std::get<std::string>(value(name));
}

std::string PassOptionValues::to_string() const {
  std::string text;
  for (const auto& [name, value] : values_) {
    const auto spec = std::ranges::find(specs_, name, &PassOptionSpec::name);
    if (value == spec->fallback) continue;
    text += (text.empty() ? "" : ",") + std::string(name) + " = " + spell(value);
  }
  return text;
}

PassRegistration registration(Pass pass) {
  const std::string_view name = pass.name;
  const std::string_view description = pass.description;
  return {
      .name = name,
      .description = description,
      .build = [pass = std::move(pass)](const PassOptionValues&) -> Result<Pass> { return pass; }};
}

PassRegistration registration(const Pass& defaults, std::span<const PassOptionSpec> options,
                              std::function<Result<Pass>(const PassOptionValues&)> build) {
  return {.name = defaults.name,
          .description = defaults.description,
          .options = options,
          .build = std::move(build)};
}

std::string
spell_options(std::span<const PassOptionSpec> specs,
              std::initializer_list<std::pair<std::string_view, PassOptionValue>> values) {
  PassOptionValues all(specs);
  for (const auto& [name, value] : values)
    ACCY_ASSERT(all.set(name, value).has_value(), "a pass has an option out of its own limits");
  return all.to_string();
}

Status PassRegistry::add(PackageExtension extension) {
  const auto taken = [&](std::string_view name) {
    return find_pass(name) != nullptr || find_pipeline(name) != nullptr;
  };
  prefixes_.push_back(std::string(extension.name) + "-");
  for (PassRegistration& pass : extension.passes) {
    if (taken(pass.name))
      return fail(ErrorCode::invalid_input,
                  "pass name '" + std::string(pass.name) + "' is registered already");
    passes_.push_back(std::move(pass));
  }
  for (PipelineRegistration& pipeline : extension.pipelines) {
    if (taken(pipeline.name))
      return fail(ErrorCode::invalid_input,
                  "pipeline name '" + std::string(pipeline.name) + "' is registered already");
    for (const PassPlanStep& step : pipeline.plan.steps)
      if (find_pass(step.pass) == nullptr)
        return fail(ErrorCode::invalid_input, "pipeline '" + std::string(pipeline.name) +
                                                  "' plans '" + std::string(step.pass) +
                                                  "', which is no registered pass");
    pipelines_.push_back(std::move(pipeline));
  }
  return {};
}

namespace {

/// By full name, or by the name behind one of the prefixes.
template <class Entry>
const Entry* find_in(const std::vector<Entry>& entries, const std::vector<std::string>& prefixes,
                     std::string_view name) {
  for (const Entry& entry : entries) {
    if (entry.name == name) return &entry;
    for (const std::string& prefix : prefixes)
      if (entry.name.starts_with(prefix) && entry.name.substr(prefix.size()) == name) return &entry;
  }
  return nullptr;
}

}  // namespace

const PassRegistration* PassRegistry::find_pass(std::string_view name) const {
  return find_in(passes_, prefixes_, name);
}

const PipelineRegistration* PassRegistry::find_pipeline(std::string_view name) const {
  return find_in(pipelines_, prefixes_, name);
}

Result<Pass> PassRegistry::make_pass(std::string_view name) const { return make_pass(name, {}); }

Result<Pass> PassRegistry::make_pass(std::string_view name, std::string_view options) const {
  const std::string text =
      std::string(name) + (options.empty() ? "" : "{" + std::string(options) + "}");
  if (find_pass(name) == nullptr)
    return fail(ErrorCode::not_found,
                "unknown pass '" + std::string(name) + "' (known: " + known(passes_) + ")");
  ACCY_TRY_ASSIGN(Pipeline pipeline, parse_pipeline(text, {}));
  return std::get<Pass>(std::move(pipeline.steps.front()));
}

Result<Pipeline> PassRegistry::make_pipeline(std::string_view name) const {
  const PipelineRegistration* registration = find_pipeline(name);
  if (registration == nullptr)
    return fail(ErrorCode::not_found,
                "unknown pipeline '" + std::string(name) + "' (known: " + known(pipelines_) + ")");
  Pipeline pipeline{registration->name, {}};
  Nest* nest = nullptr;
  for (const PassPlanStep& step : registration->plan.steps) {
    const PassRegistration* pass = find_pass(step.pass);
    ACCY_TRY_ASSIGN(Pass made, pass->build(PassOptionValues(pass->options)));
    if (step.anchor.empty()) {
      nest = nullptr;
      pipeline.add(std::move(made));
      continue;
    }
    if (nest == nullptr || nest->anchor != step.anchor)
      nest = &pipeline.nest(std::string(step.anchor));
    nest->add(std::move(made));
  }
  return pipeline;
}

}  // namespace accy::choir
