// Elementary functions the instruction set has; legalize expands the others.
#include <array>

#include <spirv/unified1/GLSL.std.450.h>

#include "targets/vulkan/emit/emitter.hpp"

namespace accy::vulkan {

namespace {

using choir::Operation;

template <GLSLstd450 Instruction>
Status emit_unary(Emitter& emitter, const Operation& operation) {
  const ElementType element = kernel::element_of(operation.operand(0)->type());
  emitter.bind(operation.result(),
               emitter.builder().extended(emitter.type(element), Instruction,
                                          {emitter.operand(operation, 0)}));
  return {};
}

Status emit_fma(Emitter& emitter, const Operation& operation) {
  const ElementType element = kernel::element_of(operation.operand(0)->type());
  emitter.bind(
      operation.result(),
      emitter.builder().extended(emitter.type(element), GLSLstd450Fma,
                                 {emitter.operand(operation, 0), emitter.operand(operation, 1),
                                  emitter.operand(operation, 2)}));
  return {};
}

constexpr std::array rules{
    OpRule{kernel::op::fma, emit_fma},
    OpRule{kernel::op::exp, emit_unary<GLSLstd450Exp>},
    OpRule{kernel::op::log, emit_unary<GLSLstd450Log>},
    OpRule{kernel::op::sqrt, emit_unary<GLSLstd450Sqrt>},
    OpRule{kernel::op::floor, emit_unary<GLSLstd450Floor>},
    OpRule{kernel::op::ceil, emit_unary<GLSLstd450Ceil>},
    OpRule{kernel::op::round, emit_unary<GLSLstd450RoundEven>},
    OpRule{kernel::op::trunc, emit_unary<GLSLstd450Trunc>},
};

}  // namespace

std::span<const OpRule> math_rules() { return rules; }

}  // namespace accy::vulkan
