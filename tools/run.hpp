// accy run: compiles a program for a device, runs it there and may check the result.
#pragma once

#include <filesystem>
#include <ostream>
#include <string>
#include <vector>

#include "accy/result.hpp"
#include "tools/exit_code.hpp"

namespace accy::tools {

struct RunOptions {
  std::filesystem::path file;
  std::string device;
  std::vector<std::string> inputs;      ///< "name=x.npy" or "name=random:SEED"
  std::filesystem::path output;         ///< folder for NAME.npy; empty: outputs are not written
  std::vector<std::string> dimensions;  ///< "n=16"; those of the NPY inputs need not be given
  bool check = false;                   ///< compare with the wide evaluator
  bool json = false;
};

/// Runs once and prints the report; why a check failed goes to `problems`. check_failed when an
/// output is outside its forward error bound.
Result<ExitCode> run_program(const RunOptions& options, std::ostream& output,
                             std::ostream& problems);

}  // namespace accy::tools
