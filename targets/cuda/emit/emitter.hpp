// The state of emitting one kernel.func as PTX, and the tables that say which function emits which
// operation. One file a family implements its table.
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "accy/result.hpp"
#include "choir/value_table.hpp"
#include "dialect/kernel/kernel.hpp"
#include "profile/profile.hpp"
#include "targets/cuda/emit/ptx_writer.hpp"

namespace accy::cuda {

/// Lanes of a warp.
inline constexpr std::int64_t warp_size = 32;

/// Memory that a value names: a buffer parameter or a block of workgroup memory.
struct Memory {
  Register base;  ///< global: 64-bit address; shared: 32-bit address
  ElementType element = ElementType::f32;
  bool shared = false;
  bool read_only = false;  ///< nothing in this launch writes it
};

/// Emits operations one after another; values map to registers. Integers of one and two bytes live
/// in 32-bit registers, always extended by their sign; f16 and bf16 in 16-bit ones; bool in a
/// predicate; a vector in one register an element.
class Emitter {
 public:
  Emitter(const choir::Operation& function, PtxWriter& writer, int compute_capability)
      : writer_(writer), compute_capability_(compute_capability),
        exact_(kernel::is_exact(function)) {}

  PtxWriter& writer() { return writer_; }
  bool exact() const { return exact_; }
  /// 75, 80, ...: the floor of the code, without the architecture's suffix.
  int compute_capability() const { return compute_capability_; }

  /// Emits the block's operations but for its terminator.
  Status emit_block(const choir::Block& block);

  Register scalar(const choir::Value* value) const;
  std::span<const Register> components(const choir::Value* value) const;
  void define(const choir::Value* value, Register scalar);
  void define(const choir::Value* value, std::vector<Register> components);

  const Memory& memory(const choir::Value* value) const;
  void define_memory(const choir::Value* value, const Memory& memory);

  void move(Register destination, Operand source);
  /// The result of a pure instruction on registers that this block does not change: the one of the
  /// same instruction before, in this block or one around it, else a new one.
  Register reused(RegisterClass kind, std::string_view opcode,
                  std::initializer_list<Operand> operands);
  /// A 32-bit register holding an integer of one or two bytes in its low bits, extended; other
  /// types pass through.
  Register normalized(Register value, ElementType element);

 private:
  PtxWriter& writer_;
  int compute_capability_;
  bool exact_;
  /// A scalar's register, or those of a vector's elements.
  struct Components {
    Register scalar;
    std::vector<Register> vector;
  };
  choir::ValueTable<Components> registers_;
  choir::ValueTable<Memory> memories_;
  std::vector<std::unordered_map<std::string, Register>> reusable_;  ///< by text; one a block
};

using OperationEmitter = Status (*)(Emitter& emitter, const choir::Operation& operation);

/// Which function emits an operation.
struct OperationEntry {
  std::string_view name;
  OperationEmitter emit = nullptr;
};

// One table a family.
std::span<const OperationEntry> structure_operations();
std::span<const OperationEntry> arithmetic_operations();
std::span<const OperationEntry> logic_operations();
std::span<const OperationEntry> cast_operations();
std::span<const OperationEntry> memory_operations();
std::span<const OperationEntry> control_operations();
std::span<const OperationEntry> subgroup_operations();
std::span<const OperationEntry> math_operations();

/// The emitter of an operation of that name; null when there is none.
OperationEmitter operation_emitter(std::string_view name);

/// Register class of a value of that element type.
RegisterClass class_of(ElementType element);
/// The PTX type that arithmetic on that element type uses: "s32" for i8, "f64" for f64.
std::string_view arithmetic_type(ElementType element);
/// The untyped PTX type of that element type's registers: "b32", "pred".
std::string_view bits_type(ElementType element);

/// Address of the element of that index, as an operand.
Operand element_address(Emitter& emitter, const Memory& memory, const choir::Value* index);

/// "unsupported" at the operation.
Failure unsupported(const choir::Operation& operation, std::string message);

/// `opcode` is "min" or "max"; NaN when either float is NaN, -0 below +0.
Register emit_minimum_or_maximum(Emitter& emitter, std::string_view opcode, Register a, Register b,
                                 ElementType element);

}  // namespace accy::cuda
