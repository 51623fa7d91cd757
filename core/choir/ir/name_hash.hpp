// NameHash: a hash of names that keeps v101 beside v102.
#pragma once

#include <algorithm>
#include <functional>
#include <string_view>

namespace accy::choir {

/// Programs number their names and define them in order. Where such names lie side by side in a
/// table, one read of memory serves several; a hash that scatters them makes a module of 100,000
/// values slower by the value than one of 10,000.
struct NameHash {
  std::size_t operator()(std::string_view name) const {
    constexpr std::size_t tail = 2;
    const std::size_t head = name.size() - std::min(tail, name.size());
    std::size_t hash = 0;
    for (char byte : name.substr(head)) hash = 10 * hash + static_cast<unsigned char>(byte);
    return hash + std::hash<std::string_view>()(name.substr(0, head));
  }
};

}  // namespace accy::choir
