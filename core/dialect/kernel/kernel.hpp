// The kernel dialect: what one invocation of a workgroup does. docs/kernel-programs.md is its
// specification; the operations are declared in one file a family beside this one.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "accy/result.hpp"
#include "choir/definition.hpp"
#include "choir/operation.hpp"
#include "dialect/kernel/types.hpp"

namespace accy::kernel {

/// Registers every type and operation of the dialect.
void register_kernel_dialect(choir::Registry& registry);

/// Every operation of the dialect in the order of the specification.
std::span<const choir::OperationDefinition* const> operation_definitions();

/// Names of the operations.
namespace op {
inline constexpr std::string_view func = "kernel.func";
inline constexpr std::string_view return_op = "kernel.return";
inline constexpr std::string_view constant = "kernel.constant";
inline constexpr std::string_view workgroup_id = "kernel.workgroup_id";
inline constexpr std::string_view local_id = "kernel.local_id";
inline constexpr std::string_view lane = "kernel.lane";
inline constexpr std::string_view shared = "kernel.shared";
inline constexpr std::string_view load = "kernel.load";
inline constexpr std::string_view store = "kernel.store";
inline constexpr std::string_view barrier = "kernel.barrier";
inline constexpr std::string_view extract = "kernel.extract";
inline constexpr std::string_view compose = "kernel.compose";
inline constexpr std::string_view add = "kernel.add";
inline constexpr std::string_view sub = "kernel.sub";
inline constexpr std::string_view mul = "kernel.mul";
inline constexpr std::string_view div = "kernel.div";
inline constexpr std::string_view rem = "kernel.rem";
inline constexpr std::string_view min = "kernel.min";
inline constexpr std::string_view max = "kernel.max";
inline constexpr std::string_view fma = "kernel.fma";
inline constexpr std::string_view neg = "kernel.neg";
inline constexpr std::string_view abs = "kernel.abs";
inline constexpr std::string_view and_op = "kernel.and";
inline constexpr std::string_view or_op = "kernel.or";
inline constexpr std::string_view xor_op = "kernel.xor";
inline constexpr std::string_view not_op = "kernel.not";
inline constexpr std::string_view shl = "kernel.shl";
inline constexpr std::string_view shr = "kernel.shr";
inline constexpr std::string_view compare = "kernel.compare";
inline constexpr std::string_view select = "kernel.select";
inline constexpr std::string_view cast = "kernel.cast";
inline constexpr std::string_view bitcast = "kernel.bitcast";
inline constexpr std::string_view exp = "kernel.exp";
inline constexpr std::string_view log = "kernel.log";
inline constexpr std::string_view tanh = "kernel.tanh";
inline constexpr std::string_view erf = "kernel.erf";
inline constexpr std::string_view sin = "kernel.sin";
inline constexpr std::string_view cos = "kernel.cos";
inline constexpr std::string_view sqrt = "kernel.sqrt";
inline constexpr std::string_view floor = "kernel.floor";
inline constexpr std::string_view ceil = "kernel.ceil";
inline constexpr std::string_view round = "kernel.round";
inline constexpr std::string_view trunc = "kernel.trunc";
inline constexpr std::string_view shuffle_xor = "kernel.shuffle_xor";
inline constexpr std::string_view subgroup_reduce = "kernel.subgroup_reduce";
inline constexpr std::string_view for_op = "kernel.for";
inline constexpr std::string_view if_op = "kernel.if";
inline constexpr std::string_view yield = "kernel.yield";
}  // namespace op

enum class Predicate : std::uint8_t { eq, ne, lt, le, gt, ge };
enum class ReduceFunction : std::uint8_t { add, min, max };
std::string_view to_string(Predicate predicate);
std::string_view to_string(ReduceFunction function);

// Attributes of verified operations; each asserts that the operation has it.
std::int64_t axis(const choir::Operation& operation);      ///< local_id, workgroup_id
std::int64_t lane_index(const choir::Operation& extract);  ///< extract {index}
std::int64_t mask(const choir::Operation& shuffle);        ///< shuffle_xor
Predicate predicate(const choir::Operation& compare);
ReduceFunction reduce_function(const choir::Operation& reduce);
/// Whether a div or rem promises non-negative operands and a positive divisor.
bool is_index_math(const choir::Operation& operation);
/// Bits of a constant in its own type, zero-extended: what every consumer must agree on. A floating
/// value is rounded to nearest even into f32.
std::uint64_t constant_bits(const choir::Operation& constant);
/// Value of an integer constant that defines `value`; nothing when it is anything else.
std::optional<std::int64_t> constant_integer(const choir::Value* value);

// Attributes of a verified kernel.func.
std::array<std::int64_t, 3> workgroup_size(const choir::Operation& function);
std::int64_t workgroup_invocations(const choir::Operation& function);
std::int64_t subgroup_size(const choir::Operation& function);
bool is_exact(const choir::Operation& function);
/// Bytes of workgroup memory: the shared blocks in order, each aligned to 16.
std::int64_t shared_memory_bytes(const choir::Operation& function);
/// The kernel.func around an operation (or itself); null when there is none.
const choir::Operation* enclosing_function(const choir::Operation& operation);

/// Where one parameter lies in the argument block.
struct ArgumentSlot {
  std::int64_t offset_bytes = 0;
  std::int64_t size_bytes = 0;  ///< 8 for a buffer, 4 for a bool
  ElementType element = ElementType::f32;
  bool is_buffer = false;
  Access access = Access::read;  ///< of a buffer
};

/// The argument block of a function: one slot a parameter, in order.
struct ArgumentLayout {
  std::vector<ArgumentSlot> slots;
  std::int64_t size_bytes = 0;  ///< end of the last slot, not padded
};

/// Layout of a kernel.func's parameters; fails on a parameter that is no buffer and no scalar.
Result<ArgumentLayout> argument_layout(const choir::Operation& function);

/// Invocations of a workgroup that a program may ask for; a profile's limit is checked elsewhere.
inline constexpr std::int64_t workgroup_invocations_maximum = 4096;
/// Largest subgroup size a program may ask for.
inline constexpr std::int64_t subgroup_size_maximum = 128;

}  // namespace accy::kernel
