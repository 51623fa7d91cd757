// Random damage to a byte string, for readers of untrusted files.
#pragma once

#include <algorithm>
#include <random>
#include <string>

namespace accy::test {

/// One to four of: a changed byte, a flipped bit, a deleted or repeated range, an inserted byte, a
/// cut end. Depends on the generator's state only.
inline std::string mutate(std::string text, std::mt19937& random) {
  const auto below = [&](std::size_t limit) { return limit == 0 ? 0 : random() % limit; };
  for (std::size_t count = 1 + below(4); count > 0; --count) {
    const std::size_t place = below(text.size());
    switch (text.empty() ? 4 : below(6)) {
      case 0: text[place] = static_cast<char>(random()); break;
      case 1: text[place] = static_cast<char>(text[place] ^ (1 << below(8))); break;
      case 2: text.erase(place, 1 + below(16)); break;
      case 3: text.insert(place, text.substr(place, 1 + below(16))); break;
      case 4: text.insert(place, 1, "0123456789{}[](),:\"'-\n"[below(22)]); break;
      default: text.resize(place); break;
    }
  }
  return text;
}

}  // namespace accy::test
