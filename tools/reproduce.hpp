// accy reproduce: runs what a failed compile left behind.
#pragma once

#include <filesystem>
#include <ostream>

#include "tools/exit_code.hpp"

namespace accy::tools {

struct ReproduceOptions {
  std::filesystem::path file;
  bool json = false;
};

/// Prints what failed then and now. done when the same failure came again, check_failed when none
/// or another did.
Result<ExitCode> run_reproduce(const ReproduceOptions& options, std::ostream& output);

}  // namespace accy::tools
