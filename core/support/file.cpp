#include "support/file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <system_error>
#include <utility>

namespace accy {
namespace {

Failure io_failure(const std::filesystem::path& path, std::string_view what, int error_number) {
  return fail(ErrorCode::io, path.string() + ": " + std::string(what) + " (" +
                                 std::generic_category().message(error_number) + ")");
}

}  // namespace

InputFile::~InputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

InputFile::InputFile(InputFile&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      size_bytes_(other.size_bytes_) {}

InputFile& InputFile::operator=(InputFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(descriptor_, other.descriptor_);
  std::swap(size_bytes_, other.size_bytes_);
  return *this;
}

Result<InputFile> InputFile::open(const std::filesystem::path& path) {
  // O_NONBLOCK: opening a pipe without a writer would wait for one.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return io_failure(path, "cannot be opened", errno);
  InputFile file(path, descriptor, 0);
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) return io_failure(path, "cannot be examined", errno);
  if (!S_ISREG(status.st_mode))
    return fail(ErrorCode::io, path.string() + ": is not a regular file");
  file.size_bytes_ = status.st_size;
  return file;
}

Status InputFile::read_at(std::int64_t offset_bytes, std::span<std::byte> destination) const {
  std::size_t done = 0;
  while (done < destination.size()) {
    const ssize_t count = ::pread(descriptor_, destination.data() + done, destination.size() - done,
                                  offset_bytes + static_cast<std::int64_t>(done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return io_failure(path_, "cannot be read", errno);
    if (count == 0)
      return fail(ErrorCode::io, path_.string() + ": ends early (" + std::to_string(done) + " of " +
                                     std::to_string(destination.size()) + " bytes at offset " +
                                     std::to_string(offset_bytes) + ")");
    done += static_cast<std::size_t>(count);
  }
  return {};
}

Result<std::vector<std::byte>> read_file(const std::filesystem::path& path,
                                         std::int64_t maximum_bytes) {
  ACCY_TRY_ASSIGN(const InputFile file, InputFile::open(path));
  if (file.size_bytes() > maximum_bytes)
    return fail(ErrorCode::invalid_input,
                path.string() + ": file size (" + std::to_string(file.size_bytes()) +
                    " bytes) exceeds the limit (" + std::to_string(maximum_bytes) + " bytes)");
  std::vector<std::byte> content(static_cast<std::size_t>(file.size_bytes()));
  ACCY_TRY(file.read_at(0, content));
  return content;
}

Status write_file(const std::filesystem::path& path, std::span<const std::byte> content) {
  std::ofstream stream(path, std::ios::binary | std::ios::trunc);
  if (!stream) return io_failure(path, "cannot be created", errno);
  stream.write(reinterpret_cast<const char*>(content.data()),
               static_cast<std::streamsize>(content.size()));
  stream.close();
  if (!stream) return io_failure(path, "cannot be written", errno);
  return {};
}

}  // namespace accy
