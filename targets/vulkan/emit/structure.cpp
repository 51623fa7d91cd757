// Ids, constants and terminators.
#include <algorithm>
#include <array>

#include "targets/vulkan/emit/emitter.hpp"

namespace accy::vulkan {

namespace {

using choir::Operation;

std::uint32_t axis_of(const Operation& operation) {
  return static_cast<std::uint32_t>(kernel::axis(operation));
}

Status emit_workgroup_id(Emitter& emitter, const Operation& operation) {
  emitter.bind(operation.result(),
               emitter.builtin(spv::BuiltIn::WorkgroupId, axis_of(operation)));
  return {};
}

Status emit_local_id(Emitter& emitter, const Operation& operation) {
  emitter.bind(operation.result(),
               emitter.builtin(spv::BuiltIn::LocalInvocationId, axis_of(operation)));
  return {};
}

/// Whether a computation takes the value: one that Mesa folds when it is zero, as 0 * x to 0 and
/// 0 / x to 0 for all x, and x / 0 to nothing.
bool is_computed_with(const choir::Value* value) {
  static constexpr std::string_view folded[] = {kernel::op::add, kernel::op::sub, kernel::op::mul,
                                                kernel::op::div, kernel::op::fma};
  return std::ranges::any_of(value->users(), [](const Operation* user) {
    return std::ranges::find(folded, user->name()) != std::end(folded);
  });
}

Status emit_constant(Emitter& emitter, const Operation& operation) {
  const ElementType element = kernel::element_of(operation.result()->type());
  const std::uint64_t bits = kernel::constant_bits(operation);
  ModuleBuilder& builder = emitter.builder();
  if (element == ElementType::boolean) {
    emitter.bind(operation.result(), builder.bool_constant(bits != 0));
  } else if (is_float(element)) {
    const Id constant = emitter.float_constant(element, bits);
    const bool zero = bits << (65 - static_cast<unsigned>(bit_width(element))) == 0;
    emitter.bind(operation.result(), zero && is_computed_with(operation.result())
                                         ? emitter.opaque_always(element, constant)
                                         : constant);
  } else {
    emitter.type(element);  // declares the capability
    emitter.bind(operation.result(), builder.int_constant(emitter.width(element), bits));
  }
  return {};
}

/// Terminators are handled by the operation around them.
Status emit_nothing(Emitter&, const Operation&) { return {}; }

constexpr std::array rules{
    OpRule{kernel::op::workgroup_id, emit_workgroup_id},
    OpRule{kernel::op::local_id, emit_local_id},
    OpRule{kernel::op::constant, emit_constant},
    OpRule{kernel::op::return_op, emit_nothing},
    OpRule{kernel::op::yield, emit_nothing},
};

}  // namespace

std::span<const OpRule> structure_rules() { return rules; }

}  // namespace accy::vulkan
