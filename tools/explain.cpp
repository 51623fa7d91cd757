#include "tools/explain.hpp"

#include <algorithm>
#include <fmt/core.h>
#include <map>
#include <span>

#include "dialect/host/host.hpp"
#include "semantic/job.hpp"
#include "support/file.hpp"
#include "tools/assignments.hpp"
#include "tools/compile.hpp"
#include "tools/explain_difference.hpp"
#include "tools/explain_page.hpp"
#include "tools/json_output.hpp"

namespace accy::tools {
namespace {

using nlohmann::json;
using preparation::Stage;

Result<ExplainedCompile> compile(const std::filesystem::path& file, const std::string& target,
                                 const ExplainOptions& options) {
  ACCY_TRY_ASSIGN(const TargetChoice choice, choose_target(target));
  ACCY_TRY_ASSIGN(semantic::SemanticModule program, semantic::read_semantic_module(file));
  choir::DecisionLog decisions(true);
  choir::TimingInstrumentation timing;
  // Without a store: what is found there was decided by another compile.
  preparation::PreparationOptions preparation;
  preparation.decisions = &decisions;
  preparation.instrumentation = &timing;
  ACCY_TRY_ASSIGN(preparation.dimensions, parse_dimensions(options.dimensions));
  ACCY_TRY_ASSIGN(CompileResult result, compile_for(choice, std::move(program), preparation));
  result.timing = CompileTiming{timing.passes(), timing.analyses()};
  return ExplainedCompile{file.string(), std::move(result), decisions.list()};
}

bool concerns(const std::vector<SourceLocation>& places, const SourceLocation& place) {
  return std::ranges::find(places, place) != places.end();
}

/// What moves elements leaves no operation in a kernel program, so the places of a decision about a
/// kernel or an item may lack it: those decisions are known by their subject.
bool concerns(const choir::Decision& decision, const SourceLocation& place,
              std::span<const ExplainedLaunch> launches) {
  return concerns(decision.places, place) ||
         std::ranges::any_of(launches, [&](const ExplainedLaunch& launch) {
           return (decision.subject == "@" + launch.kernel ||
                   decision.subject == "item " + std::to_string(launch.item)) &&
                  concerns(launch.places, place);
         });
}

/// The places of each work item by its number. The memory product has the items whole; a launch
/// knows only where their results come from.
std::map<std::int64_t, std::vector<SourceLocation>>
places_of_items(const ExplainedCompile& compile) {
  std::map<std::int64_t, std::vector<SourceLocation>> places;
  const choir::Module& module = compile.result.module.stage<Stage::memory>().module();
  for (const choir::Operation* operation : host::find_function(module)->body().operations())
    if (operation->name() == "host.item_into")
      places[host::integer_or(*operation, "order", -1)] = choir::places_within(*operation);
  return places;
}

/// "%y", "y", "tensor.softmax", "7" or "7:3".
bool is_selected(const ExplainedOperation& operation, std::string_view selection) {
  if (selection.empty()) return true;
  const std::string line = std::to_string(operation.place.line);
  return selection == operation.op ||
         (!operation.value.empty() &&
          (selection == operation.value || selection == "%" + operation.value)) ||
         selection == line || selection == line + ":" + std::to_string(operation.place.column);
}

std::string text_of(const ExplainedOperation& operation) {
  const std::string value = operation.value.empty() ? "" : "%" + operation.value + " = ";
  return fmt::format("{}:{}  {}{}", operation.place.line, operation.place.column, value,
                     operation.op);
}

Failure nothing_selected(const std::vector<ExplainedOperation>& all, std::string_view selection) {
  std::string known;
  for (const ExplainedOperation& operation : all)
    known += (known.empty() ? "" : ", ") +
             (operation.value.empty() ? operation.op : "%" + operation.value);
  return fail(ErrorCode::invalid_input, "the program has no operation '" + std::string(selection) +
                                            "' (known: " + known + ")");
}

void print_for_people(const ExplainedCompile& compile,
                      const std::vector<ExplainedOperation>& operations, std::ostream& output) {
  output << compile.program << " for " << compile.result.profile.id() << '\n';
  for (const ExplainedOperation& operation : operations) {
    output << text_of(operation) << '\n';
    for (const choir::Decision* decision : operation.decisions)
      output << fmt::format("  {:<8} {} {}{}: {}\n           because {}\n", decision->stage,
                            decision->kind, decision->accepted ? "" : "refused, ",
                            decision->subject, decision->choice, decision->reason);
    for (const std::string& kernel : operation.kernels)
      output << fmt::format("  computed by @{}\n", kernel);
  }
}

json decision_document(const choir::Decision& decision) {
  return {{"stage", decision.stage},     {"pass", decision.pass},
          {"kind", decision.kind},       {"verdict", decision.accepted ? "accepted" : "refused"},
          {"subject", decision.subject}, {"choice", decision.choice},
          {"reason", decision.reason}};
}

}  // namespace

std::vector<ExplainedLaunch> launches_of(const ExplainedCompile& compile) {
  std::vector<ExplainedLaunch> launches;
  const auto places = places_of_items(compile);
  const choir::Module& module = compile.result.module.stage<Stage::target>().module();
  module.operation().walk([&](const choir::Operation& operation) {
    if (operation.name() != "host.launch") return;
    const std::int64_t item = host::integer_or(operation, "item", -1);
    launches.push_back({std::string(operation.attribute("kernel").text()),
                        std::string(operation.attribute("kind").text()),
                        std::string(operation.attribute("schedule").text()), item,
                        places.at(item)});
  });
  return launches;
}

Result<std::vector<ExplainedOperation>> explain_operations(const ExplainedCompile& compile,
                                                           std::string_view operation) {
  const std::vector<ExplainedLaunch> launches = launches_of(compile);
  std::vector<ExplainedOperation> all;
  const choir::Operation* function =
      semantic::find_function(compile.result.module.stage<Stage::semantic>().module());
  for (const choir::Operation* source : function->body().operations()) {
    if (source->has(choir::Trait::terminator)) continue;
    ExplainedOperation explained{.place = source->location().first(),
                                 .op = std::string(source->name()),
                                 .value = std::string(source->result()->name()),
                                 .decisions = {},
                                 .kernels = {}};
    for (const choir::Decision& decision : compile.decisions)
      if (concerns(decision, explained.place, launches)) explained.decisions.push_back(&decision);
    for (const ExplainedLaunch& launch : launches)
      if (concerns(launch.places, explained.place) &&
          std::ranges::find(explained.kernels, launch.kernel) == explained.kernels.end())
        explained.kernels.push_back(launch.kernel);
    all.push_back(std::move(explained));
  }
  std::vector<ExplainedOperation> selected;
  std::ranges::copy_if(all, std::back_inserter(selected), [&](const ExplainedOperation& each) {
    return is_selected(each, operation);
  });
  if (selected.empty() && !operation.empty()) return nothing_selected(all, operation);
  return selected;
}

json to_document(const ExplainedCompile& compile,
                 const std::vector<ExplainedOperation>& operations) {
  json document = to_document(compile.result);
  document["schema"] = "accy.explain/1";
  document["program"] = compile.program;
  document["operations"] = json::array();
  for (const ExplainedOperation& operation : operations) {
    json entry{{"place",
                {{"file", operation.place.file},
                 {"line", operation.place.line},
                 {"column", operation.place.column}}},
               {"op", operation.op},
               {"value", operation.value},
               {"kernels", operation.kernels},
               {"decisions", json::array()}};
    for (const choir::Decision* decision : operation.decisions)
      entry["decisions"].push_back(decision_document(*decision));
    document["operations"].push_back(std::move(entry));
  }
  document["decisions"] = json::array();
  for (const choir::Decision& decision : compile.decisions)
    document["decisions"].push_back(decision_document(decision));
  return document;
}

namespace {

Status explain_one(const ExplainOptions& options, std::ostream& output) {
  ACCY_TRY_ASSIGN(const ExplainedCompile compiled,
                  compile(options.file, options.targets.front(), options));
  ACCY_TRY_ASSIGN(const std::vector<ExplainedOperation> operations,
                  explain_operations(compiled, options.operation));
  if (!options.html.empty()) {
    const std::string page = explain_page(compiled);
    ACCY_TRY(write_file(options.html, std::as_bytes(std::span(page))));
  }
  if (options.json)
    print_json(output, to_document(compiled, operations));
  else
    print_for_people(compiled, operations, output);
  return {};
}

Status compare(const ExplainOptions& options, std::ostream& output) {
  const bool programs = !options.difference.empty();
  ACCY_TRY_ASSIGN(
      const ExplainedCompile first,
      compile(programs ? options.difference[0] : options.file, options.targets.front(), options));
  ACCY_TRY_ASSIGN(
      const ExplainedCompile second,
      compile(programs ? options.difference[1] : options.file, options.targets.back(), options));
  const ExplainDifference difference = first_difference(first, second);
  if (options.json)
    print_json(output, to_document(difference));
  else
    output << to_text(difference);
  return {};
}

}  // namespace

Status run_explain(const ExplainOptions& options, std::ostream& output) {
  if (options.file.empty() == options.difference.empty())
    return fail(ErrorCode::invalid_input, "explain takes either one program or --diff and two");
  if (options.targets.size() > 2)
    return fail(ErrorCode::invalid_input, "explain takes one target, or two to compare (got " +
                                              std::to_string(options.targets.size()) + ")");
  const bool compares = !options.difference.empty() || options.targets.size() == 2;
  if (!compares) return explain_one(options, output);
  // A comparison has neither one operation's decisions nor a page.
  if (!options.operation.empty() || !options.html.empty())
    return fail(ErrorCode::invalid_input,
                std::string(options.html.empty() ? "--op" : "--html") +
                    " explains one compile; two are compared without it");
  return compare(options, output);
}

}  // namespace accy::tools
