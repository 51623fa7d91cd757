#include "choir/egraph/saturation.hpp"

#include <algorithm>

namespace accy::choir {

std::string_view to_string(SaturationStop stop) {
  switch (stop) {
    case SaturationStop::saturated: return "nothing new was left to find";
    case SaturationStop::nodes: return "the limit of nodes was met";
    case SaturationStop::iterations: return "the limit of iterations was met";
    case SaturationStop::matches: break;
  }
  return "the limit of matches was met";
}

void Rewriter::replace(NodeId node, ClassId equal) {
  const ClassId own = graph_.class_of(node);
  equal = graph_.find(equal);
  if (own == equal) return;
  joins_.push_back({own, equal, rule_});
  ++states_[rule_].matches;
}

std::span<const std::uint32_t> Rewriter::rules_of(const OperationDefinition& definition) {
  const auto [entry, fresh] = by_definition_.try_emplace(&definition);
  if (fresh)
    for (std::uint32_t rule = 0; rule < rules_.size(); ++rule)
      if (rules_[rule].roots(definition)) entry->second.push_back(rule);
  return entry->second;
}

void Rewriter::visit(NodeId node, std::uint32_t time) {
  const OperationDefinition* definition = graph_.node(node).definition;
  if (definition == nullptr || graph_.is_duplicate(node)) return;
  const std::uint32_t touched = graph_.touched(graph_.class_of(node));
  for (std::uint32_t rule : rules_of(*definition)) {
    State& state = states_[rule];
    if (state.cut || state.paused_until > time || touched < state.last_run) continue;
    rule_ = rule;
    rules_[rule].apply(*this, node);
    if (state.matches > allowance(rule)) state.cut = true;
  }
}

void Rewriter::search(std::uint32_t time) {
  for (State& state : states_) {
    state.matches = 0;
    state.cut = false;
  }
  const std::size_t count = graph_.node_count();  // those that come now are for the next iteration
  for (std::size_t node = 0; node < count && graph_.node_count() < limits_.nodes; ++node)
    visit(static_cast<NodeId>(node), time);
}

std::size_t Rewriter::join(SaturationRun& run) {
  std::size_t joined = 0;
  for (const Join& entry : joins_) {
    if (run.total >= limits_.matches) break;
    if (!graph_.merge(entry.a, entry.b, entry.rule)) continue;
    ++run.matches[entry.rule];
    ++run.total;
    ++joined;
  }
  joins_.clear();
  graph_.rebuild();
  return joined;
}

/// Sends rules with too many matches into a pause; whether another iteration can find more.
bool Rewriter::end_iteration(std::uint32_t& time, std::size_t joined) {
  std::uint32_t earliest = none;
  for (State& state : states_) {
    if (state.cut) {
      const std::size_t pause = limits_.rule_pause << std::min<std::size_t>(state.pauses, 20);
      state.paused_until = time + static_cast<std::uint32_t>(pause) + 1;
      ++state.pauses;
    } else if (state.paused_until <= time) {
      state.last_run = time;
    }
    if (state.paused_until > time) earliest = std::min(earliest, state.paused_until);
  }
  ++time;
  if (joined != 0) return true;
  if (earliest == none) return false;
  time = std::max(time, earliest);  // nothing else is to be done until then
  return true;
}

SaturationRun Rewriter::run() {
  SaturationRun run;
  run.matches.resize(rules_.size());
  states_.assign(rules_.size(), {});
  std::uint32_t time = 1;
  while (true) {
    if (run.iterations == limits_.iterations) return run.stop = SaturationStop::iterations, run;
    graph_.set_time(time);
    search(time);
    ++run.iterations;
    const std::size_t joined = join(run);
    if (run.total >= limits_.matches) return run.stop = SaturationStop::matches, run;
    if (graph_.node_count() >= limits_.nodes) return run.stop = SaturationStop::nodes, run;
    if (!end_iteration(time, joined)) return run;
  }
}

}  // namespace accy::choir
