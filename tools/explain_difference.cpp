#include "tools/explain_difference.hpp"

#include <algorithm>
#include <fmt/core.h>

#include "choir/text.hpp"
#include "semantic/job.hpp"
#include "tools/json_output.hpp"

namespace accy::tools {
namespace {

using nlohmann::json;
using preparation::Stage;

/// Places aside: a line more above changes no decision.
bool same(const choir::Decision& a, const choir::Decision& b) {
  return a.stage == b.stage && a.pass == b.pass && a.kind == b.kind && a.accepted == b.accepted &&
         a.subject == b.subject && a.choice == b.choice && a.reason == b.reason;
}

std::string name_of(const ExplainedCompile& compile) {
  return compile.program + " for " + compile.result.profile.id();
}

/// The program's operations as text, a line each.
std::vector<std::string> lines_of(const ExplainedCompile& compile) {
  std::vector<std::string> lines;
  const choir::Operation* function =
      semantic::find_function(compile.result.module.stage<Stage::semantic>().module());
  for (const choir::Operation* operation : function->body().operations())
    lines.push_back(choir::print(*operation, {.locations = false, .names = true}));
  return lines;
}

/// The first operations in which the programs differ.
void add_program_causes(const ExplainedCompile& first, const ExplainedCompile& second,
                        std::vector<std::string>& causes) {
  const std::vector<std::string> a = lines_of(first);
  const std::vector<std::string> b = lines_of(second);
  const auto [left, right] = std::ranges::mismatch(a, b);
  if (left != a.end()) causes.push_back("first program:  " + *left);
  if (right != b.end()) causes.push_back("second program: " + *right);
}

/// Fields of the profiles that a stage read and that differ.
void add_profile_causes(const ExplainedCompile& first, const ExplainedCompile& second,
                        std::vector<std::string>& causes) {
  for (const Stage stage : {Stage::kernel, Stage::target})
    for (const choir::Fact& fact : first.result.module.stage(stage)->metadata().facts) {
      const std::string other = profile_field_json(second.result.profile, fact.name);
      const std::string cause =
          fmt::format("profile field {}: {} and {}", fact.name, json::parse(fact.value).dump(),
                      json::parse(other).dump());
      if (other != fact.value && std::ranges::find(causes, cause) == causes.end())
        causes.push_back(cause);
    }
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
  const auto [left, right] = std::ranges::mismatch(first.decisions, second.decisions, same);
  if (left != first.decisions.end()) difference.first = *left;
  if (right != second.decisions.end()) difference.second = *right;
  if (!difference.first && !difference.second) return difference;
  add_program_causes(first, second, difference.causes);
  if (difference.causes.empty()) add_profile_causes(first, second, difference.causes);
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
