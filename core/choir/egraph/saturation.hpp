// Equality saturation: rules applied to an EGraph until nothing new comes or a limit is met.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "choir/egraph/egraph.hpp"

namespace accy::choir {

class Rewriter;

/// An equality, as code that looks for its left side at a node and offers the right sides.
struct RewriteRule {
  std::string_view name;
  std::string_view equation;  ///< for people who ask why
  /// Whether both sides have the same bits for every input; else they differ in the order of sums
  /// or in where they round.
  bool exact = true;
  /// The operations that the rule is tried at.
  bool (*roots)(const OperationDefinition& definition) = nullptr;
  void (*apply)(Rewriter& rewriter, NodeId node) = nullptr;
};

/// Where saturation stops. None of them is an error: what the graph holds by then is true.
struct SaturationLimits {
  std::size_t nodes = 10'000;  ///< may be passed by what one match makes
  std::size_t iterations = 12;
  std::size_t matches = 20'000;  ///< joins of classes by all rules
  /// A rule with more matches in an iteration sits out the next ones; both double each time.
  std::size_t rule_matches = 1'000;
  std::size_t rule_pause = 2;
};

enum class SaturationStop : std::uint8_t { saturated, nodes, iterations, matches };
std::string_view to_string(SaturationStop stop);

struct SaturationRun {
  SaturationStop stop = SaturationStop::saturated;
  std::size_t iterations = 0;
  std::vector<std::size_t> matches;  ///< by rule: joins of classes that were apart
  std::size_t total = 0;             ///< of them
};

/// What a rule works with. Joins wait for the end of the iteration, so that what a rule sees does
/// not depend on the rules before it.
class Rewriter {
 public:
  Rewriter(EGraph& graph, std::span<const RewriteRule> rules, const SaturationLimits& limits,
           bool reorders)
      : graph_(graph), rules_(rules), limits_(limits), reorders_(reorders) {}

  EGraph& graph() const { return graph_; }
  /// Whether the program allows other orders of its sums.
  bool reorders() const { return reorders_; }
  /// Adds a node in the name of the rule that runs.
  ClassId add(const OperationDefinition& definition, std::span<const ClassId> operands,
              Attribute attributes, Type type) {
    return graph_.add(definition, operands, attributes, type, rule_);
  }
  /// Says that the node equals the class.
  void replace(NodeId node, ClassId equal);
  /// Whether the graph has all the nodes, or the rule all the matches, that it may have: a rule
  /// that tries many combinations at a node stops there.
  bool full() const {
    return graph_.node_count() >= limits_.nodes || states_[rule_].matches > allowance(rule_);
  }

  SaturationRun run();

 private:
  struct State {
    std::uint32_t last_run = 0;
    std::size_t matches = 0;  ///< in this iteration
    std::size_t pauses = 0;
    std::uint32_t paused_until = 0;
    bool cut = false;  ///< in this iteration it stopped before the last node
  };
  struct Join {
    ClassId a;
    ClassId b;
    std::uint32_t rule;
  };

  /// The matches that a rule may have in an iteration.
  std::size_t allowance(std::uint32_t rule) const {
    return limits_.rule_matches << std::min<std::size_t>(states_[rule].pauses, 20);
  }
  std::span<const std::uint32_t> rules_of(const OperationDefinition& definition);
  void search(std::uint32_t time);
  void visit(NodeId node, std::uint32_t time);
  std::size_t join(SaturationRun& run);
  bool end_iteration(std::uint32_t& time, std::size_t joined);

  EGraph& graph_;
  std::span<const RewriteRule> rules_;
  SaturationLimits limits_;
  bool reorders_;
  std::uint32_t rule_ = none;
  std::vector<State> states_;
  std::vector<Join> joins_;
  std::unordered_map<const OperationDefinition*, std::vector<std::uint32_t>> by_definition_;
};

}  // namespace accy::choir
