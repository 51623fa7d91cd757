// Reading safetensors files.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "accy/host_tensor.hpp"
#include "frontend/safetensors_header.hpp"
#include "support/file.hpp"

namespace accy::frontend {

/// An open safetensors file whose header has been read and checked; tensors are read on demand.
class SafetensorsFile {
 public:
  /// Errors: no regular file, a header that is malformed, too large or does not fit the file.
  static Result<SafetensorsFile> open(const std::filesystem::path& path);

  /// Names of all tensors, sorted.
  std::vector<std::string> names() const;
  /// Reads one tensor. Errors: no tensor of that name, a bool other than 0 or 1, a file that has
  /// become shorter since it was opened.
  Result<HostTensor> read(std::string_view name) const;

 private:
  SafetensorsFile(InputFile file, SafetensorsEntries entries, std::int64_t data_offset)
      : file_(std::move(file)), entries_(std::move(entries)), data_offset_(data_offset) {}

  InputFile file_;
  SafetensorsEntries entries_;
  std::int64_t data_offset_;
};

}  // namespace accy::frontend
