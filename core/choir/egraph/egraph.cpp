#include "choir/egraph/egraph.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "accy/result.hpp"

namespace accy::choir {

namespace {

constexpr int touch_levels = 3;  // as deep as rules look below the node that they match

std::uint64_t mix(std::uint64_t seed, std::uint64_t value) {
  seed = (seed ^ value) * 0x9E3779B97F4A7C15ULL;
  return seed ^ (seed >> 29U);
}

std::uint64_t of(const void* pointer) { return std::hash<const void*>()(pointer); }

}  // namespace

ClassId EGraph::find(ClassId id) const {
  while (parents_[id] != id) {
    parents_[id] = parents_[parents_[id]];
    id = parents_[id];
  }
  return id;
}

void EGraph::order_operands(const ENode& node, std::span<ClassId> operands) const {
  if (node.definition != nullptr && node.definition->has(Trait::commutative) &&
      operands.size() == 2 && operands[1] < operands[0])
    std::swap(operands[0], operands[1]);
}

std::uint64_t EGraph::hash(const ENode& node, std::span<const ClassId> operands) const {
  std::uint64_t seed = mix(of(node.definition), of(node.leaf));
  seed = mix(seed, of(node.attributes.storage()));
  seed = mix(seed, of(node.type.storage()));
  for (ClassId operand : operands) seed = mix(seed, operand);
  return seed;
}

NodeId EGraph::lookup(std::uint64_t hash, const ENode& node,
                      std::span<const ClassId> operands) const {
  const auto [first, last] = known_.equal_range(hash);
  for (auto entry = first; entry != last; ++entry) {
    const ENode& other = nodes_[entry->second];
    if (other.definition == node.definition && other.leaf == node.leaf &&
        other.attributes == node.attributes && other.type == node.type &&
        std::ranges::equal(this->operands(entry->second), operands))
      return entry->second;
  }
  return none;
}

ClassId EGraph::add_class(const ENode& node) {
  const auto id = static_cast<ClassId>(classes_.size());
  const auto number = static_cast<NodeId>(nodes_.size());
  nodes_.push_back(node);
  nodes_.back().owner = id;
  duplicate_.push_back(false);
  parents_.push_back(id);
  classes_.emplace_back();
  Class& made = classes_.back();
  made.nodes.push_back(number);
  made.type = node.type;
  made.touched = time_;
  if (analysis_ != nullptr && node.definition != nullptr) made.constant = analysis_(*this, number);
  return id;
}

ClassId EGraph::add_leaf(Value* value) {
  const ENode node{.leaf = value, .type = value->type()};
  const std::uint64_t key = hash(node, {});
  if (const NodeId found = lookup(key, node, {}); found != none) return class_of(found);
  known_.emplace(key, static_cast<NodeId>(nodes_.size()));
  return add_class(node);
}

ClassId EGraph::add(const OperationDefinition& definition, std::span<const ClassId> operands,
                    Attribute attributes, Type type, std::uint32_t rule) {
  ENode node{.definition = &definition,
             .attributes = attributes,
             .type = type,
             .first_operand = static_cast<std::uint32_t>(operands_.size()),
             .operand_count = static_cast<std::uint32_t>(operands.size()),
             .rule = rule};
  for (ClassId operand : operands) operands_.push_back(find(operand));
  const std::span<ClassId> own = std::span(operands_).subspan(node.first_operand);
  order_operands(node, own);
  const std::uint64_t key = hash(node, own);
  if (const NodeId found = lookup(key, node, own); found != none) {
    operands_.resize(node.first_operand);
    return class_of(found);
  }
  const auto number = static_cast<NodeId>(nodes_.size());
  known_.emplace(key, number);
  for (ClassId operand : own) {
    std::vector<NodeId>& users = classes_[operand].users;
    if (users.empty() || users.back() != number) users.push_back(number);
  }
  return add_class(node);
}

bool EGraph::merge(ClassId a, ClassId b, std::uint32_t rule) {
  a = find(a);
  b = find(b);
  if (a == b) return false;
  ACCY_ASSERT(classes_[a].type == classes_[b].type, "classes of two types are joined");
  // The one with more users stays, as the other's are hashed again; of equal ones the older.
  const std::size_t weight_a = classes_[a].users.size();
  const std::size_t weight_b = classes_[b].users.size();
  if (weight_a < weight_b || (weight_a == weight_b && b < a)) std::swap(a, b);
  Class& kept = classes_[a];
  Class gone = std::exchange(classes_[b], Class());
  parents_[b] = a;
  kept.nodes.insert(kept.nodes.end(), gone.nodes.begin(), gone.nodes.end());
  std::ranges::sort(kept.nodes);
  kept.users.insert(kept.users.end(), gone.users.begin(), gone.users.end());
  kept.rule = rule;
  const bool news = static_cast<bool>(kept.constant) != static_cast<bool>(gone.constant);
  if (!kept.constant) kept.constant = gone.constant;
  if (news) fresh_constants_.push_back(a);
  dirty_.push_back(a);
  return true;
}

/// Users of a joined class may have become equal.
void EGraph::repair(ClassId id) {
  const std::vector<NodeId> users = [&] {
    std::vector<NodeId> list = classes_[id].users;
    std::ranges::sort(list);
    list.erase(std::unique(list.begin(), list.end()), list.end());
    return list;
  }();
  std::vector<NodeId> kept;
  for (NodeId user : users) {
    if (duplicate_[user]) continue;
    ENode& node = nodes_[user];
    const std::span<ClassId> own =
        std::span(operands_).subspan(node.first_operand, node.operand_count);
    const std::uint64_t before = hash(node, own);
    for (ClassId& operand : own) operand = find(operand);
    order_operands(node, own);
    const std::uint64_t after = hash(node, own);
    kept.push_back(user);
    if (before == after) continue;
    const auto [first, last] = known_.equal_range(before);
    for (auto entry = first; entry != last; ++entry)
      if (entry->second == user) {
        known_.erase(entry);
        break;
      }
    const NodeId same = lookup(after, node, own);
    if (same == none) {
      known_.emplace(after, user);
      continue;
    }
    kept.pop_back();
    duplicate_[user] = true;
    std::erase(classes_[class_of(user)].nodes, user);
    merge(class_of(user), class_of(same));
  }
  // A merge above may have joined this class into another; its users went along.
  if (find(id) == id && classes_[id].users.size() >= kept.size()) {
    std::vector<NodeId>& all = classes_[id].users;
    std::erase_if(all, [&](NodeId user) { return duplicate_[user]; });
  }
}

void EGraph::analyze_users(ClassId id) {
  for (std::size_t index = 0; index < classes_[id].users.size(); ++index) {
    const NodeId user = classes_[id].users[index];
    const ClassId owner = class_of(user);
    if (classes_[owner].constant) continue;
    classes_[owner].constant = analysis_(*this, user);
    if (classes_[owner].constant) fresh_constants_.push_back(owner);
  }
}

void EGraph::touch(ClassId id, int levels) {
  Class& entry = classes_[id];
  if (entry.touched == time_ && entry.touched_levels >= levels) return;
  entry.touched = time_;
  entry.touched_levels = levels;
  if (levels == 0) return;
  for (NodeId user : entry.users) touch(class_of(user), levels - 1);
}

void EGraph::rebuild() {
  std::vector<ClassId> changed;
  while (!dirty_.empty() || !fresh_constants_.empty()) {
    std::vector<ClassId> batch = std::exchange(dirty_, {});
    for (ClassId& id : batch) id = find(id);
    std::ranges::sort(batch);
    batch.erase(std::unique(batch.begin(), batch.end()), batch.end());
    for (ClassId id : batch)
      if (find(id) == id) repair(id);
    changed.insert(changed.end(), batch.begin(), batch.end());
    if (!dirty_.empty() || analysis_ == nullptr) {
      if (analysis_ == nullptr) fresh_constants_.clear();
      continue;
    }
    for (ClassId id : std::exchange(fresh_constants_, {})) {
      analyze_users(find(id));
      changed.push_back(find(id));
    }
  }
  for (ClassId& id : changed) id = find(id);
  std::ranges::sort(changed);
  changed.erase(std::unique(changed.begin(), changed.end()), changed.end());
  for (ClassId id : changed) touch(id, touch_levels);
}

}  // namespace accy::choir
