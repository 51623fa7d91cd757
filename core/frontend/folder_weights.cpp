#include "frontend/folder_weights.hpp"

#include <algorithm>

#include "support/json.hpp"

namespace accy::frontend {
namespace {

bool is_inside(const std::filesystem::path& path, const std::filesystem::path& folder) {
  const auto [folder_end, path_end] = std::ranges::mismatch(folder, path);
  return folder_end == folder.end() && path_end != path.end();
}

Failure refuse(std::string_view file, const std::string& what) {
  return fail(ErrorCode::invalid_input, "weight file " + quote_for_message(file) + " " + what);
}

}  // namespace

FolderWeights::FolderWeights(const std::filesystem::path& folder)
    : folder_(std::filesystem::canonical(folder.empty() ? "." : folder, folder_error_)) {}

Result<HostTensor> FolderWeights::load(std::string_view file, std::string_view tensor,
                                       const SourceLocation& where) const {
  auto loaded = load_unlocated(file, tensor);
  if (!loaded) {
    loaded.error().where = where;
    loaded.error().op = "tensor.weight";
  }
  return loaded;
}

Result<HostTensor> FolderWeights::load_unlocated(std::string_view file,
                                                 std::string_view tensor) const {
  const std::lock_guard lock(mutex_);
  auto opened = files_.find(file);
  if (opened == files_.end()) {
    ACCY_TRY_ASSIGN(const std::filesystem::path path, resolve(file));
    ACCY_TRY_ASSIGN(SafetensorsFile weights, SafetensorsFile::open(path));
    opened = files_.emplace(std::string(file), std::move(weights)).first;
  }
  return opened->second.read(tensor);
}

Result<std::filesystem::path> FolderWeights::resolve(std::string_view file) const {
  if (folder_error_)
    return fail(ErrorCode::io, "weight folder cannot be found (" + folder_error_.message() + ")");
  const std::filesystem::path relative(file);
  if (file.empty() || file.find('\0') != std::string_view::npos)
    return refuse(file, "is not a file name");
  if (relative.is_absolute()) return refuse(file, "is absolute, not relative to the program");
  if (std::ranges::find(relative, "..") != relative.end()) return refuse(file, "holds \"..\"");
  std::error_code error;
  const std::filesystem::path resolved = std::filesystem::canonical(folder_ / relative, error);
  if (error)
    return fail(ErrorCode::io, "weight file " + quote_for_message(file) + " cannot be found in " +
                                   folder_.string() + " (" + error.message() + ")");
  if (!is_inside(resolved, folder_))
    return refuse(file, "leaves the program's folder (" + folder_.string() + ")");
  return resolved;
}

}  // namespace accy::frontend
