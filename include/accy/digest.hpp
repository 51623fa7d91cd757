// Content digests: 128-bit XXH3, not cryptographic; stores compare the full key on a hit as well.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "accy/export.hpp"

namespace accy {

struct ACCY_EXPORT Digest {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  /// 32 lower-case hexadecimal digits.
  std::string to_string() const;
  friend auto operator<=>(const Digest&, const Digest&) = default;
};

/// Digest of one byte string.
ACCY_EXPORT Digest digest_of(std::span<const std::byte> bytes);
ACCY_EXPORT Digest digest_of(std::string_view text);

/// Digest of a sequence of fields; each is length-prefixed, so that field borders count.
class ACCY_EXPORT Digester {
 public:
  Digester();
  ~Digester();
  Digester(const Digester&) = delete;
  Digester& operator=(const Digester&) = delete;
  Digester& add(std::string_view text);
  Digester& add(std::uint64_t value);
  Digester& add(const Digest& digest);
  Digest finish() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace accy
