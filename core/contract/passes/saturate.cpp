#include "contract/passes/saturate.hpp"

#include "contract/saturation/cost.hpp"
#include "contract/saturation/program.hpp"
#include "contract/saturation/rules.hpp"
#include "semantic/numeric.hpp"

namespace accy::contract {

using choir::Operation;
using choir::SaturationLimits;

namespace {

void record(choir::DecisionLog& log, const Operation& function, const choir::SaturationRun& run,
            std::size_t nodes, std::uint64_t before, std::uint64_t after) {
  if (!log.on()) return;
  const bool better = after < before;
  const std::string cost = "cost " + std::to_string(after);
  log.record(
      {.kind = "saturation",
       .accepted = better,
       .subject = choir::subject_of(function),
       .choice =
           better ? cost + " instead of " + std::to_string(before) : "another program of " + cost,
       .reason = (better ? "" : "the program's own cost is " + std::to_string(before) + "; ") +
                 std::to_string(run.total) + " equalities among " + std::to_string(nodes) +
                 " nodes in " + std::to_string(run.iterations) + " iterations, until " +
                 std::string(to_string(run.stop)),
       .places = choir::places_of(function.location())});
}

bool saturate(Operation& function, bool reorders, const SaturationLimits& limits,
              choir::DecisionLog& log) {
  const std::vector<choir::RewriteRule>& rules = saturation_rules();
  ProgramGraph program(function.body(), node_constant);
  const std::uint64_t before = choir::program_cost(program.graph(), program.roots(), node_cost);
  const choir::SaturationRun run = choir::Rewriter(program.graph(), rules, limits, reorders).run();
  if (run.total == 0) return false;
  const choir::Extraction best = choir::extract(program.graph(), program.roots(), node_cost);
  record(log, function, run, program.graph().node_count(), before, best.cost);
  if (best.cost >= before) return false;
  program.rebuild(best, rules, log);
  return true;
}

Result<choir::PassChange> run(choir::PassContext& context, const SaturationLimits& limits) {
  ACCY_TRY_ASSIGN(const semantic::NumericContract contract,
                  semantic::numeric_contract(context.module));
  const bool reorders =
      contract.mode == semantic::NumericMode::fast && contract.order == semantic::Order::free;
  bool changed = false;
  for (Operation* function : context.module.body().operations())
    if (function->region_count() != 0 && saturate(*function, reorders, limits, context.decisions))
      changed = true;
  return changed ? choir::PassChange::changed : choir::PassChange::unchanged;
}

std::int64_t whole(std::size_t value) { return static_cast<std::int64_t>(value); }

std::span<const choir::PassOptionSpec> option_specs() {
  constexpr std::int64_t most = std::int64_t{1} << 20;
  constexpr SaturationLimits defaults;
  static const choir::PassOptionSpec specs[] = {
      {"nodes_maximum", "nodes of the e-graph", whole(defaults.nodes), 1, most},
      {"iterations_maximum", "rounds of all rules", whole(defaults.iterations), 0, most},
      {"matches_maximum", "equalities found by all rules", whole(defaults.matches), 0, most},
      {"rule_matches_maximum", "equalities that one rule may find in a round",
       whole(defaults.rule_matches), 1, most},
      {"rule_pause", "rounds that a rule sits out after more", whole(defaults.rule_pause), 1,
       most}};
  return specs;
}

}  // namespace

choir::Pass saturate_pass(SaturationLimits limits) {
  return {.name = "accy-choir-saturate",
          .description = "Take the cheapest of the programs that rules find equal",
          .options = choir::spell_options(option_specs(),
                                          {{"nodes_maximum", whole(limits.nodes)},
                                           {"iterations_maximum", whole(limits.iterations)},
                                           {"matches_maximum", whole(limits.matches)},
                                           {"rule_matches_maximum", whole(limits.rule_matches)},
                                           {"rule_pause", whole(limits.rule_pause)}}),
          .run = [limits](choir::PassContext& context) { return run(context, limits); },
          .preserved = {}};
}

choir::PassRegistration saturate_registration() {
  return choir::registration(saturate_pass({}), option_specs(),
                             [](const choir::PassOptionValues& values) -> Result<choir::Pass> {
                               const auto size = [&](std::string_view name) {
                                 return static_cast<std::size_t>(values.integer(name));
                               };
                               return saturate_pass({.nodes = size("nodes_maximum"),
                                                     .iterations = size("iterations_maximum"),
                                                     .matches = size("matches_maximum"),
                                                     .rule_matches = size("rule_matches_maximum"),
                                                     .rule_pause = size("rule_pause")});
                             });
}

}  // namespace accy::contract
