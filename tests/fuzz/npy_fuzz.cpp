// Any bytes are an error value, or a tensor that is written and read back as the same tensor.
#include "frontend/npy.hpp"
#include "fuzz/fuzz.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace accy;
  const auto tensor = frontend::parse_npy(test::as_bytes(data, size), "fuzz.npy");
  if (!tensor) {
    test::require(!tensor.error().to_string().empty(), "an error has a message");
    return 0;
  }
  test::require(tensor->bytes.size() <= size, "a tensor is not larger than its file");
  const auto content = frontend::encode_npy(*tensor);
  test::require(content.has_value(), "a tensor that was read can be written");
  const auto again = frontend::parse_npy(*content, "fuzz.npy");
  test::require(again.has_value() && *again == *tensor, "a written tensor reads back");
  return 0;
}
