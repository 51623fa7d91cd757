// Facts: what a pass read beyond its module, so that a product's key holds it and nothing else.
#pragma once

#include <compare>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "accy/export.hpp"

namespace accy::choir {

/// One fact that a stage read, with its value.
struct ACCY_EXPORT Fact {
  std::string name;
  std::string value;
  friend auto operator<=>(const Fact&, const Fact&) = default;
};

/// The facts that one run read: each once, sorted by name.
class ACCY_EXPORT FactTrace {
 public:
  void add(std::string_view name, std::string value) {
    facts_.insert_or_assign(std::string(name), std::move(value));
  }
  void add(std::span<const Fact> facts) {
    for (const Fact& fact : facts) add(fact.name, fact.value);
  }
  std::vector<Fact> facts() const {
    std::vector<Fact> list;
    for (const auto& [name, value] : facts_) list.push_back({name, value});
    return list;
  }

 private:
  std::map<std::string, std::string, std::less<>> facts_;
};

}  // namespace accy::choir
