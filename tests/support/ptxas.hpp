// Assembles PTX with NVIDIA's ptxas, which is no part of accy: a gate of the tests where it exists.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace accy::test {

/// What ptxas said about one module.
struct PtxasReport {
  int exit_code = -1;
  std::string output;            ///< stdout and stderr
  std::int64_t registers = 0;    ///< most of any entry
  std::int64_t spill_bytes = 0;  ///< stores and loads of all entries
  std::int64_t stack_bytes = 0;
  /// Whether it assembled without a warning, without one of the `(C75xx)` notes that mean slower
  /// code, without spills and without a stack frame.
  bool clean() const;
};

/// Path of ptxas: in PATH or /usr/local/cuda/bin; nothing where there is none.
std::optional<std::string> find_ptxas();

/// Runs `ptxas -v -arch=<architecture>` on the text in a folder of its own.
PtxasReport assemble(const std::string& ptxas, const std::string& text,
                     const std::string& architecture);

}  // namespace accy::test
