// constant, workgroup_id, local_id, barrier.
#include <array>
#include <fmt/format.h>

#include "targets/cuda/emit/emitter.hpp"

namespace accy::cuda {

namespace {

Status emit_constant(Emitter& emitter, const choir::Operation& operation) {
  PtxWriter& writer = emitter.writer();
  const ElementType element = kernel::element_of(operation.result()->type());
  const std::uint64_t bits = kernel::constant_bits(operation);
  const Register result = writer.make_register(class_of(element));
  switch (class_of(element)) {
    case RegisterClass::predicate:
      writer.instruction("setp.ne.u32", {result, static_cast<int>(bits != 0), 0});
      break;
    case RegisterClass::f32:
      emitter.move(result, float_immediate(static_cast<std::uint32_t>(bits)));
      break;
    case RegisterClass::f64: emitter.move(result, double_immediate(bits)); break;
    default: {
      // Registers hold small integers extended by their sign.
      const std::int64_t value =
          kernel::constant_integer(operation.result()).value_or(static_cast<std::int64_t>(bits));
      emitter.move(result, value);
    }
  }
  emitter.define(operation.result(), result);
  return {};
}

Status emit_id(Emitter& emitter, const choir::Operation& operation, std::string_view special) {
  static constexpr std::array<char, 3> axes{'x', 'y', 'z'};
  const char axis = axes[static_cast<std::size_t>(kernel::axis(operation))];
  emitter.define(operation.result(), emitter.writer().value(RegisterClass::b32, "mov.u32",
                                                            {fmt::format("{}.{}", special, axis)}));
  return {};
}

Status emit_workgroup_id(Emitter& emitter, const choir::Operation& operation) {
  return emit_id(emitter, operation, "%ctaid");
}

Status emit_local_id(Emitter& emitter, const choir::Operation& operation) {
  return emit_id(emitter, operation, "%tid");
}

/// Also makes the accesses before it, to either memory, visible to the workgroup.
Status emit_barrier(Emitter& emitter, const choir::Operation&) {
  emitter.writer().instruction("bar.sync", {0});
  return {};
}

constexpr OperationEntry table[] = {
    {kernel::op::constant, emit_constant},
    {kernel::op::workgroup_id, emit_workgroup_id},
    {kernel::op::local_id, emit_local_id},
    {kernel::op::barrier, emit_barrier},
};

}  // namespace

std::span<const OperationEntry> structure_operations() { return table; }

}  // namespace accy::cuda
