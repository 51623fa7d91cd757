#include "choir/ir/value_scopes.hpp"

#include <algorithm>

namespace accy::choir {

ValueScopes::Entry* ValueScopes::find(std::string_view name) {
  auto& entries = isolations_.back().entries;
  auto found = entries.find(name);
  return found == entries.end() ? nullptr : &found->second;
}

bool ValueScopes::is_outside(std::string_view name) const {
  return std::any_of(isolations_.begin(), std::prev(isolations_.end()),
                     [&](const Isolation& outer) { return outer.entries.contains(name); });
}

std::pair<ValueScopes::Entry*, bool> ValueScopes::declare(std::string_view name,
                                                          std::uint32_t line) {
  Isolation& isolation = isolations_.back();
  const auto [place, added] = isolation.entries.try_emplace(name, Entry{nullptr, true, line});
  if (added) isolation.order.push_back(name);
  return {&place->second, added};
}

void ValueScopes::enter(bool isolated) {
  if (isolated) isolations_.emplace_back(memory_);
  regions_.push_back({isolated, isolations_.back().order.size()});
}

void ValueScopes::leave() {
  const Region region = regions_.back();
  regions_.pop_back();
  if (region.isolated) {
    isolations_.pop_back();
    return;
  }
  Isolation& isolation = isolations_.back();
  while (isolation.order.size() > region.visible) {
    isolation.entries.erase(isolation.order.back());
    isolation.order.pop_back();
  }
}

}  // namespace accy::choir
