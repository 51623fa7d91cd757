#include "support/case_actions.hpp"

#include <algorithm>
#include <charconv>
#include <sstream>

#include "choir/text.hpp"
#include "dialect/dialects.hpp"
#include "preparation/recipe.hpp"
#include "support/case_options.hpp"
#include "targets/registry.hpp"

#ifdef ACCY_SPIRV_TOOLS
#include <spirv-tools/libspirv.hpp>
#endif

namespace accy::test {
namespace {

using preparation::Stage;

std::string name_of(const CaseFile& file) { return file.path.filename().string(); }

Result<choir::Module> read_module(const CaseFile& file) {
  return choir::parse_and_verify(file.input, name_of(file), registry());
}

Result<Stage> stage_named(std::string_view name) {
  for (std::size_t index = 0; index < preparation::stage_count; ++index)
    if (preparation::to_string(static_cast<Stage>(index)) == name)
      return static_cast<Stage>(index);
  return fail(ErrorCode::invalid_input, "no stage is named '" + std::string(name) + "'");
}

Result<std::string> argument(const CaseFile& file) {
  if (file.arguments.size() == 1) return file.arguments.front();
  return fail(ErrorCode::invalid_input, "'" + file.action + "' takes one word, not " +
                                            std::to_string(file.arguments.size()));
}

std::string printed(const choir::Module& module) {
  return choir::print(module, {.locations = false, .names = true});
}

Status run_passes(choir::Pipeline pipeline, choir::Module& module) {
  return choir::PassManager(std::move(pipeline)).run(module);
}

preparation::RecipeArguments arguments_of(const CaseOptions& options) {
  return {.dimensions = options.dimensions,
          .profile = options.profile ? &*options.profile : nullptr,
          .backend = options.backend};
}

Status run_stages(choir::Module& module, Stage first, Stage last, const CaseOptions& options) {
  for (auto index = static_cast<std::size_t>(first); index <= static_cast<std::size_t>(last);
       ++index) {
    const auto stage = static_cast<Stage>(index);
    ACCY_TRY_ASSIGN(choir::Pipeline pipeline,
                    preparation::stage_pipeline(stage, arguments_of(options)));
    module.set_stage(preparation::to_string(stage));
    ACCY_TRY(run_passes(std::move(pipeline), module));
    ACCY_TRY(preparation::stage_spec(stage).check(module));
  }
  return {};
}

Result<std::string> perform_pass(const CaseFile& file, const CaseOptions& options) {
  ACCY_TRY_ASSIGN(const std::string name, argument(file));
  ACCY_TRY_ASSIGN(choir::Module module, read_module(file));
  ACCY_TRY_ASSIGN(choir::Pipeline pipeline,
                  preparation::pass_registry(arguments_of(options)).parse_pipeline(name, "case"));
  ACCY_TRY(run_passes(std::move(pipeline), module));
  return printed(module);
}

/// "contract..kernel", or one stage's name.
Result<std::string> perform_stages(const CaseFile& file, const CaseOptions& options) {
  ACCY_TRY_ASSIGN(const std::string range, argument(file));
  const std::size_t dots = range.find("..");
  ACCY_TRY_ASSIGN(const Stage first, stage_named(range.substr(0, dots)));
  ACCY_TRY_ASSIGN(const Stage last,
                  stage_named(dots == std::string::npos ? range : range.substr(dots + 2)));
  ACCY_TRY_ASSIGN(choir::Module module, read_module(file));
  ACCY_TRY(run_stages(module, first, last, options));
  return printed(module);
}

Result<std::string> readable_code(const choir::Attribute& code) {
  if (code.is(choir::AttributeKind::string)) return std::string(code.text());
#ifdef ACCY_SPIRV_TOOLS
  std::vector<std::uint32_t> words(code.data().size() / sizeof(std::uint32_t));
  std::ranges::copy(code.data(), std::as_writable_bytes(std::span(words)).begin());
  std::string text;
  const spvtools::SpirvTools tools(SPV_ENV_VULKAN_1_3);
  if (tools.Disassemble(words, &text, SPV_BINARY_TO_TEXT_OPTION_FRIENDLY_NAMES)) return text;
#endif
  return fail(ErrorCode::unsupported, "code is binary and cannot be shown");
}

/// From a semantic program through all stages, from any other through the target's alone.
Result<std::string> perform_emit(const CaseFile& file, CaseOptions options) {
  ACCY_TRY_ASSIGN(const std::string profile, argument(file));
  ACCY_TRY(options.set_profile(profile));
  ACCY_TRY_ASSIGN(choir::Module module, read_module(file));
  if (module.stage() == "semantic") {
    ACCY_TRY(run_stages(module, Stage::contract, Stage::target, options));
  } else {
    ACCY_TRY_ASSIGN(choir::Pipeline pipeline,
                    preparation::stage_pipeline(Stage::target, arguments_of(options)));
    ACCY_TRY(run_passes(std::move(pipeline), module));
  }
  std::string output;
  for (const choir::Operation* operation : module.body().operations()) {
    if (operation->name() != "target.code") continue;
    ACCY_TRY_ASSIGN(const std::string code, readable_code(operation->attribute("code")));
    output += "// kernel @" + std::string(operation->symbol()) + "\n" + code;
  }
  return output;
}

/// STAGE of the text's `choir STAGE v1`.
std::string stage_word(const CaseFile& file) {
  std::istringstream words(
      file.input.substr(std::min(file.input.find("choir "), file.input.size())));
  std::string stage;
  words >> stage >> stage;
  return stage;
}

Result<std::string> perform_verify(const CaseFile& file) {
  if (const auto stage = stage_named(stage_word(file))) {
    ACCY_TRY(preparation::stage_spec(*stage).read(file.input, name_of(file), registry()));
  } else {
    ACCY_TRY(read_module(file));
  }
  return std::string();
}

}  // namespace

Result<CaseOptions> CaseOptions::from(const CaseFile& file) {
  CaseOptions options;
  for (const auto& [key, value] : file.options) {
    if (key == "profile") {
      ACCY_TRY(options.set_profile(value));
      continue;
    }
    const char* end = value.data() + value.size();
    if (std::from_chars(value.data(), end, options.dimensions[key]).ptr != end)
      return fail(ErrorCode::invalid_input,
                  "option '" + key + "' is no size of a dimension (" + value + ")");
  }
  return options;
}

Status CaseOptions::set_profile(std::string_view id) {
  ACCY_TRY_ASSIGN(profile, targets::find_profile(id));
  backend = targets::find_backend(profile->target);
  return {};
}

std::string missing_target(const CaseFile& file) {
  std::string profile;
  if (file.action == "emit" && !file.arguments.empty()) profile = file.arguments.front();
  if (const auto option = file.options.find("profile"); option != file.options.end())
    profile = option->second;
  const std::string target = profile.substr(0, profile.find(':'));
  return targets::find_backend(target) == nullptr ? target : "";
}

bool has_output(const CaseFile& file) { return file.action != "verify" && file.action != "run"; }

Result<std::string> perform(const CaseFile& file) {
  ACCY_TRY_ASSIGN(CaseOptions options, CaseOptions::from(file));
  if (file.action == "pass") return perform_pass(file, options);
  if (file.action == "pipeline" || file.action == "stages") return perform_stages(file, options);
  if (file.action == "emit") return perform_emit(file, std::move(options));
  if (file.action == "verify") return perform_verify(file);
  if (file.action == "run") {
    ACCY_TRY(run_lines(file));
    return std::string();
  }
  if (file.action == "round_trip") return read_module(file).map(printed);
  return fail(ErrorCode::invalid_input, "unknown action '" + file.action +
                                            "' (pass, pipeline, stages, emit, verify, run, "
                                            "round_trip)");
}

Status check_round_trip(const CaseFile& file) {
  const auto module = read_module(file);
  if (!module) return {};
  const std::string text = choir::print(*module);
  ACCY_TRY_ASSIGN(const choir::Module again,
                  choir::parse_and_verify(text, name_of(file), registry()));
  if (choir::print(again) == text) return {};
  return fail(ErrorCode::internal, "printing what was read from a print gives another text");
}

}  // namespace accy::test
