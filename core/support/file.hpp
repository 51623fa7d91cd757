// Reading and writing whole files and parts of them, regular files only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "accy/result.hpp"

namespace accy {

/// A regular file, open for reading. Closed with the object.
class InputFile {
 public:
  /// A directory, device, pipe or socket is an error, and opening one never blocks. A symbolic link
  /// is followed.
  static Result<InputFile> open(const std::filesystem::path& path);
  ~InputFile();
  InputFile(InputFile&& other) noexcept;
  InputFile& operator=(InputFile&& other) noexcept;
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  const std::filesystem::path& path() const { return path_; }
  /// Bytes in the file when it was opened.
  std::int64_t size_bytes() const { return size_bytes_; }
  /// Fills the destination from the offset; fewer bytes there is an error.
  Status read_at(std::int64_t offset_bytes, std::span<std::byte> destination) const;

 private:
  InputFile(std::filesystem::path path, int descriptor, std::int64_t size_bytes)
      : path_(std::move(path)), descriptor_(descriptor), size_bytes_(size_bytes) {}

  std::filesystem::path path_;
  int descriptor_ = -1;
  std::int64_t size_bytes_ = 0;
};

/// The content of a regular file of at most `maximum_bytes`.
Result<std::vector<std::byte>> read_file(const std::filesystem::path& path,
                                         std::int64_t maximum_bytes);

/// Creates or replaces a file. A failure may leave a partial file behind.
Status write_file(const std::filesystem::path& path, std::span<const std::byte> content);

}  // namespace accy
