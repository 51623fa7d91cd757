// Any text is an error value, or a profile that is written and read back as the same profile.
#include "fuzz/fuzz.hpp"
#include "profile/profile.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace accy;
  const auto profile = profile_from_json(test::as_text(data, size), "fuzz.json");
  if (!profile) {
    test::require(!profile.error().to_string().empty(), "an error has a message");
    return 0;
  }
  const auto again = profile_from_json(to_json(*profile), "fuzz.json");
  test::require(again.has_value() && *again == *profile, "a written profile reads back");
  return 0;
}
