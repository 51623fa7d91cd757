// Folders to write into.
#pragma once

#include <filesystem>

#include "accy/result.hpp"

namespace accy::tools {

/// Makes it, and those around it, when they are missing.
Status create_folder(const std::filesystem::path& folder);

}  // namespace accy::tools
