// Executes the PTX that accy emits, one thread at a time, on host memory. It knows only the
// instructions that accy writes and is strict about them: what PTX leaves undefined throws.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace accy::test {

/// An unknown instruction, undefined behaviour, or an access outside the memory given.
struct PtxError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// One thread: registers as raw bits, zero-extended.
struct PtxThread {
  std::vector<std::uint64_t> registers;
  std::size_t next = 0;  ///< index of the next instruction
  bool finished = false;
  std::array<std::uint32_t, 3> local{};
  std::array<std::uint32_t, 3> group{};
};

class PtxProgram {
 public:
  /// Reads one module with one entry.
  explicit PtxProgram(const std::string& text);

  /// Runs a grid. Arguments are the bytes of the parameter space; memory is what the kernel may
  /// touch.
  void run(std::array<std::uint32_t, 3> grid, std::span<const std::byte> arguments,
           const std::vector<std::span<std::byte>>& memory);

  struct Instruction {
    int guard = -1;  ///< a register; negative: none
    bool negated = false;
    std::string text;
    std::string collective;  ///< "bar", "shfl", "redux"; empty for the rest
    std::function<void(PtxProgram&, PtxThread&)> run;
    /// Of a collective of a warp: from all lanes' operands to all lanes' results.
    std::function<void(std::span<PtxThread>)> exchange;
  };

  // Used by the instructions.
  std::byte* locate(std::string_view space, std::uint64_t address, std::size_t size);
  int register_index(const std::string& name);
  std::size_t label(const std::string& name) const { return labels_.at(name); }
  std::uint64_t symbol(const std::string& name) const { return symbols_.at(name); }
  bool has_symbol(const std::string& name) const { return symbols_.contains(name); }

 private:
  void read_line(std::string line);
  void read_directive(const std::string& line);
  void read_instruction(std::string line);
  void run_block(std::array<std::uint32_t, 3> group);
  void run_thread(PtxThread& thread);
  bool release(std::vector<PtxThread>& threads);

  std::map<std::string, int> registers_;
  std::map<std::string, std::size_t> labels_;
  std::map<std::string, std::uint64_t> symbols_;  ///< offsets of parameters and shared blocks
  std::vector<Instruction> instructions_;
  std::array<std::uint32_t, 3> block_{1, 1, 1};
  std::uint64_t parameter_bytes_ = 0;
  std::uint64_t shared_bytes_ = 0;
  std::span<const std::byte> arguments_;
  std::vector<std::byte> shared_;
  std::vector<std::span<std::byte>> memory_;
};

/// The decoded form of one instruction line; throws PtxError for what is unknown.
PtxProgram::Instruction decode_ptx(PtxProgram& program, const std::string& opcode,
                                   const std::vector<std::string>& operands);

}  // namespace accy::test
