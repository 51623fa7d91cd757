#include "evaluate/kernel_interpreter.hpp"

#include "evaluate/interpreter/machine.hpp"
#include "evaluate/interpreter/program.hpp"

namespace accy::evaluate {

KernelArgument KernelArgument::buffer(std::span<std::byte> bytes) {
  KernelArgument argument = constant_buffer(bytes);
  argument.is_writable_ = true;
  return argument;
}

KernelArgument KernelArgument::constant_buffer(std::span<const std::byte> bytes) {
  KernelArgument argument;
  // The machine refuses to write through it where is_writable_ is false.
  argument.data_ = const_cast<std::byte*>(bytes.data());
  argument.size_bytes_ = static_cast<std::int64_t>(bytes.size());
  argument.is_buffer_ = true;
  return argument;
}

KernelArgument KernelArgument::scalar_bits(std::uint64_t bits) {
  KernelArgument argument;
  argument.bits_ = bits;
  return argument;
}

Result<KernelProgram> KernelProgram::decode(const choir::Operation& function) {
  ACCY_ASSERT(function.name() == kernel::op::func, "decoding something that is no kernel.func");
  ACCY_TRY_ASSIGN(auto program, interpreter::decode_program(function));
  return KernelProgram(std::move(program));
}

KernelProgram::KernelProgram(std::unique_ptr<const interpreter::Program> program)
    : program_(std::move(program)) {}
KernelProgram::KernelProgram(KernelProgram&&) noexcept = default;
KernelProgram& KernelProgram::operator=(KernelProgram&&) noexcept = default;
KernelProgram::~KernelProgram() = default;

std::string_view KernelProgram::name() const { return program_->name; }
std::array<std::int64_t, 3> KernelProgram::workgroup() const { return program_->workgroup; }
std::int64_t KernelProgram::subgroup() const { return program_->subgroup; }
const kernel::ArgumentLayout& KernelProgram::layout() const { return program_->layout; }

Status KernelProgram::run(std::array<std::int64_t, 3> grid,
                          std::span<const KernelArgument> arguments,
                          const InterpreterOptions& options) const {
  interpreter::Machine machine(*program_, options);
  ACCY_TRY(machine.bind(arguments));
  return machine.run(grid);
}

}  // namespace accy::evaluate
