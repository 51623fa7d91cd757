// Every rule of saturation on random programs: all nodes of a class compute the same, to the bit
// where the rule says it is exact, else inside the error bound of what the program computes.
// ACCY_PROPERTY_CASES says on how many programs with a match each rule is tried.
#include <algorithm>
#include <cstdlib>
#include <gtest/gtest.h>
#include <optional>

#include "choir/text.hpp"
#include "contract/passes/saturate.hpp"
#include "contract/saturation/cost.hpp"
#include "contract/saturation/program.hpp"
#include "contract/saturation/rules.hpp"
#include "dialect/dialects.hpp"
#include "evaluate/comparison.hpp"
#include "evaluate/tensor_evaluator.hpp"
#include "support/random_programs.hpp"

namespace accy::contract {
namespace {

using choir::ClassId;
using choir::NodeId;
using choir::Operation;
using test::Family;
using test::RandomProgram;
using test::RandomPrograms;

std::size_t wanted_cases() {
  const char* given = std::getenv("ACCY_PROPERTY_CASES");
  return given == nullptr ? 200 : static_cast<std::size_t>(std::strtoull(given, nullptr, 10));
}

/// The values of all classes that a rule's graph has, each computed from its first node.
class Values {
 public:
  Values(RandomProgram& program, ProgramGraph& graph)
      : program_(program), graph_(graph), known_(graph.graph().class_limit()),
        bounds_(graph.graph().class_limit()) {
    choir::Builder builder(program.module.body());
    scratch_ = builder.create("tensor.func", {}, {}, {});
  }

  /// What differs, or nothing.
  std::string check(bool exact) {
    take_program(exact);
    const choir::EGraph& graph = graph_.graph();
    std::vector<bool> done(graph.node_count());
    for (bool progress = true; progress;) {
      progress = false;
      for (NodeId node = 0; node < done.size(); ++node) {
        if (done[node] || graph.is_duplicate(node) || !is_ready(node)) continue;
        done[node] = progress = true;
        std::string difference = check_node(node, exact);
        if (!difference.empty()) return difference;
      }
    }
    return std::find(done.begin(), done.end(), false) == done.end() || has_duplicate()
               ? ""
               : "a node stands on nothing that can be computed";
  }

 private:
  bool has_duplicate() const {
    for (NodeId node = 0; node < graph_.graph().node_count(); ++node)
      if (graph_.graph().is_duplicate(node)) return true;
    return false;
  }

  void take_program(bool exact) {
    const auto outputs = evaluate::evaluate(*program_.function, program_.inputs);
    ASSERT_TRUE(outputs) << outputs.error().to_string();
    choir::Block& body = program_.function->body();
    for (std::size_t index = 0; index < body.argument_count(); ++index)
      known_[graph_.class_of(body.argument(index))] = program_.inputs[index];
    const Operation* end = body.terminator();
    for (std::size_t index = 0; index < end->operand_count(); ++index) {
      std::optional<HostTensor>& place = known_[graph_.class_of(end->operand(index))];
      if (!place) place = (*outputs)[index];
    }
    if (exact) return;
    const auto wide = evaluate::evaluate_wide(*program_.function, program_.inputs);
    ASSERT_TRUE(wide) << wide.error().to_string();
    for (std::size_t index = 0; index < end->operand_count(); ++index)
      bounds_[graph_.class_of(end->operand(index))] = (*wide)[index];
  }

  bool is_ready(NodeId node) const {
    const choir::EGraph& graph = graph_.graph();
    if (graph.node(node).definition == nullptr) return true;
    return std::ranges::all_of(graph.operands(node), [&](ClassId operand) {
      return known_[graph.find(operand)].has_value();
    });
  }

  std::string check_node(NodeId id, bool exact) {
    choir::EGraph& graph = graph_.graph();
    const choir::ENode& node = graph.node(id);
    if (node.definition == nullptr) return "";
    choir::Block& block = scratch_->body();
    choir::Builder builder(block);
    std::vector<choir::Value*> operands;
    std::vector<const HostTensor*> tensors;
    for (ClassId operand : graph.operands(id)) {
      operands.push_back(block.add_argument(graph.type(operand)));
      tensors.push_back(&*known_[graph.find(operand)]);
    }
    const auto attributes = node.attributes.dictionary();
    const Operation* operation =
        builder.create(node.definition->name, operands, std::array{node.type},
                       {attributes.begin(), attributes.end()});
    const std::string name(node.definition->name);
    if (node.definition->infer != nullptr) {
      const auto types = node.definition->infer(*operation);
      if (!types) return name + ": " + types.error().to_string();
      if (types->front() != node.type) return name + " has another type";
    }
    choir::Diagnostics diagnostics;
    if (node.definition->verify != nullptr) node.definition->verify(*operation, diagnostics);
    if (!diagnostics.empty()) return name + " breaks its rules";
    const auto value = evaluate::evaluate_operation(*operation, tensors);
    if (!value) return value.error().to_string();
    return compare(graph.class_of(id), *value, exact, name);
  }

  std::string compare(ClassId id, const HostTensor& value, bool exact, const std::string& name) {
    std::optional<HostTensor>& known = known_[id];
    if (!known) {
      known = value;
      return "";
    }
    if (!exact && is_float(value.element) && !bounds_[id]) return "";  // no bound of its own
    const evaluate::Comparison comparison = exact || !is_float(value.element)
                                                ? evaluate::compare_exact(value, *known)
                                                : evaluate::compare(value, *bounds_[id]);
    return comparison.pass ? "" : name + ": " + comparison.message;
  }

  RandomProgram& program_;
  ProgramGraph& graph_;
  std::vector<std::optional<HostTensor>> known_;
  std::vector<std::optional<tensor::WideTensor>> bounds_;
  Operation* scratch_ = nullptr;
};

struct RuleCase {
  choir::RewriteRule rule;
  Family family = Family::algebra;
  friend void PrintTo(const RuleCase& entry, std::ostream* stream) { *stream << entry.rule.name; }
};

std::vector<RuleCase> all_rules() {
  std::vector<RuleCase> cases;
  const auto take = [&](std::span<const choir::RewriteRule> rules, Family family) {
    for (const choir::RewriteRule& rule : rules) cases.push_back({rule, family});
  };
  take(algebra_rules(), Family::algebra);
  take(layout_rules(), Family::layout);
  take(slice_rules(), Family::slices);
  take(matmul_rules(), Family::matmul);
  take(reduction_rules(), Family::reduction);
  return cases;
}

class SaturationRule : public testing::TestWithParam<RuleCase> {};

TEST_P(SaturationRule, PreservesWhatProgramsCompute) {
  const auto& [rule, family] = GetParam();
  const std::size_t wanted = wanted_cases();
  const choir::SaturationLimits limits{.nodes = 300, .iterations = 2};
  std::size_t matched = 0;
  for (std::uint64_t seed = 0; matched < wanted && seed < 400 * wanted; ++seed) {
    RandomProgram program = RandomPrograms(seed).make(family, !rule.exact, 8);
    ASSERT_TRUE(choir::verify(program.module)) << choir::print(program.module);
    ProgramGraph graph(program.function->body(), node_constant);
    const auto run = choir::Rewriter(graph.graph(), std::span(&rule, 1), limits, !rule.exact).run();
    if (run.total == 0) continue;
    ++matched;
    const std::string text = choir::print(program.module);
    ASSERT_EQ(Values(program, graph).check(rule.exact), "") << "seed " << seed << "\n" << text;
  }
  EXPECT_EQ(matched, wanted) << "too few programs have a match";
}

std::string name_of(const testing::TestParamInfo<RuleCase>& entry) {
  return std::string(entry.param.rule.name);
}

INSTANTIATE_TEST_SUITE_P(Rules, SaturationRule, testing::ValuesIn(all_rules()), name_of);

/// The cost of a function as it stands.
std::uint64_t cost_of(RandomProgram& program) {
  ProgramGraph graph(program.function->body(), node_constant);
  return choir::program_cost(graph.graph(), graph.roots(), node_cost);
}

TEST(SaturationRules, TogetherKeepTheBitsAndNeverRaiseTheCost) {
  const choir::SaturationLimits limits{.nodes = 2000, .iterations = 6};
  std::size_t better = 0;
  for (std::uint64_t seed = 0; seed < 5 * wanted_cases(); ++seed) {
    RandomProgram program = RandomPrograms(seed).make(Family::all, false, 14, false);
    if (program.function->body().size() < 2) continue;
    const auto before = evaluate::evaluate(*program.function, program.inputs);
    ASSERT_TRUE(before) << before.error().to_string();
    const std::string text = choir::print(program.module);
    const std::uint64_t cost = cost_of(program);
    ProgramGraph graph(program.function->body(), node_constant);
    choir::Rewriter(graph.graph(), saturation_rules(), limits, false).run();
    const auto best = choir::extract(graph.graph(), graph.roots(), node_cost);
    choir::DecisionLog log(true);
    graph.rebuild(best, saturation_rules(), log);
    ASSERT_TRUE(choir::verify(program.module)) << text << choir::print(program.module);
    EXPECT_LE(best.cost, cost) << text;
    EXPECT_LE(cost_of(program), best.cost) << text << choir::print(program.module);
    if (best.cost < cost) ++better;
    const auto after = evaluate::evaluate(*program.function, program.inputs);
    ASSERT_TRUE(after) << after.error().to_string();
    const auto comparison = evaluate::compare_exact(after->front(), before->front());
    ASSERT_TRUE(comparison.pass) << comparison.message << "\n"
                                 << text << choir::print(program.module);
  }
  EXPECT_GT(better, wanted_cases());
}

/// Runs the pass on a negation of a negation; the decisions it made.
std::vector<choir::Decision> decisions_of(const choir::Pass& pass, choir::PassChange expected) {
  auto module = choir::parse_and_verify(R"(choir contract v1
tensor.func @main {inputs = ["x"], outputs = ["y"]} (%x: tensor<f32, [8]>) {
  %n = tensor.neg %x
  %m = tensor.neg %n
  %y = tensor.exp %m
  tensor.return %y
}
)",
                                        "program.choir", registry());
  EXPECT_TRUE(module) << module.error().to_string();
  choir::AnalysisCache analyses;
  choir::FactTrace facts;
  choir::DecisionLog log(true);
  choir::PassContext context{*module, analyses, facts, log};
  const auto change = pass.run(context);
  EXPECT_TRUE(change && *change == expected);
  return log.list();
}

TEST(SaturatePass, SaysWhatItReplacedAndWhy) {
  const auto decisions = decisions_of(saturate_pass({}), choir::PassChange::changed);
  ASSERT_EQ(decisions.size(), 3U);
  EXPECT_EQ(decisions[0].kind, "saturation");
  // The value 1, a negation 64 + 64 bytes + 8, the exponential 64 + 64 bytes + 8 * 16.
  EXPECT_EQ(decisions[0].choice, "cost 257 instead of 529");
  EXPECT_EQ(decisions[0].reason,
            "1 equalities among 4 nodes in 2 iterations, until nothing new was left to find");
  EXPECT_EQ(decisions[1].subject, "tensor.neg %n");
  EXPECT_EQ(decisions[1].choice, "erased");
  EXPECT_EQ(decisions[2].subject, "tensor.neg %m");
  EXPECT_EQ(decisions[2].choice, "replaced by %x");
  EXPECT_EQ(decisions[2].reason, "-(-x) = x, with the same bits for every input");
  ASSERT_EQ(decisions[2].places.size(), 1U);
  EXPECT_EQ(decisions[2].places[0].line, 4U);
}

TEST(SaturatePass, LimitsAreOptionsAndNoErrors) {
  const choir::Pass none_allowed = saturate_pass({.iterations = 0});
  EXPECT_EQ(none_allowed.options, "iterations_maximum = 0");
  EXPECT_TRUE(decisions_of(none_allowed, choir::PassChange::unchanged).empty());
  decisions_of(saturate_pass({.nodes = 1}), choir::PassChange::unchanged);
  decisions_of(saturate_pass({.matches = 1}), choir::PassChange::changed);
}

}  // namespace
}  // namespace accy::contract
