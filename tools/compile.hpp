// accy compile: from a program to target code, without a device.
#pragma once

#include <cstdint>
#include <filesystem>
#include <ostream>
#include <string>
#include <vector>

#include "tools/compile_report.hpp"
#include "tools/target_choice.hpp"

namespace accy::tools {

struct CompileOptions {
  std::filesystem::path file;
  std::vector<std::string> targets;  ///< profile ids or profile files, each compiled in this order
  /// Folder to write into, or an artifact when it ends in ".accy"; empty: nothing is written.
  std::filesystem::path output;
  std::vector<std::string> emit{"stages", "code"};  ///< what is written
  std::vector<std::string> dimensions;              ///< "n=16"
  std::filesystem::path cache;  ///< folder of the products of earlier compiles; empty: none
  std::int64_t cache_bytes_maximum = std::int64_t{1} << 30;
  /// Folder that a failed compile leaves a reproducer in, a crash included; empty: none.
  std::filesystem::path reproducers;
  std::size_t workers = 0;  ///< threads for what is done kernel by kernel; 0: one for each core
  bool validate = false;    ///< run the target's validator over all code
  bool timing = false;      ///< report the time of each pass
  bool json = false;
};

/// Prepares the program for a target: all seven stages. `options` without profile and backend.
Result<CompileResult> compile_for(const TargetChoice& choice, semantic::SemanticModule program,
                                  preparation::PreparationOptions options);

/// Compiles for each target in one process, where what two targets share is made once, and prints
/// the report: for --json one document, or an array for several targets. With an output folder,
/// writes STAGE.choir for each stage and code/KERNEL.EXTENSION, in a folder for each target when
/// there are several.
Status run_compile(const CompileOptions& options, std::ostream& output);

}  // namespace accy::tools
