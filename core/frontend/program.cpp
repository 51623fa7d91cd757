#include "accy/program.hpp"

#include "choir/text.hpp"
#include "frontend/program_state.hpp"
#include "support/host_memory.hpp"

namespace accy {

Program::Program(std::unique_ptr<State> state) : state_(std::move(state)) {}
Program::~Program() = default;
Program::Program(Program&&) noexcept = default;
Program& Program::operator=(Program&&) noexcept = default;

Result<Program> Program::from_file(const std::string& path) {
  ACCY_TRY_ASSIGN(auto semantic,
                  or_out_of_memory([&] { return semantic::read_semantic_module(path); }));
  return Program(std::make_unique<State>(State{std::move(semantic)}));
}

Result<Program> Program::from_text(std::string_view text, std::string_view name) {
  ACCY_TRY_ASSIGN(auto semantic,
                  or_out_of_memory([&] { return semantic::parse_semantic_module(text, name); }));
  return Program(std::make_unique<State>(State{std::move(semantic)}));
}

std::string Program::text(ProgramTextOptions options) const {
  return choir::print(state_->semantic.module(), {.locations = options.locations});
}

}  // namespace accy
