#include "contract/saturation/program.hpp"

#include <algorithm>

#include "choir/builder.hpp"
#include "dialect/tensor/type.hpp"

namespace accy::contract {

using choir::ClassId;
using choir::ENode;
using choir::NodeId;
using choir::Operation;
using choir::Value;

namespace {

bool is_static(choir::Type type) {
  const auto tensor = tensor::TensorType::from(type);
  return tensor && tensor->is_static();
}

}  // namespace

bool ProgramGraph::is_node(const Operation& operation) {
  if (!operation.has(choir::Trait::pure) || operation.has(choir::Trait::terminator) ||
      operation.region_count() != 0 || operation.result_count() != 1 ||
      !is_static(operation.result()->type()))
    return false;
  return std::ranges::all_of(operation.operands(),
                             [](const Value* operand) { return is_static(operand->type()); });
}

ProgramGraph::ProgramGraph(choir::Block& block, choir::ConstantAnalysis analysis)
    : block_(block), graph_(block.parent()->context(), analysis) {
  for (std::size_t index = 0; index < block.argument_count(); ++index)
    classes_[block.argument(index)] = graph_.add_leaf(block.argument(index));
  for (Operation* operation : block.operations()) add(*operation);
  firsts_.resize(graph_.class_limit());
  origins_.resize(graph_.node_count());
}

void ProgramGraph::add(Operation& operation) {
  if (!is_node(operation)) {
    operation.walk([&](const Operation& inside) {  // its regions may read values around it
      for (const Value* operand : inside.operands())
        if (const ClassId* id = classes_.find(operand)) roots_.push_back(*id);
    });
    for (std::size_t index = 0; index < operation.result_count(); ++index)
      classes_[operation.result(index)] = graph_.add_leaf(operation.result(index));
    return;
  }
  std::vector<ClassId> operands;
  for (const Value* operand : operation.operands()) operands.push_back(*classes_.find(operand));
  const std::span<const choir::NamedAttribute> attributes = operation.attributes();
  const ClassId id = graph_.add(operation.definition(), operands,
                                graph_.context().dictionary({attributes.begin(), attributes.end()}),
                                operation.result()->type());
  classes_[operation.result()] = id;
  origins_.resize(graph_.node_count());
  // Before any rule a class has one node; the first of equal operations stands for it.
  Operation*& origin = origins_[graph_.nodes_of(id).front()];
  if (origin == nullptr) origin = &operation;
}

/// An operation for the node whose operands have values: the program's own, moved up where needed,
/// or a new one.
Operation* ProgramGraph::place(NodeId id, Operation& before) {
  const ENode& node = graph_.node(id);
  if (id < origins_.size() && origins_[id] != nullptr) {
    Operation* own = origins_[id];
    if (own != &before) own->move_before(&before);
    // By its own operands: the node may have those of a commutative operation swapped.
    for (std::size_t index = 0; index < own->operand_count(); ++index)
      if (Value* operand = values_[class_of(own->operand(index))]; operand != own->operand(index))
        own->set_operand(index, operand);
    return own;
  }
  choir::Builder builder(&before);
  std::vector<Value*> operands;
  for (ClassId operand : graph_.operands(id)) operands.push_back(values_[graph_.find(operand)]);
  const Operation* replaced = firsts_[graph_.class_of(id)];
  builder.set_location((replaced != nullptr ? replaced : &before)->location());
  const std::span<const choir::NamedAttribute> attributes = node.attributes.dictionary();
  Operation* made = builder.create(node.definition->name, operands, std::array{node.type},
                                   {attributes.begin(), attributes.end()});
  if (replaced != nullptr) made->result()->set_name(replaced->result()->name());
  return made;
}

/// The value of a class, computed before that operation where it is not yet.
Value* ProgramGraph::value_at(ClassId root, Operation& before) {
  std::vector<ClassId> stack{graph_.find(root)};
  while (!stack.empty()) {
    const ClassId id = stack.back();
    if (values_[id] != nullptr) {
      stack.pop_back();
      continue;
    }
    const NodeId node = choice_[id];
    if (graph_.node(node).definition == nullptr) {
      values_[id] = graph_.node(node).leaf;
      continue;
    }
    const std::size_t depth = stack.size();
    const std::span<const ClassId> operands = graph_.operands(node);
    for (auto operand = operands.rbegin(); operand != operands.rend(); ++operand)
      if (values_[graph_.find(*operand)] == nullptr) stack.push_back(graph_.find(*operand));
    if (stack.size() == depth) values_[id] = place(node, before)->result();
  }
  return values_[graph_.find(root)];
}

void ProgramGraph::rebuild(const choir::Extraction& extraction,
                           std::span<const choir::RewriteRule> rules, choir::DecisionLog& log) {
  choice_ = extraction.choice;
  values_.assign(graph_.class_limit(), nullptr);
  firsts_.assign(graph_.class_limit(), nullptr);
  const std::vector<Operation*> operations = block_.operations();
  for (Operation* operation : operations)
    if (is_node(*operation)) {
      Operation*& first = firsts_[class_of(operation->result())];
      if (first == nullptr) first = operation;
    }
  std::vector<bool> reached(graph_.class_limit());
  std::vector<ClassId> stack(roots_.begin(), roots_.end());
  while (!stack.empty()) {
    const ClassId id = graph_.find(stack.back());
    stack.pop_back();
    if (reached[id]) continue;
    reached[id] = true;
    for (ClassId operand : graph_.operands(choice_[id])) stack.push_back(operand);
  }
  std::vector<Operation*> gone;
  for (Operation* operation : operations) {
    if (is_node(*operation)) {
      const ClassId id = class_of(operation->result());
      const NodeId chosen = choice_[id];
      const bool stays = reached[id] && chosen < origins_.size() && origins_[chosen] == operation;
      if (stays)
        value_at(id, *operation);
      else
        gone.push_back(operation);
      continue;
    }
    operation->walk([&](Operation& inside) {
      for (std::size_t index = 0; index < inside.operand_count(); ++index)
        if (classes_.contains(inside.operand(index)))
          inside.set_operand(index, value_at(class_of(inside.operand(index)), *operation));
    });
  }
  if (log.on())
    for (const Operation* operation : gone) record(*operation, rules, log);
  for (auto operation = gone.rbegin(); operation != gone.rend(); ++operation) (*operation)->erase();
}

void ProgramGraph::record(const Operation& operation, std::span<const choir::RewriteRule> rules,
                          choir::DecisionLog& log) const {
  const ClassId id = class_of(operation.result());
  const Value* value = values_[id];
  choir::Decision decision{.kind = "rewrite",
                           .subject = choir::subject_of(operation),
                           .choice = "erased",
                           .reason = "what the function returns no longer needs it",
                           .places = choir::places_of(operation.location())};
  if (value != nullptr) {
    const Operation* made = value->defining_operation();
    decision.choice = "replaced by " + (made != nullptr ? choir::subject_of(*made)
                                                        : "%" + std::string(value->name()));
    std::uint32_t rule = graph_.node(choice_[id]).rule;
    if (rule == choir::none) rule = graph_.joined_by(id);
    decision.reason = "same operation, operands and attributes";
    if (rule != choir::none)
      decision.reason = std::string(rules[rule].equation) +
                        (rules[rule].exact ? ", with the same bits for every input"
                                           : ", as the program allows any order of its sums");
  }
  log.record(std::move(decision));
}

}  // namespace accy::contract
