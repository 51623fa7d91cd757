#include "accy/digest.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace accy {

std::string Digest::to_string() const {
  static constexpr char digits[] = "0123456789abcdef";
  std::string text(32, '0');
  for (int index = 0; index < 16; ++index) {
    text[static_cast<std::size_t>(15 - index)] = digits[(high >> (4 * index)) & 15];
    text[static_cast<std::size_t>(31 - index)] = digits[(low >> (4 * index)) & 15];
  }
  return text;
}

Digest digest_of(std::span<const std::byte> bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return {hash.high64, hash.low64};
}

Digest digest_of(std::string_view text) { return digest_of(std::as_bytes(std::span(text))); }

struct Digester::State {
  XXH3_state_t* xxh = XXH3_createState();
  State() { XXH3_128bits_reset(xxh); }
  ~State() { XXH3_freeState(xxh); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
};

Digester::Digester() : state_(std::make_unique<State>()) {}
Digester::~Digester() = default;

Digester& Digester::add(std::string_view text) {
  add(static_cast<std::uint64_t>(text.size()));
  XXH3_128bits_update(state_->xxh, text.data(), text.size());
  return *this;
}

Digester& Digester::add(std::uint64_t value) {
  std::array<unsigned char, 8> bytes{};
  for (std::size_t index = 0; index < bytes.size(); ++index)
    bytes[index] = static_cast<unsigned char>(value >> (8 * index));
  XXH3_128bits_update(state_->xxh, bytes.data(), bytes.size());
  return *this;
}

Digester& Digester::add(const Digest& digest) { return add(digest.high).add(digest.low); }

Digest Digester::finish() const {
  const XXH128_hash_t hash = XXH3_128bits_digest(state_->xxh);
  return {hash.high64, hash.low64};
}

}  // namespace accy
