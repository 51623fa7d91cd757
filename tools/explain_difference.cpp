#include "tools/explain_difference.hpp"

#include <algorithm>
#include <fmt/core.h>
#include <iterator>
#include <set>

#include "tools/json_output.hpp"
#include "tools/program_difference.hpp"

namespace accy::tools {
namespace {

using nlohmann::json;
using preparation::Stage;

const choir::Module& program_of(const ExplainedCompile& compile) {
  return compile.result.module.stage<Stage::semantic>().module();
}

/// Whether two compiles decided the same, places and names of values aside.
class Comparison {
 public:
  Comparison(const ExplainedCompile& first, const ExplainedCompile& second)
      : in_first_(program_of(first)), in_second_(program_of(second)) {}

  bool operator()(const choir::Decision& a, const choir::Decision& b) const {
    return a.stage == b.stage && a.pass == b.pass && a.kind == b.kind && a.accepted == b.accepted &&
           (text(a) == text(b) || in_first_.rename(text(a)) == in_second_.rename(text(b)));
  }

 private:
  static std::string text(const choir::Decision& decision) {
    return decision.subject + '\n' + decision.choice + '\n' + decision.reason;
  }

  Renamer in_first_;
  Renamer in_second_;
};

std::string name_of(const ExplainedCompile& compile) {
  return compile.program + " for " + compile.result.profile.id();
}

bool concerns(const ProgramDifference& difference, const ExplainDifference& decisions) {
  const auto has = [&](const std::optional<choir::Decision>& decision,
                       const SourceLocation& place) {
    return decision && std::ranges::find(decision->places, place) != decision->places.end();
  };
  return difference.places.empty() ||  // of an input or of the whole program
         std::ranges::any_of(difference.places, [&](const SourceLocation& place) {
           return has(decisions.first, place) || has(decisions.second, place);
         });
}

/// What differs in the programs where the decisions are made, or anywhere when nothing does there.
void add_program_causes(const ExplainedCompile& first, const ExplainedCompile& second,
                        ExplainDifference& difference) {
  const auto programs = program_differences(program_of(first), program_of(second));
  const auto concerning = [&](const ProgramDifference& each) { return concerns(each, difference); };
  const bool all = std::ranges::none_of(programs, concerning);
  for (const ProgramDifference& each : programs)
    if (all || concerning(each)) difference.causes.push_back(each.text);
}

/// Fields that a stage up to the decision's read of either profile.
std::set<std::string> fields_read(const ExplainedCompile& first, const ExplainedCompile& second,
                                  const ExplainDifference& difference) {
  const choir::Decision& decision = difference.first ? *difference.first : *difference.second;
  std::set<std::string> fields;
  for (const ExplainedCompile* compile : {&first, &second})
    for (const Stage stage : {Stage::kernel, Stage::target})
      if (stage == Stage::kernel || decision.stage == to_string(Stage::target))
        for (const choir::Fact& fact : compile->result.module.stage(stage)->metadata().facts)
          fields.insert(fact.name);
  return fields;
}

/// Fields of the profiles that were read and that differ: those that a reason names, or all when
/// it names none.
void add_profile_causes(const ExplainedCompile& first, const ExplainedCompile& second,
                        ExplainDifference& difference) {
  const auto reason = [](const std::optional<choir::Decision>& decision) {
    return decision ? decision->reason + " " : std::string();
  };
  const std::string reasons = reason(difference.first) + reason(difference.second);
  std::vector<std::string> all;
  std::vector<std::string> named;
  for (const std::string& field : fields_read(first, second, difference)) {
    const std::string a = profile_field_json(first.result.profile, field);
    const std::string b = profile_field_json(second.result.profile, field);
    if (a == b) continue;
    all.push_back(fmt::format("profile field {}: {} and {}", field, json::parse(a).dump(),
                              json::parse(b).dump()));
    if (reasons.find(field) != std::string::npos) named.push_back(all.back());
  }
  std::ranges::copy(named.empty() ? all : named, std::back_inserter(difference.causes));
}

json decision_document(const std::optional<choir::Decision>& decision) {
  if (!decision) return nullptr;
  return {{"stage", decision->stage},     {"pass", decision->pass},
          {"kind", decision->kind},       {"verdict", decision->accepted ? "accepted" : "refused"},
          {"subject", decision->subject}, {"choice", decision->choice},
          {"reason", decision->reason}};
}

std::string decision_text(const std::optional<choir::Decision>& decision) {
  if (!decision) return "decides nothing more";
  return fmt::format("{}, {}: {} {}{}: {}, because {}", decision->stage, decision->pass,
                     decision->kind, decision->accepted ? "" : "refused, ", decision->subject,
                     decision->choice, decision->reason);
}

}  // namespace

ExplainDifference first_difference(const ExplainedCompile& first, const ExplainedCompile& second) {
  ExplainDifference difference{.first_name = name_of(first),
                               .second_name = name_of(second),
                               .first = {},
                               .second = {},
                               .causes = {}};
  const auto [left, right] =
      std::ranges::mismatch(first.decisions, second.decisions, Comparison(first, second));
  if (left != first.decisions.end()) difference.first = *left;
  if (right != second.decisions.end()) difference.second = *right;
  if (!difference.first && !difference.second) return difference;
  const choir::Decision& decision = difference.first ? *difference.first : *difference.second;
  const bool reads_profile =
      decision.stage == to_string(Stage::kernel) || decision.stage == to_string(Stage::target);
  add_program_causes(first, second, difference);
  if (reads_profile) add_profile_causes(first, second, difference);
  return difference;
}

std::string to_text(const ExplainDifference& difference) {
  std::string text =
      fmt::format("first:  {}\nsecond: {}\n", difference.first_name, difference.second_name);
  if (!difference.first && !difference.second) return text + "no decision differs\n";
  text += "the first decision that differs:\n";
  text += "  first:  " + decision_text(difference.first) + "\n";
  text += "  second: " + decision_text(difference.second) + "\n";
  text += difference.causes.empty() ? "why: nothing that was read differs\n" : "why:\n";
  for (const std::string& cause : difference.causes) text += "  " + cause + "\n";
  return text;
}

json to_document(const ExplainDifference& difference) {
  json document = json_document("explain_difference");
  document["compiles"] = {difference.first_name, difference.second_name};
  document["differs"] = difference.first.has_value() || difference.second.has_value();
  document["first"] = decision_document(difference.first);
  document["second"] = decision_document(difference.second);
  document["causes"] = difference.causes;
  return document;
}

}  // namespace accy::tools
