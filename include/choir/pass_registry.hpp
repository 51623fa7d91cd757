// Pass registry: passes and pipelines by name, typed options, pipelines as text.
//
//   pipeline := [step ("," step)*]
//   step     := NAME [options]            a pass, or a registered pipeline, put here step by step
//             | ANCHOR "(" pipeline ")"   a nested pipeline: "kernel.func(legalize,emit-code)"
//   options  := "{" [key "=" value ("," key "=" value)*] "}"
//   value    := true | false | INTEGER | WORD | "TEXT", by the option's kind
//
// A NAME is the full one, "accy-choir-canonicalize", or its alias, which leaves the package's
// prefix out: "canonicalize".
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "accy/export.hpp"
#include "choir/pass.hpp"

namespace accy::choir {

using PassOptionValue = std::variant<bool, std::int64_t, std::string>;

/// One option of a pass: the default's type is the option's.
struct ACCY_EXPORT PassOptionSpec {
  std::string_view name;
  std::string_view description;
  PassOptionValue fallback;
  std::int64_t minimum = 0;  ///< least value of an integer
  std::int64_t maximum = std::int64_t{1} << 62;
  std::span<const std::string_view> choices = {};  ///< of a text; empty: any
};

/// Values for all options of a pass, defaults where none was given.
class ACCY_EXPORT PassOptionValues {
 public:
  /// The defaults.
  explicit PassOptionValues(std::span<const PassOptionSpec> specs = {});
  /// Errors: an unknown option (with the known ones), another type, a value outside its limits.
  Status set(std::string_view name, PassOptionValue value);

  bool boolean(std::string_view name) const;
  std::int64_t integer(std::string_view name) const;
  const std::string& text(std::string_view name) const;
  /// "{a = 1,b = true}" without braces, of the options that differ from their default, by name.
  std::string to_string() const;

 private:
  const PassOptionValue& value(std::string_view name) const;
  std::span<const PassOptionSpec> specs_;
  std::map<std::string_view, PassOptionValue> values_;
};

/// A pass by name.
struct ACCY_EXPORT PassRegistration {
  std::string_view name;
  std::string_view description;
  /// The analysis that it computes or rests on; empty: none.
  std::string_view analysis = {};
  std::span<const PassOptionSpec> options = {};  ///< static data of the pass
  /// Makes the pass. Errors: what it needs besides options is missing.
  std::function<Result<Pass>(const PassOptionValues&)> build;
};

/// The registration of a pass that has no options.
ACCY_EXPORT PassRegistration registration(Pass pass);
/// That of a pass with options; `defaults` gives name and description.
ACCY_EXPORT PassRegistration
registration(const Pass& defaults, std::span<const PassOptionSpec> options,
             std::function<Result<Pass>(const PassOptionValues&)> build);

/// Canonical text of options: those that differ from the default, by name. The names must exist and
/// the values be within their limits.
ACCY_EXPORT std::string
spell_options(std::span<const PassOptionSpec> specs,
              std::initializer_list<std::pair<std::string_view, PassOptionValue>> values);

/// One step of a plan: a registered pass with default options, on the module or nested.
struct ACCY_EXPORT PassPlanStep {
  std::string_view pass;
  std::string_view anchor = {};  ///< empty: the module
};

/// The ordered steps of a stage. Neighbours of one anchor are one nested pipeline.
struct ACCY_EXPORT PassPlan {
  std::vector<PassPlanStep> steps;
};

/// A pipeline by name.
struct ACCY_EXPORT PipelineRegistration {
  std::string_view name;
  std::string_view description;
  PassPlan plan;
};

/// What a package registers together.
struct ACCY_EXPORT PackageExtension {
  std::string_view name;  ///< also the prefix, with '-', that aliases leave out
  std::vector<PassRegistration> passes;
  std::vector<PipelineRegistration> pipelines;
};

class ACCY_EXPORT PassRegistry {
 public:
  /// Errors: a name or alias that is taken, a plan that names no pass.
  Status add(PackageExtension extension);

  /// By name or alias; null when there is none.
  const PassRegistration* find_pass(std::string_view name) const;
  const PipelineRegistration* find_pipeline(std::string_view name) const;
  const std::vector<PassRegistration>& passes() const { return passes_; }
  const std::vector<PipelineRegistration>& pipelines() const { return pipelines_; }

  /// The pass of that name with these options, or the defaults.
  Result<Pass> make_pass(std::string_view name) const;
  Result<Pass> make_pass(std::string_view name, std::string_view options) const;
  /// A registered pipeline with all defaults.
  Result<Pipeline> make_pipeline(std::string_view name) const;
  /// A pipeline from its text; errors give the column. The pipeline's own name is `name`, which
  /// lives as long as the pipeline.
  Result<Pipeline> parse_pipeline(std::string_view text, std::string_view name) const;

 private:
  std::vector<PassRegistration> passes_;
  std::vector<PipelineRegistration> pipelines_;
  std::vector<std::string> prefixes_;
};

}  // namespace accy::choir
