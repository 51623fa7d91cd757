// The machine: runs the blocks of a program for one workgroup after another.
#pragma once

#include <vector>

#include "evaluate/interpreter/frame.hpp"
#include "evaluate/kernel_interpreter.hpp"

namespace accy::evaluate::interpreter {

/// One run of a program. Not reusable.
class Machine {
 public:
  Machine(const Program& program, const InterpreterOptions& options);

  /// Binds arguments in parameter order; fails where one does not fit its parameter.
  Status bind(std::span<const KernelArgument> arguments);
  /// Runs the workgroups of the grid in order, x fastest.
  Status run(const std::array<std::int64_t, 3>& grid);

 private:
  struct alignas(64) CacheLine {
    std::array<std::byte, 64> bytes{};
  };

  Status bind_buffer(MemoryView& view, const Memory& memory, const KernelArgument& argument);
  Status track_buffers(std::span<const KernelArgument> arguments);
  Status bind_shared();
  void fill_presets(std::span<const KernelArgument> arguments);
  void fill_workgroup_ids();
  bool start_workgroup();

  bool execute(std::uint32_t block, std::size_t depth, const Instruction* around);
  bool execute_branch(const Instruction& instruction, std::size_t depth);
  bool execute_loop(const Instruction& instruction, std::size_t depth);
  bool execute_uniform_loop(const Instruction& instruction, const Loop& loop, std::size_t depth);
  bool execute_divergent_loop(const Instruction& instruction, const Loop& loop, std::size_t depth);
  bool check_loop(const Instruction& instruction, const Loop& loop);
  bool is_uniform(const Loop& loop) const;

  const Program& program_;
  const InterpreterOptions& options_;
  Frame frame_;
  std::vector<CacheLine> registers_;
  std::vector<std::vector<CacheLine>> shared_;
  std::vector<Shadow> shadows_;
  std::vector<std::uint32_t> all_lanes_;
  std::vector<std::vector<std::uint32_t>> masks_;  // one for each depth
  std::uint64_t steps_ = 0;
};

}  // namespace accy::evaluate::interpreter
