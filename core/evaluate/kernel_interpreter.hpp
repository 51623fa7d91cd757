// The kernel interpreter: executes one kernel.func on the CPU, exactly as docs/kernel-programs.md
// says, and turns what is undefined there (a race, an access out of bounds, a barrier not met) into
// an error value. All invocations of a workgroup run in lock-step.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "accy/result.hpp"
#include "choir/operation.hpp"
#include "dialect/kernel/kernel.hpp"

namespace accy::evaluate {

/// One argument of a launch: a buffer's bytes (not owned) or a scalar.
class KernelArgument {
 public:
  /// A buffer that the program may read and write. Buffers may overlap.
  static KernelArgument buffer(std::span<std::byte> bytes);
  /// A buffer that the program may only read.
  static KernelArgument constant_buffer(std::span<const std::byte> bytes);
  /// A scalar as the bits of its type, zero-extended; a bool is 0 or 1.
  static KernelArgument scalar_bits(std::uint64_t bits);
  static KernelArgument scalar(float value) {
    return scalar_bits(std::bit_cast<std::uint32_t>(value));
  }
  static KernelArgument scalar(double value) {
    return scalar_bits(std::bit_cast<std::uint64_t>(value));
  }
  static KernelArgument scalar(std::int32_t value) {
    return scalar_bits(static_cast<std::uint32_t>(value));
  }
  static KernelArgument scalar(std::int64_t value) {
    return scalar_bits(static_cast<std::uint64_t>(value));
  }

  bool is_buffer() const { return is_buffer_; }
  bool is_writable() const { return is_writable_; }
  /// Address of a buffer; written through only when it is writable.
  std::byte* data() const { return data_; }
  std::int64_t size_bytes() const { return size_bytes_; }
  std::uint64_t bits() const { return bits_; }

 private:
  std::byte* data_ = nullptr;
  std::int64_t size_bytes_ = 0;
  std::uint64_t bits_ = 0;
  bool is_buffer_ = false;
  bool is_writable_ = false;
};

struct InterpreterOptions {
  /// Reports unordered accesses of one element by two invocations, of which one writes. Costs 12
  /// bytes an element of each written buffer.
  bool detect_races = true;
  /// Operations of single invocations after which a run stops with a timeout error.
  std::uint64_t maximum_steps = std::uint64_t{1} << 40;
};

namespace interpreter {
struct Program;
}

/// A kernel.func decoded once into a flat form; needs neither the function nor its context any
/// more. Immutable: several threads may run it, each on its own memory.
class KernelProgram {
 public:
  /// Decodes a verified kernel.func. Fails when its registers would take more than the limit.
  static Result<KernelProgram> decode(const choir::Operation& function);
  KernelProgram(KernelProgram&&) noexcept;
  KernelProgram& operator=(KernelProgram&&) noexcept;
  ~KernelProgram();

  std::string_view name() const;
  std::array<std::int64_t, 3> workgroup() const;
  std::int64_t subgroup() const;
  const kernel::ArgumentLayout& layout() const;

  /// Executes the grid (workgroups by axis), workgroups in order, x fastest. Arguments are in
  /// parameter order. An error names the operation and its place in the program; buffers then hold
  /// what was written so far.
  Status run(std::array<std::int64_t, 3> grid, std::span<const KernelArgument> arguments,
             const InterpreterOptions& options = {}) const;

 private:
  explicit KernelProgram(std::unique_ptr<const interpreter::Program> program);
  std::unique_ptr<const interpreter::Program> program_;
};

}  // namespace accy::evaluate
