// accy cache: looks after a folder that `accy compile --cache` fills.
#pragma once

#include <cstdint>
#include <filesystem>
#include <ostream>

#include "tools/exit_code.hpp"

namespace accy::tools {

enum class CacheAction { stat, verify, collect_garbage, export_to, import_from };

struct CacheOptions {
  CacheAction action = CacheAction::stat;
  std::filesystem::path folder;
  std::filesystem::path file;                          ///< the archive of export and import
  std::int64_t bytes_maximum = std::int64_t{1} << 30;  ///< left by the collection of garbage
  bool json = false;
};

/// Prints what there is or what was done. check_failed when a verified folder has damaged files.
Result<ExitCode> run_cache(const CacheOptions& options, std::ostream& output);

}  // namespace accy::tools
