// The flat form of a kernel program: what the decoder writes and the machine runs.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "accy/result.hpp"
#include "dialect/kernel/kernel.hpp"

namespace accy::evaluate::interpreter {

struct Frame;
struct Instruction;

/// Executes one operation for all lanes; false after it has set Frame::error. A pure one computes
/// inactive lanes too: nobody sees them.
using Handler = bool (*)(Frame& frame, const Instruction& instruction);

/// A register is one array of lanes (of a vector: one after another), named by its byte offset.
using Register = std::uint32_t;

enum class InstructionKind : std::uint8_t { operation, loop, branch };

struct Instruction {
  Handler handler = nullptr;
  Register result = 0;
  std::array<Register, 3> operands{};
  std::int64_t immediate = 0;  ///< extract index, shuffle mask, reduce function
  std::uint32_t memory = 0;    ///< of load and store; of loop and branch: index of its record
  std::uint32_t width = 1;     ///< lanes of a vector moved
  std::uint32_t origin = 0;    ///< index into Program::origins
  InstructionKind kind = InstructionKind::operation;
  std::vector<Register> elements;  ///< of compose
};

/// Copies one register; done only for active lanes.
struct Move {
  Register to = 0;
  Register from = 0;
  std::uint32_t size_bytes = 0;  ///< of one lane
};

struct Loop {
  Register index = 0;
  std::array<Register, 3> bounds{};  ///< lower, upper, step
  std::vector<Move> enter;           ///< init to carried; carried registers are the results too
  std::vector<Move> next;            ///< yielded to carried, in order
  std::uint32_t body = 0;            ///< index of a block
  std::int64_t maximum_trips = 0;    ///< promised by the program; 0: nothing is
};

struct Branch {
  Register condition = 0;
  std::array<std::uint32_t, 2> bodies{};
  std::array<std::vector<Move>, 2> results;
};

/// A register whose content does not depend on control flow: filled before the code runs.
struct Preset {
  enum class Kind : std::uint8_t { constant, local_id, lane, parameter, workgroup_id };
  Kind kind = Kind::constant;
  Register to = 0;
  std::uint32_t size_bytes = 0;
  std::uint64_t value = 0;  ///< bits of a constant, an axis, or a parameter's index
};

/// Device or workgroup memory that the code names.
struct Memory {
  ElementType element = ElementType::f32;
  bool is_shared = false;
  kernel::Access access = kernel::Access::read_write;
  std::uint32_t parameter = 0;  ///< of a buffer
  std::int64_t count = 0;       ///< elements of shared memory
  std::string name;             ///< for errors
};

struct Origin {
  SourceLocation where;
  std::string op;
};

struct Program {
  std::string name;
  std::array<std::int64_t, 3> workgroup{1, 1, 1};
  std::int64_t subgroup = 0;
  std::size_t lanes = 1;
  kernel::ArgumentLayout layout;
  std::size_t register_bytes = 0;
  std::vector<std::vector<Instruction>> blocks;  ///< the first is the function's
  std::vector<Loop> loops;
  std::vector<Branch> branches;
  std::vector<Preset> presets;
  std::vector<Memory> memories;
  std::vector<Origin> origins;
  std::size_t depth = 0;  ///< nested control flow
};

/// Bytes of registers that a program may take.
inline constexpr std::size_t register_bytes_maximum = std::size_t{1} << 30;

/// Decodes a verified kernel.func.
Result<std::unique_ptr<const Program>> decode_program(const choir::Operation& function);

// What executes an operation on a type; null where the dialect has no such operation.
Handler arithmetic_handler(const choir::Operation& operation);
Handler math_handler(const choir::Operation& operation);
Handler compare_handler(const choir::Operation& operation);
Handler convert_handler(const choir::Operation& operation);
Handler memory_handler(const choir::Operation& operation);
Handler subgroup_handler(const choir::Operation& operation);

}  // namespace accy::evaluate::interpreter
