// lane, shuffle_xor, subgroup_reduce: a subgroup is a warp with all lanes active.
#include <fmt/format.h>

#include "targets/cuda/emit/emitter.hpp"

namespace accy::cuda {

namespace {

constexpr RegisterClass b32 = RegisterClass::b32;
constexpr std::string_view full_mask = "0xffffffff";

/// The value of lane ^ mask; the dialect exchanges 32-bit types only.
Register shuffle(PtxWriter& writer, Register a, std::int64_t mask) {
  return writer.value(a.kind, "shfl.sync.bfly.b32", {a, mask, warp_size - 1, full_mask});
}

Status emit_lane(Emitter& emitter, const choir::Operation& operation) {
  emitter.define(operation.result(), emitter.writer().value(b32, "mov.u32", {"%laneid"}));
  return {};
}

Status emit_shuffle_xor(Emitter& emitter, const choir::Operation& operation) {
  emitter.define(operation.result(), shuffle(emitter.writer(), emitter.scalar(operation.operand(0)),
                                             kernel::mask(operation)));
  return {};
}

Register combine(Emitter& emitter, kernel::ReduceFunction function, Register a, Register b,
                 ElementType element) {
  if (function != kernel::ReduceFunction::add)
    return emit_minimum_or_maximum(emitter, kernel::to_string(function), a, b, element);
  return emitter.writer().value(
      class_of(element),
      fmt::format("add{}.{}", is_float(element) ? ".rn" : "", arithmetic_type(element)), {a, b});
}

Status emit_subgroup_reduce(Emitter& emitter, const choir::Operation& operation) {
  PtxWriter& writer = emitter.writer();
  const ElementType element = kernel::element_of(operation.result()->type());
  const kernel::ReduceFunction function = kernel::reduce_function(operation);
  Register value = emitter.scalar(operation.operand(0));
  if (class_of(element) == b32 && emitter.compute_capability() >= 80) {
    writer.require_version(70);
    value = writer.value(
        b32, fmt::format("redux.sync.{}.{}", kernel::to_string(function), arithmetic_type(element)),
        {value, full_mask});
  } else {
    for (std::int64_t mask = warp_size / 2; mask > 0; mask /= 2)
      value = combine(emitter, function, value, shuffle(writer, value, mask), element);
  }
  emitter.define(operation.result(), value);
  return {};
}

constexpr OperationEntry table[] = {
    {kernel::op::lane, emit_lane},
    {kernel::op::shuffle_xor, emit_shuffle_xor},
    {kernel::op::subgroup_reduce, emit_subgroup_reduce},
};

}  // namespace

std::span<const OperationEntry> subgroup_operations() { return table; }

}  // namespace accy::cuda
