#include "choir/egraph/extraction.hpp"

#include <algorithm>
#include <bit>
#include <optional>

namespace accy::choir {

namespace {

constexpr std::size_t pass_limit = 16;          // estimates settle in three or four
constexpr std::size_t visit_limit = 1'000'000;  // of classes, when differences are set back

/// A set of classes.
class ClassSet {
 public:
  bool contains(ClassId id) const {
    return id / 64 < words_.size() && (words_[id / 64] >> (id % 64) & 1U) != 0;
  }
  void insert(ClassId id) {
    grow(id / 64 + 1);
    words_[id / 64] |= std::uint64_t{1} << (id % 64);
  }
  /// Adds the other's members; calls visit(member) for each that is new.
  template <class Visit>
  void unite(const ClassSet& other, Visit visit) {
    grow(other.words_.size());
    for (std::size_t word = 0; word < other.words_.size(); ++word) {
      std::uint64_t fresh = other.words_[word] & ~words_[word];
      words_[word] |= fresh;
      for (; fresh != 0; fresh &= fresh - 1)
        visit(static_cast<ClassId>(word * 64 + static_cast<std::size_t>(std::countr_zero(fresh))));
    }
  }

 private:
  void grow(std::size_t words) {
    if (words_.size() < words) words_.resize(words);
  }
  std::vector<std::uint64_t> words_;
};

class Extractor {
 public:
  Extractor(const EGraph& graph, NodeCost cost)
      : graph_(graph), costs_(graph.node_count()), states_(graph.class_limit()) {
    for (NodeId node = 0; node < costs_.size(); ++node)
      if (!graph.is_duplicate(node)) costs_[node] = std::max<std::uint64_t>(1, cost(graph, node));
  }

  Extraction run(std::span<const ClassId> roots) {
    number_classes();
    for (std::uint32_t pass = 1; pass <= pass_limit; ++pass)
      if (!improve(pass)) break;
    Extraction result;
    for (const State& state : states_) result.choice.push_back(state.choice);
    result.cost = measure(result.choice, roots).value_or(~std::uint64_t{0});
    set_back(result, roots);
    return result;
  }

  /// The cost of what the roots reach by these choices; nothing when they go in a circle.
  std::optional<std::uint64_t> measure(const std::vector<NodeId>& choice,
                                       std::span<const ClassId> roots) {
    enum : std::uint8_t { unseen, open, done };
    std::vector<std::uint8_t> seen(choice.size(), unseen);
    std::vector<ClassId> stack(roots.begin(), roots.end());
    std::uint64_t total = 0;
    while (!stack.empty()) {
      const ClassId id = graph_.find(stack.back());
      ++visits_;
      if (seen[id] != unseen) {
        if (seen[id] == open) total += costs_[choice[id]];
        seen[id] = done;
        stack.pop_back();
        continue;
      }
      if (choice[id] == none) return std::nullopt;
      seen[id] = open;
      for (ClassId operand : graph_.operands(choice[id])) {
        operand = graph_.find(operand);
        if (seen[operand] == open) return std::nullopt;
        if (seen[operand] == unseen) stack.push_back(operand);
      }
    }
    return total;
  }

 private:
  struct State {
    NodeId choice = none;
    std::uint64_t total = ~std::uint64_t{0};
    ClassSet reach;              ///< by the classes' places; with itself
    std::uint32_t improved = 0;  ///< the last pass that found something cheaper
    ClassId place = none;
  };

  /// Dense numbers for the classes that are left, so that sets are small.
  void number_classes() {
    for (NodeId node = 0; node < costs_.size(); ++node) {
      State& state = states_[graph_.class_of(node)];
      if (state.place != none) continue;
      state.place = static_cast<ClassId>(by_place_.size());
      by_place_.push_back(graph_.class_of(node));
    }
  }

  bool improve(std::uint32_t pass) {
    bool changed = false;
    for (NodeId node = 0; node < costs_.size(); ++node)
      if (!graph_.is_duplicate(node) && is_due(node, pass) && consider(node, pass)) changed = true;
    return changed;
  }

  /// Whether the node's sum may have changed since it was last looked at.
  bool is_due(NodeId node, std::uint32_t pass) const {
    bool due = pass == 1;
    for (ClassId operand : graph_.operands(node)) {
      const State& state = states_[graph_.find(operand)];
      if (state.choice == none) return false;
      due = due || state.improved + 1 >= pass;
    }
    return due;
  }

  bool consider(NodeId node, std::uint32_t pass) {
    State& own = states_[graph_.class_of(node)];
    const State* first = nullptr;  // the operand with the largest sum, whose set is copied
    for (ClassId operand : graph_.operands(node)) {
      const State& state = states_[graph_.find(operand)];
      if (state.reach.contains(own.place)) return false;  // it would stand on itself
      if (first == nullptr || state.total > first->total) first = &state;
    }
    std::uint64_t total = costs_[node] + (first == nullptr ? 0 : first->total);
    if (total >= own.total) return false;
    ClassSet reach;
    if (first != nullptr) reach = first->reach;
    for (ClassId operand : graph_.operands(node)) {
      const State& state = states_[graph_.find(operand)];
      if (&state == first) continue;
      reach.unite(state.reach,
                  [&](ClassId place) { total += costs_[states_[by_place_[place]].choice]; });
    }
    if (total >= own.total) return false;
    reach.insert(own.place);
    own.choice = node;
    own.total = total;
    own.reach = std::move(reach);
    own.improved = pass;
    return true;
  }

  /// The program's node of a class that has chosen another; none where it has none.
  NodeId program_node(ClassId id, NodeId chosen) const {
    const NodeId first = graph_.nodes_of(id).front();
    return first != chosen && graph_.node(first).rule == none ? first : none;
  }

  void set_back(Extraction& result, std::span<const ClassId> roots) {
    for (ClassId id = 0; id < result.choice.size() && visits_ < visit_limit; ++id) {
      if (graph_.find(id) != id || result.choice[id] == none) continue;
      const NodeId chosen = result.choice[id];
      const NodeId program = program_node(id, chosen);
      if (program == none || graph_.node(chosen).rule == none) continue;
      result.choice[id] = program;
      const std::optional<std::uint64_t> cost = measure(result.choice, roots);
      if (cost && *cost <= result.cost)
        result.cost = *cost;
      else
        result.choice[id] = chosen;
    }
  }

  const EGraph& graph_;
  std::vector<std::uint64_t> costs_;
  std::vector<State> states_;
  std::vector<ClassId> by_place_;
  std::size_t visits_ = 0;
};

}  // namespace

Extraction extract(const EGraph& graph, std::span<const ClassId> roots, NodeCost cost) {
  return Extractor(graph, cost).run(roots);
}

std::uint64_t program_cost(const EGraph& graph, std::span<const ClassId> roots, NodeCost cost) {
  std::vector<NodeId> choice(graph.class_limit(), none);
  for (ClassId id = 0; id < choice.size(); ++id)
    if (graph.find(id) == id) choice[id] = graph.nodes_of(id).front();
  return Extractor(graph, cost).measure(choice, roots).value_or(~std::uint64_t{0});
}

}  // namespace accy::choir
