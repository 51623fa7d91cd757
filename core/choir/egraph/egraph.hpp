// EGraph: many equal forms of a graph of operations at once. Nodes are hash-consed, classes are
// joined by union-find, and congruence is restored in batches by rebuild(), as in egg (Willsey et
// al. 2021). Equal steps give equal graphs: nothing is ordered by address.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "choir/operation.hpp"

namespace accy::choir {

using ClassId = std::uint32_t;
using NodeId = std::uint32_t;

/// No class, no node, no rule.
inline constexpr std::uint32_t none = ~std::uint32_t{0};

/// One operation over classes, or a leaf: a value of the program that the graph does not look into.
/// Attributes are one interned dictionary, so that large constants are never copied.
struct ENode {
  const OperationDefinition* definition = nullptr;  ///< null for a leaf
  Value* leaf = nullptr;
  Attribute attributes;  ///< a dictionary; null for a leaf
  Type type;             ///< of the only result
  std::uint32_t first_operand = 0;
  std::uint32_t operand_count = 0;
  ClassId owner = none;       ///< as it was made; EGraph::class_of finds the present one
  std::uint32_t rule = none;  ///< the rule that made it; none: the program has it
};

/// What is known of a class by looking at its nodes; a function of the node and of the facts of its
/// operands. Null: nothing.
using ConstantAnalysis = Attribute (*)(const class EGraph& graph, NodeId node);

class EGraph {
 public:
  explicit EGraph(Context& context, ConstantAnalysis analysis = nullptr)
      : context_(context), analysis_(analysis) {}

  Context& context() const { return context_; }

  /// The class of a value that stays what it is.
  ClassId add_leaf(Value* value);
  /// The class of that operation: of an equal node where there is one. The two operands of a
  /// commutative operation are put in the order of their classes. `rule` is noted in a new node.
  ClassId add(const OperationDefinition& definition, std::span<const ClassId> operands,
              Attribute attributes, Type type, std::uint32_t rule = none);

  /// Joins two classes of one type; whether they were apart. The congruences that follow wait for
  /// rebuild(). `rule` is noted as what joined them.
  bool merge(ClassId a, ClassId b, std::uint32_t rule = none);
  /// Restores congruence and the analysis. No class may be held across it without find().
  void rebuild();

  ClassId find(ClassId id) const;
  ClassId class_of(NodeId node) const { return find(nodes_[node].owner); }
  const ENode& node(NodeId id) const { return nodes_[id]; }
  /// As they were when the node was made or last rebuilt; see find().
  std::span<const ClassId> operands(NodeId id) const {
    return {operands_.data() + nodes_[id].first_operand, nodes_[id].operand_count};
  }
  ClassId operand(NodeId id, std::size_t index) const { return find(operands(id)[index]); }
  Attribute attribute(NodeId id, std::string_view name) const {
    return nodes_[id].attributes.get(name);
  }

  /// Nodes of a class, in the order in which they came. Valid until the next merge of that class.
  std::span<const NodeId> nodes_of(ClassId id) const { return classes_[find(id)].nodes; }
  /// Nodes that have an operand in the class; may name one twice, or one that equals another.
  std::span<const NodeId> users_of(ClassId id) const { return classes_[find(id)].users; }
  Type type(ClassId id) const { return classes_[find(id)].type; }
  Attribute constant(ClassId id) const { return classes_[find(id)].constant; }
  /// The rule that last joined two classes into this one.
  std::uint32_t joined_by(ClassId id) const { return classes_[find(id)].rule; }

  /// Whether the node became equal to an older one of its class.
  bool is_duplicate(NodeId id) const { return duplicate_[id]; }

  std::size_t node_count() const { return nodes_.size(); }
  /// Numbers that classes have: joined ones included.
  std::size_t class_limit() const { return classes_.size(); }

  /// A clock for matching: `touched` is the time of the last change that a rule at a node of the
  /// class could see, up to three levels below.
  void set_time(std::uint32_t time) { time_ = time; }
  std::uint32_t touched(ClassId id) const { return classes_[find(id)].touched; }

 private:
  struct Class {
    std::vector<NodeId> nodes;
    std::vector<NodeId> users;
    Type type;
    Attribute constant;
    std::uint32_t rule = none;
    std::uint32_t touched = 0;
    int touched_levels = 0;  ///< how far above the class that change was noted
  };

  ClassId add_class(const ENode& node);
  std::uint64_t hash(const ENode& node, std::span<const ClassId> operands) const;
  NodeId lookup(std::uint64_t hash, const ENode& node, std::span<const ClassId> operands) const;
  void order_operands(const ENode& node, std::span<ClassId> operands) const;
  void repair(ClassId id);
  void analyze_users(ClassId id);
  void touch(ClassId id, int levels);

  Context& context_;
  ConstantAnalysis analysis_;
  std::vector<ENode> nodes_;
  std::vector<bool> duplicate_;
  std::vector<ClassId> operands_;
  std::vector<Class> classes_;
  mutable std::vector<ClassId> parents_;  // the union-find forest; paths are halved on the way
  std::unordered_multimap<std::uint64_t, NodeId> known_;  // only looked up
  std::vector<ClassId> dirty_;
  std::vector<ClassId> fresh_constants_;
  std::uint32_t time_ = 0;
};

}  // namespace accy::choir
