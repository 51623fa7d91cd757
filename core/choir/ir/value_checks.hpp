// ValueChecks: whether types and attributes are well formed; each distinct one is checked once.
#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>

#include "choir/context.hpp"

namespace accy::choir {

class ValueChecks {
 public:
  /// What is wrong with the type, or an empty text.
  std::string fault_of(const Context& context, Type type);
  /// What is wrong with the attribute or its name, or an empty text.
  std::string fault_of(const Context& context, const NamedAttribute& attribute);

 private:
  /// The fault and the levels of nesting inside.
  struct Finding {
    std::string fault;
    std::size_t levels = 0;
  };
  Finding check(const Context& context, Type type, std::size_t depth);
  Finding check(const Context& context, Attribute attribute, std::size_t depth);
  Finding check_text(Attribute attribute);
  /// Whether it has no fault where it stands alone.
  bool is_known(const void* storage) const { return levels_.contains(storage); }
  void merge(Finding& into, const Finding& part, std::size_t depth);

  // Only of those without a fault.
  std::unordered_map<const void*, std::size_t> levels_;
  std::unordered_set<const char*> names_;
};

}  // namespace accy::choir
