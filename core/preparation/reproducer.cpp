#include "preparation/reproducer.hpp"

#include <algorithm>

#include "choir/text.hpp"
#include "dialect/dialects.hpp"
#include "preparation/compiler_identity.hpp"
#include "preparation/recipe.hpp"
#include "preparation/target_options.hpp"
#include "support/json.hpp"

namespace accy::preparation {

namespace {

using nlohmann::json;

constexpr std::string_view first_line = "// accy-reproducer 1\n";
constexpr std::string_view comment = "// ";
constexpr std::size_t heading_bytes_maximum = std::size_t{1} << 20;

Failure malformed(std::string_view file, int line, std::string_view what) {
  return fail(ErrorCode::invalid_input,
              std::string(file) + ":" + std::to_string(line) + ": " + std::string(what));
}

/// The fields of the heading, each of which a writer writes.
class HeadingReader {
 public:
  HeadingReader(const json& heading, std::string_view file) : heading_(heading), file_(file) {}

  Result<Reproducer> read() {
    Reproducer reproducer;
    choir::PassFailure& failure = reproducer.failure;
    std::string kind;
    for (const auto& [key, target] : {std::pair{"pipeline", &failure.pipeline},
                                      {"pass", &failure.pass},
                                      {"kind", &kind},
                                      {"steps", &failure.steps},
                                      {"op", &failure.op},
                                      {"symbol", &failure.symbol},
                                      {"error", &failure.error},
                                      {"compiler", &reproducer.compiler}})
      ACCY_TRY(read_text(key, *target));
    const auto known = choir::failure_kind_named(kind);
    if (!known) return malformed(file_, 2, "kind " + quote_for_message(kind) + " is unknown");
    failure.kind = *known;
    const json workers = heading_.value("workers", json());
    if (!workers.is_number_unsigned())
      return malformed(file_, 2, "the heading has no number 'workers'");
    failure.workers = workers.get<std::size_t>();
    const json profile = heading_.value("profile", json());
    if (!profile.is_null()) {
      ACCY_TRY_ASSIGN(reproducer.profile,
                      profile_from_json(profile.dump(), std::string(file_) + ":2"));
    }
    return reproducer;
  }

 private:
  Status read_text(const char* key, std::string& target) {
    const auto found = heading_.find(key);
    if (found == heading_.end() || !found->is_string())
      return malformed(file_, 2, "the heading has no text '" + std::string(key) + "'");
    target = found->get<std::string>();
    return {};
  }

  const json& heading_;
  std::string_view file_;
};

}  // namespace

std::string format_reproducer(const Reproducer& reproducer) {
  const choir::PassFailure& failure = reproducer.failure;
  json heading{{"compiler", reproducer.compiler},
               {"pipeline", failure.pipeline},
               {"kind", choir::to_string(failure.kind)},
               {"pass", failure.pass},
               {"steps", failure.steps},
               {"op", failure.op},
               {"symbol", failure.symbol},
               {"error", failure.error},
               {"workers", failure.workers},
               {"profile", nullptr}};
  if (reproducer.profile) heading["profile"] = json::parse(to_json(*reproducer.profile));
  // dump() without indentation writes one line; what is no UTF-8 is replaced.
  const std::string line = heading.dump(-1, ' ', false, json::error_handler_t::replace);
  return std::string(first_line) + std::string(comment) + line + "\n" + failure.module_text;
}

Result<Reproducer> parse_reproducer(std::string_view text, std::string_view file) {
  if (!text.starts_with(first_line))
    return malformed(file, 1,
                     "is no reproducer of this version (it does not begin with "
                     "'// accy-reproducer 1')");
  const std::string_view rest = text.substr(first_line.size());
  const std::size_t end = rest.find('\n');
  if (!rest.starts_with(comment) || end == std::string_view::npos)
    return malformed(file, 2, "has no heading");
  ACCY_TRY_ASSIGN(const json heading,
                  parse_json(rest.substr(comment.size(), end - comment.size()),
                             std::string(file) + ":2", {.bytes = heading_bytes_maximum}));
  if (!heading.is_object()) return malformed(file, 2, "the heading is no JSON object");
  ACCY_TRY_ASSIGN(Reproducer reproducer, HeadingReader(heading, file).read());
  // The whole text, whose heading is comments: places in errors are those of the file.
  reproducer.failure.module_text = text;
  return reproducer;
}

std::string reproducer_name(std::string_view program, const choir::PassFailure& failure) {
  std::string name = std::string(program) + "-" + failure.pipeline;
  if (!failure.pass.empty()) name += "-" + failure.pass;
  if (!failure.symbol.empty()) name += "-" + failure.symbol;
  std::ranges::replace_if(
      name,
      [](char character) {
        const bool plain = (character >= 'a' && character <= 'z') ||
                           (character >= 'A' && character <= 'Z') ||
                           (character >= '0' && character <= '9') || character == '-' ||
                           character == '_' || character == '.';
        return !plain;
      },
      '_');
  return name.substr(0, 200) + ".choir";
}

Result<std::optional<choir::PassFailure>>
reproduce(const Reproducer& reproducer, std::string_view file, const target::Backend* backend) {
  const choir::PassFailure& recorded = reproducer.failure;
  ACCY_TRY_ASSIGN(choir::Module module,
                  choir::parse_and_verify(recorded.module_text, file, registry()));
  ACCY_TRY_ASSIGN(const TargetOptions target, read_target_options(module));
  const TargetProfile* profile = reproducer.profile ? &*reproducer.profile : nullptr;
  const choir::PassRegistry passes =
      pass_registry({.schedules = target.schedules, .profile = profile, .backend = backend});
  ACCY_TRY_ASSIGN(choir::Pipeline pipeline,
                  passes.parse_pipeline(recorded.steps, recorded.pipeline));
  choir::PassManager manager(std::move(pipeline));
  const Status status = manager.run(module, {.workers = recorded.workers});
  if (!status) return std::optional(*manager.last_failure());
  if (recorded.kind != choir::FailureKind::stage_refused)
    return std::optional<choir::PassFailure>();
  remove_target_options(module);
  for (std::size_t index = 0; index < stage_count; ++index) {
    const auto stage = static_cast<Stage>(index);
    if (to_string(stage) != module.stage()) continue;
    if (const Status sealed = stage_spec(stage).check(module); !sealed)
      return std::optional(choir::PassFailure{.pipeline = recorded.pipeline,
                                              .kind = choir::FailureKind::stage_refused,
                                              .op = sealed.error().op,
                                              .error = sealed.error().to_string()});
  }
  return std::optional<choir::PassFailure>();
}

bool same_failure(const choir::PassFailure& recorded, const choir::PassFailure& seen) {
  if (recorded.kind == choir::FailureKind::crashed) return true;
  return recorded.kind == seen.kind && recorded.pass == seen.pass && recorded.op == seen.op &&
         recorded.symbol == seen.symbol;
}

}  // namespace accy::preparation
