// Any file is an error value, or each of its tensors can be read or refused.
#include <fstream>

#include "frontend/safetensors.hpp"
#include "fuzz/fuzz.hpp"
#include "support/temporary_folder.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace accy;
  static const test::TemporaryFolder folder;
  const auto path = folder.path() / "fuzz.safetensors";
  std::ofstream(path, std::ios::binary | std::ios::trunc) << test::as_text(data, size);
  const auto file = frontend::SafetensorsFile::open(path);
  if (!file) {
    test::require(!file.error().to_string().empty(), "an error has a message");
    return 0;
  }
  std::size_t bytes = 0;
  for (const std::string& name : file->names())
    if (const auto tensor = file->read(name)) bytes += tensor->bytes.size();
  test::require(bytes <= size, "the tensors are not larger than their file");
  return 0;
}
