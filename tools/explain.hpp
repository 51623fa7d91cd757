// accy explain: what became of each operation of a program, and why.
#pragma once

#include <filesystem>
#include <ostream>
#include <string>
#include <vector>

#include "choir/decision.hpp"
#include "tools/compile_report.hpp"

namespace accy::tools {

struct ExplainOptions {
  std::filesystem::path file;
  std::vector<std::string> targets;               ///< one; two are compared
  std::vector<std::filesystem::path> difference;  ///< two programs to compare; then `file` is empty
  std::string operation;                          ///< "%y", "tensor.softmax" or a line; empty: all
  std::filesystem::path html;                     ///< page to write; empty: none
  std::vector<std::string> dimensions;            ///< "n=16"
  bool json = false;
};

/// A compile with everything that its passes decided.
struct ExplainedCompile {
  std::string program;  ///< its file
  CompileResult result;
  std::vector<choir::Decision> decisions;
};

/// A launch of a kernel, for the operations that it computes.
struct ExplainedLaunch {
  std::string kernel;
  std::string kind;
  std::string schedule;
  std::int64_t item = 0;               ///< the work item that it does, or a part of
  std::vector<SourceLocation> places;  ///< of all that the item holds
};

/// One operation of the program with what concerns it.
struct ExplainedOperation {
  SourceLocation place;
  std::string op;                                 ///< "tensor.softmax"
  std::string value;                              ///< name of its first result; empty: none
  std::vector<const choir::Decision*> decisions;  ///< in the order of the compile
  std::vector<std::string> kernels;               ///< that compute it, each once
};

std::vector<ExplainedLaunch> launches_of(const ExplainedCompile& compile);

/// The program's operations in their order. `operation` selects as in ExplainOptions; an error
/// lists the known ones when it selects none.
Result<std::vector<ExplainedOperation>> explain_operations(const ExplainedCompile& compile,
                                                           std::string_view operation);

/// The "accy.explain/1" document.
nlohmann::json to_document(const ExplainedCompile& compile,
                           const std::vector<ExplainedOperation>& operations);

/// Explains or compares, prints, and writes the page.
Status run_explain(const ExplainOptions& options, std::ostream& output);

}  // namespace accy::tools
