#include "frontend/safetensors.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "support/json.hpp"

namespace accy::frontend {
namespace {

static_assert(std::endian::native == std::endian::little, "tensor files are little endian");

constexpr std::int64_t length_bytes = 8;  // the header's length, little endian, before the header

}  // namespace

Result<SafetensorsFile> SafetensorsFile::open(const std::filesystem::path& path) {
  ACCY_TRY_ASSIGN(InputFile file, InputFile::open(path));
  if (file.size_bytes() < length_bytes)
    return fail(ErrorCode::invalid_input,
                path.string() + ": file (" + std::to_string(file.size_bytes()) +
                    " bytes) is shorter than the length of a safetensors header (8 bytes)");
  std::array<std::byte, length_bytes> encoded_length{};
  ACCY_TRY(file.read_at(0, encoded_length));
  const auto header_bytes = std::bit_cast<std::uint64_t>(encoded_length);
  const std::int64_t rest = file.size_bytes() - length_bytes;
  const std::int64_t limit = std::min(rest, safetensors_header_bytes_maximum);
  if (header_bytes > static_cast<std::uint64_t>(limit))
    return fail(ErrorCode::invalid_input,
                path.string() + ": safetensors header (" + std::to_string(header_bytes) +
                    " bytes) exceeds " + (limit == rest ? "the rest of the file" : "the limit") +
                    " (" + std::to_string(limit) + " bytes)");
  std::string header(static_cast<std::size_t>(header_bytes), '\0');
  ACCY_TRY(file.read_at(length_bytes, std::as_writable_bytes(std::span(header))));
  const auto data_offset = length_bytes + static_cast<std::int64_t>(header_bytes);
  ACCY_TRY_ASSIGN(
      SafetensorsEntries entries,
      parse_safetensors_header(header, file.size_bytes() - data_offset, path.string()));
  return SafetensorsFile(std::move(file), std::move(entries), data_offset);
}

std::vector<std::string> SafetensorsFile::names() const {
  std::vector<std::string> names;
  for (const auto& entry : entries_) names.push_back(entry.first);
  return names;
}

Result<HostTensor> SafetensorsFile::read(std::string_view name) const {
  const auto found = entries_.find(name);
  if (found == entries_.end())
    return fail(ErrorCode::invalid_input,
                file_.path().string() + ": has no tensor " + quote_for_message(name));
  const SafetensorsEntry& entry = found->second;
  std::vector<std::byte> data(static_cast<std::size_t>(entry.end - entry.begin));
  ACCY_TRY(file_.read_at(data_offset_ + entry.begin, data));
  auto tensor = HostTensor::from_bytes(entry.element, entry.shape, std::move(data));
  if (!tensor)
    return fail(std::move(tensor.error())
                    .with("reading tensor " + quote_for_message(name) + " of " +
                          file_.path().string()));
  return tensor;
}

}  // namespace accy::frontend
