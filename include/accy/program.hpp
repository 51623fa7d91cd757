// Program: a verified tensor program, built by GraphBuilder or read from text.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "accy/export.hpp"
#include "accy/result.hpp"

namespace accy {

struct ProgramTextOptions {
  bool locations = false;  ///< each operation with the line that made it
};

/// Move-only and immutable: may be compiled several times, also by several threads.
class ACCY_EXPORT Program {
 public:
  /// Reads a `.choir` file. Errors hold line and column: io, invalid_input.
  static Result<Program> from_file(const std::string& path);
  /// Reads `.choir` text; `name` stands for the file in errors.
  static Result<Program> from_text(std::string_view text, std::string_view name = "program");
  ~Program();
  Program(Program&&) noexcept;
  Program& operator=(Program&&) noexcept;

  /// The program as `.choir` text.
  std::string text(ProgramTextOptions options = {}) const;

  struct State;  ///< accy's own
  explicit Program(std::unique_ptr<State> state);
  const State& state() const { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

}  // namespace accy
