// The e-graph: congruence, rebuilding, limits, extraction. Its operations are tensor operations,
// but rules and costs are the test's own.
#include <array>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "choir/builder.hpp"
#include "choir/egraph/egraph.hpp"
#include "choir/egraph/extraction.hpp"
#include "choir/egraph/saturation.hpp"
#include "choir/module.hpp"
#include "dialect/dialects.hpp"
#include "dialect/tensor/type.hpp"

namespace accy::choir {
namespace {

class EGraphTest : public testing::Test {
 protected:
  EGraphTest() {
    Operation* function = Builder(module_.body()).create("tensor.func", {}, {}, {});
    for (int index = 0; index < 3; ++index) values_.push_back(function->body().add_argument(type_));
    for (Value* value : values_) leaves_.push_back(graph_.add_leaf(value));
  }
  ClassId add(std::string_view name, std::vector<ClassId> operands) {
    return graph_.add(*registry().operation(name), operands, module_.context().dictionary({}),
                      type_);
  }

  Module module_{registry(), "contract"};
  Type type_ =
      tensor::TensorType::get(module_.context(), ElementType::f32,
                              std::span<const std::int64_t>(std::array<std::int64_t, 1>{4}));
  EGraph graph_{module_.context()};
  std::vector<Value*> values_;
  std::vector<ClassId> leaves_;
};

TEST_F(EGraphTest, EqualNodesAreOneClass) {
  const ClassId first = add("tensor.sub", {leaves_[0], leaves_[1]});
  const std::size_t nodes = graph_.node_count();
  EXPECT_EQ(add("tensor.sub", {leaves_[0], leaves_[1]}), first);
  EXPECT_EQ(graph_.node_count(), nodes);
  EXPECT_NE(add("tensor.sub", {leaves_[1], leaves_[0]}), first);
  EXPECT_EQ(graph_.add_leaf(values_[0]), leaves_[0]);
}

TEST_F(EGraphTest, OperandsOfCommutativeOperationsHaveOneOrder) {
  EXPECT_EQ(add("tensor.add", {leaves_[0], leaves_[1]}),
            add("tensor.add", {leaves_[1], leaves_[0]}));
}

TEST_F(EGraphTest, CongruenceComesWithTheRebuild) {
  const ClassId a = add("tensor.exp", {add("tensor.neg", {leaves_[0]})});
  const ClassId b = add("tensor.exp", {add("tensor.neg", {leaves_[1]})});
  EXPECT_TRUE(graph_.merge(leaves_[0], leaves_[1]));
  EXPECT_FALSE(graph_.merge(leaves_[1], leaves_[0]));
  EXPECT_NE(graph_.find(a), graph_.find(b));
  graph_.rebuild();
  EXPECT_EQ(graph_.find(a), graph_.find(b));
  EXPECT_EQ(graph_.nodes_of(a).size(), 1U);
  EXPECT_EQ(add("tensor.exp", {add("tensor.neg", {leaves_[1]})}), graph_.find(a));
}

TEST_F(EGraphTest, CongruenceOrdersOperandsAgain) {
  const ClassId a = add("tensor.add", {leaves_[0], leaves_[2]});
  const ClassId b = add("tensor.add", {leaves_[1], leaves_[2]});
  const ClassId late = add("tensor.neg", {leaves_[2]});
  const ClassId c = add("tensor.add", {late, leaves_[2]});
  graph_.merge(leaves_[0], leaves_[1]);
  graph_.merge(late, leaves_[0]);
  graph_.rebuild();
  EXPECT_EQ(graph_.find(a), graph_.find(b));
  EXPECT_EQ(graph_.find(a), graph_.find(c));
}

TEST_F(EGraphTest, CyclesAreFine) {
  // neg(neg(x)) = x leaves a class that stands on itself.
  const ClassId once = add("tensor.neg", {leaves_[0]});
  const ClassId twice = add("tensor.neg", {once});
  graph_.merge(twice, leaves_[0]);
  graph_.rebuild();
  EXPECT_EQ(graph_.find(add("tensor.neg", {add("tensor.neg", {twice})})), graph_.find(leaves_[0]));
  const std::array roots{twice};
  const Extraction best =
      extract(graph_, roots, [](const EGraph&, NodeId) { return std::uint64_t{1}; });
  EXPECT_EQ(best.cost, 1U);
  EXPECT_EQ(graph_.node(best.choice[graph_.find(twice)]).leaf, values_[0]);
}

TEST_F(EGraphTest, LongChainsCollapseInOneRebuild) {
  std::array ends{leaves_[0], leaves_[1]};
  for (int index = 0; index < 500; ++index)
    for (ClassId& end : ends) end = add("tensor.neg", {end});
  graph_.merge(leaves_[0], leaves_[1]);
  graph_.rebuild();
  EXPECT_EQ(graph_.find(ends[0]), graph_.find(ends[1]));
}

/// Known where all operands are: leaves of the first value.
Attribute known(const EGraph& graph, NodeId node) {
  for (std::size_t index = 0; index < graph.node(node).operand_count; ++index)
    if (!graph.constant(graph.operand(node, index))) return {};
  return graph.context().integer(graph.node(node).operand_count);
}

TEST_F(EGraphTest, TheAnalysisFollowsMerges) {
  EGraph graph(module_.context(), known);
  const Attribute none_given = module_.context().dictionary({});
  const ClassId leaf = graph.add_leaf(values_[0]);
  const ClassId constant =
      graph.add(*registry().operation("tensor.constant"), {}, none_given, type_);
  const ClassId user =
      graph.add(*registry().operation("tensor.neg"), std::array{leaf}, none_given, type_);
  const ClassId outer =
      graph.add(*registry().operation("tensor.neg"), std::array{user}, none_given, type_);
  EXPECT_TRUE(graph.constant(constant));
  EXPECT_FALSE(graph.constant(outer));
  graph.merge(leaf, constant);
  graph.rebuild();
  EXPECT_TRUE(graph.constant(outer));
}

bool is_neg(const OperationDefinition& definition) { return definition.name == "tensor.neg"; }

/// Grows without end: neg(x) = neg(exp(x)).
void grow(Rewriter& rewriter, NodeId node) {
  EGraph& graph = rewriter.graph();
  const ENode like = graph.node(node);
  const ClassId inside =
      rewriter.add(*registry().operation("tensor.exp"), std::array{graph.operand(node, 0)},
                   like.attributes, like.type);
  rewriter.replace(node,
                   rewriter.add(*like.definition, std::array{inside}, like.attributes, like.type));
}
constexpr RewriteRule growing{"grow", "neg(x) = neg(exp(x))", true, is_neg, grow};

TEST_F(EGraphTest, LimitsEndWhatWouldNotEnd) {
  add("tensor.neg", {leaves_[0]});
  const auto run = [&](SaturationLimits limits) {
    return Rewriter(graph_, std::span(&growing, 1), limits, true).run().stop;
  };
  EXPECT_EQ(run({.iterations = 0}), SaturationStop::iterations);
  EXPECT_EQ(run({.iterations = 2}), SaturationStop::iterations);
  EXPECT_EQ(run({.matches = 3}), SaturationStop::matches);
  EXPECT_EQ(run({.nodes = 20, .iterations = 100}), SaturationStop::nodes);
  EXPECT_LT(graph_.node_count(), 40U);
}

/// neg(x) = x, once.
void drop(Rewriter& rewriter, NodeId node) {
  rewriter.replace(node, rewriter.graph().operand(node, 0));
}
constexpr RewriteRule dropping{"drop", "neg(x) = x", true, is_neg, drop};

TEST_F(EGraphTest, ARuleWithManyMatchesPausesAndComesBack) {
  std::vector<ClassId> ends;
  ClassId end = leaves_[0];
  for (int index = 0; index < 100; ++index) ends.push_back(end = add("tensor.neg", {end}));
  const SaturationLimits limits{.iterations = 100, .rule_matches = 10, .rule_pause = 1};
  const SaturationRun run = Rewriter(graph_, std::span(&dropping, 1), limits, true).run();
  EXPECT_EQ(run.stop, SaturationStop::saturated);
  EXPECT_GT(run.iterations, 2U);
  for (ClassId id : ends) EXPECT_EQ(graph_.find(id), graph_.find(leaves_[0]));
}

TEST_F(EGraphTest, EqualStepsGiveEqualGraphs) {
  const auto trace = [&] {
    Module module(registry(), "contract");
    EGraph graph(module.context());
    Operation* function = Builder(module.body()).create("tensor.func", {}, {}, {});
    const Type type = module.context().import(type_);
    ClassId end = graph.add_leaf(function->body().add_argument(type));
    for (int index = 0; index < 20; ++index)
      end = graph.add(*registry().operation(index % 3 == 0 ? "tensor.exp" : "tensor.neg"),
                      std::array{end}, module.context().dictionary({}), type);
    Rewriter(graph, std::span(&growing, 1), {.nodes = 300}, true).run();
    std::vector<std::uint32_t> numbers;
    for (NodeId node = 0; node < graph.node_count(); ++node) {
      numbers.push_back(graph.class_of(node));
      for (ClassId operand : graph.operands(node)) numbers.push_back(operand);
    }
    return numbers;
  };
  EXPECT_EQ(trace(), trace());
}

std::uint64_t by_name(const EGraph& graph, NodeId node) {
  const OperationDefinition* definition = graph.node(node).definition;
  if (definition == nullptr) return 1;
  return definition->name == "tensor.exp" ? 100 : definition->name == "tensor.mul" ? 5 : 10;
}

TEST_F(EGraphTest, WhatIsSharedCountsOnce) {
  // exp(x) + exp(x) = 111, of which exp(x) is shared; the alternative of one user, costing 60 by
  // itself, is no gain as the other user needs exp(x) anyway.
  const ClassId shared = add("tensor.exp", {leaves_[0]});
  const ClassId other = add("tensor.max", {shared, leaves_[1]});
  const ClassId top = add("tensor.sub", {add("tensor.neg", {shared}), other});
  const std::array roots{top};
  const std::uint64_t before = program_cost(graph_, roots, by_name);
  EXPECT_EQ(before, 1U + 100 + 1 + 10 + 10 + 10);
  EXPECT_EQ(extract(graph_, roots, by_name).cost, before);
  // A cheaper form of the shared class serves both.
  graph_.merge(shared, add("tensor.mul", {leaves_[0], leaves_[1]}));
  graph_.rebuild();
  EXPECT_EQ(extract(graph_, roots, by_name).cost, 1U + 5 + 1 + 10 + 10 + 10);
}

TEST_F(EGraphTest, TheProgramIsKeptAmongEquals) {
  const ClassId own = add("tensor.neg", {leaves_[0]});
  const ClassId other = graph_.add(*registry().operation("tensor.abs"), std::array{leaves_[0]},
                                   module_.context().dictionary({}), type_, 0);
  graph_.merge(other, own);
  graph_.rebuild();
  const std::array roots{own};
  const Extraction best = extract(graph_, roots, by_name);
  EXPECT_EQ(graph_.node(best.choice[graph_.find(own)]).definition->name, "tensor.neg");
}

}  // namespace
}  // namespace accy::choir
