// ValueScopes: which %names a place in the text sees.
#pragma once

#include <string_view>
#include <unordered_map>
#include <vector>

#include "choir/ir/lexer.hpp"
#include "choir/operation.hpp"

namespace accy::choir {

/// Names are visible from their definition to the end of their region, also in nested regions,
/// except through an isolated operation. No name shadows another.
class ValueScopes {
 public:
  struct Entry {
    Value* value = nullptr;  ///< null while pending, or when its definition is faulty
    bool pending = true;     ///< its definition is still being read
    Token place;
  };

  ValueScopes() { isolations_.emplace_back(); }

  /// The entry seen from here, or null.
  Entry* find(std::string_view name);
  /// Whether an operation around the innermost isolated one sees the name.
  bool is_outside(std::string_view name) const;
  /// False when the name is visible already. It must live as long as the scopes.
  bool declare(std::string_view name, const Token& place);

  void enter(bool isolated);
  void leave();

 private:
  struct Isolation {
    std::unordered_map<std::string_view, Entry> entries;
    std::vector<std::string_view> order;
  };
  struct Region {
    bool isolated = false;
    std::size_t visible = 0;  // names of the isolation before the region
  };
  std::vector<Isolation> isolations_;
  std::vector<Region> regions_;
};

}  // namespace accy::choir
