#include "frontend/npy.hpp"

#include <algorithm>
#include <cstring>

#include "frontend/npy_header.hpp"
#include "support/checked.hpp"
#include "support/file.hpp"

namespace accy::frontend {
namespace {

/// Elements in row-major order from elements whose first axis is the innermost one.
std::vector<std::byte> to_row_major(std::span<const std::byte> source,
                                    const std::vector<std::int64_t>& shape, std::size_t element) {
  std::vector<std::byte> result(source.size());
  std::vector<std::int64_t> index(shape.size(), 0);
  for (std::size_t to = 0; to < result.size(); to += element) {
    std::int64_t from = 0;
    for (std::size_t axis = shape.size(); axis-- > 0;) from = from * shape[axis] + index[axis];
    std::memcpy(result.data() + to, source.data() + from * static_cast<std::int64_t>(element),
                element);
    for (std::size_t axis = shape.size(); axis-- > 0;) {
      if (++index[axis] < shape[axis]) break;
      index[axis] = 0;
    }
  }
  return result;
}

Result<HostTensor> make_tensor(const NpyHeader& header, std::vector<std::byte> data,
                               std::string_view file) {
  if (header.fortran_order && header.shape.size() > 1)
    data = to_row_major(data, header.shape, static_cast<std::size_t>(size_bytes(header.element)));
  auto tensor = HostTensor::from_bytes(header.element, header.shape, std::move(data));
  if (!tensor) return fail(std::move(tensor.error()).with("reading " + std::string(file)));
  return tensor;
}

}  // namespace

Result<HostTensor> read_npy(const std::filesystem::path& path) {
  ACCY_TRY_ASSIGN(const InputFile file, InputFile::open(path));
  const std::int64_t prefix_bytes =
      std::min(file.size_bytes(), static_cast<std::int64_t>(npy_prefix_bytes_maximum));
  std::vector<std::byte> prefix(static_cast<std::size_t>(prefix_bytes));
  ACCY_TRY(file.read_at(0, prefix));
  ACCY_TRY_ASSIGN(const NpyHeader header,
                  parse_npy_header(prefix, file.size_bytes(), path.string()));
  std::vector<std::byte> data(static_cast<std::size_t>(header.data_bytes));
  ACCY_TRY(file.read_at(header.data_offset, data));
  return make_tensor(header, std::move(data), path.string());
}

Result<HostTensor> parse_npy(std::span<const std::byte> content, std::string_view file) {
  const auto prefix = content.first(std::min(content.size(), npy_prefix_bytes_maximum));
  ACCY_TRY_ASSIGN(const NpyHeader header,
                  parse_npy_header(prefix, static_cast<std::int64_t>(content.size()), file));
  const auto data = content.subspan(static_cast<std::size_t>(header.data_offset));
  return make_tensor(header, {data.begin(), data.end()}, file);
}

Result<std::vector<std::byte>> encode_npy(const HostTensor& tensor) {
  ACCY_TRY_ASSIGN(const std::string header, format_npy_header(tensor.element, tensor.shape));
  ACCY_TRY_ASSIGN(const std::int64_t size, byte_count(tensor.shape, size_bytes(tensor.element)));
  if (static_cast<std::uint64_t>(size) != tensor.bytes.size())
    return fail(ErrorCode::invalid_input, "tensor has " + std::to_string(tensor.bytes.size()) +
                                              " bytes, but its shape takes " +
                                              std::to_string(size));
  std::vector<std::byte> content(header.size() + tensor.bytes.size());
  std::memcpy(content.data(), header.data(), header.size());
  std::ranges::copy(tensor.bytes, content.begin() + static_cast<std::ptrdiff_t>(header.size()));
  return content;
}

Status write_npy(const std::filesystem::path& path, const HostTensor& tensor) {
  auto content = encode_npy(tensor);
  if (!content) return fail(std::move(content.error()).with("writing " + path.string()));
  return write_file(path, *content);
}

}  // namespace accy::frontend
