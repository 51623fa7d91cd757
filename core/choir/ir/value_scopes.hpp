// ValueScopes: which %names a place in the text sees.
#pragma once

#include <cstdint>
#include <deque>
#include <memory_resource>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "choir/ir/name_hash.hpp"
#include "choir/operation.hpp"

namespace accy::choir {

/// Names are visible from their definition to the end of their region, also in nested regions,
/// except through an isolated operation. No name shadows another.
class ValueScopes {
 public:
  struct Entry {
    Value* value = nullptr;  ///< null while pending, or when its definition is faulty
    bool pending = true;     ///< its definition is still being read
    std::uint32_t line = 0;  ///< of its definition
  };

  ValueScopes() { isolations_.emplace_back(memory_); }

  /// The entry seen from here, or null.
  Entry* find(std::string_view name);
  /// Whether an operation around the innermost isolated one sees the name.
  bool is_outside(std::string_view name) const;
  /// The name's entry, and whether it is new or was visible already. The name must live as long as
  /// the scopes; the entry stays in place while it is visible.
  std::pair<Entry*, bool> declare(std::string_view name, std::uint32_t line);

  void enter(bool isolated);
  void leave();

 private:
  struct Isolation {
    explicit Isolation(std::pmr::memory_resource& memory) : entries(&memory) {}
    std::pmr::unordered_map<std::string_view, Entry, NameHash> entries;
    std::vector<std::string_view> order;
  };
  struct Region {
    bool isolated = false;
    std::size_t visible = 0;  // names of the isolation before the region
  };
  std::pmr::monotonic_buffer_resource memory_;  // of all entries, until the text is read
  std::deque<Isolation> isolations_;
  std::vector<Region> regions_;
};

}  // namespace accy::choir
