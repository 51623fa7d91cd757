// A function's block as an e-graph, and back.
#pragma once

#include <span>
#include <vector>

#include "choir/decision.hpp"
#include "choir/egraph/extraction.hpp"
#include "choir/egraph/saturation.hpp"
#include "choir/value_table.hpp"

namespace accy::contract {

/// The pure operations of a block as nodes, the first ones of the graph. Operations with effects,
/// regions or several results stay where they are: their results are leaves, their operands roots.
class ProgramGraph {
 public:
  ProgramGraph(choir::Block& block, choir::ConstantAnalysis analysis);

  choir::EGraph& graph() { return graph_; }
  const std::vector<choir::ClassId>& roots() const { return roots_; }
  /// The class of a value of the block.
  choir::ClassId class_of(const choir::Value* value) const {
    return graph_.find(*classes_.find(value));
  }

  /// Makes the block compute the chosen nodes; one decision for each operation that goes.
  void rebuild(const choir::Extraction& extraction, std::span<const choir::RewriteRule> rules,
               choir::DecisionLog& log);

 private:
  struct Pending;
  static bool is_node(const choir::Operation& operation);
  void add(choir::Operation& operation);
  choir::Value* value_at(choir::ClassId id, choir::Operation& before);
  choir::Operation* place(choir::NodeId node, choir::Operation& before);
  void record(const choir::Operation& operation, std::span<const choir::RewriteRule> rules,
              choir::DecisionLog& log) const;

  choir::Block& block_;
  choir::EGraph graph_;
  std::vector<choir::ClassId> roots_;
  choir::ValueTable<choir::ClassId> classes_;
  std::vector<choir::Operation*> origins_;  ///< by node: the operation that it was made of
  std::vector<choir::Operation*> firsts_;   ///< by class: the program's first operation in it
  std::vector<choir::NodeId> choice_;
  std::vector<choir::Value*> values_;  ///< by class, once it is computed
};

}  // namespace accy::contract
