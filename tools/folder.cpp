#include "tools/folder.hpp"

namespace accy::tools {

Status create_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (!error) return {};
  return fail(ErrorCode::io,
              folder.string() + ": folder cannot be created (" + error.message() + ")");
}

}  // namespace accy::tools
