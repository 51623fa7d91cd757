// Elementary functions of f32 and f64.
#include <array>

#include "dialect/kernel/checks.hpp"
#include "dialect/kernel/families.hpp"

namespace accy::kernel {
namespace {

constexpr std::uint32_t pure = static_cast<std::uint32_t>(choir::Trait::pure);

Types infer_math(const choir::Operation& operation) {
  ACCY_TRY(check_operands(operation, is_wide_float, "f32 or f64"));
  return std::vector{operation.operand(0)->type()};
}

constexpr std::array<choir::OperationDefinition, 7> definitions{{
    {op::exp, "e to the power of the operand", pure, 1, 1, 0, infer_math},
    {op::log, "natural logarithm", pure, 1, 1, 0, infer_math},
    {op::tanh, "hyperbolic tangent", pure, 1, 1, 0, infer_math},
    {op::erf, "error function", pure, 1, 1, 0, infer_math},
    {op::sin, "sine", pure, 1, 1, 0, infer_math},
    {op::cos, "cosine", pure, 1, 1, 0, infer_math},
    {op::sqrt, "square root; correctly rounded when exact", pure, 1, 1, 0, infer_math},
}};

}  // namespace

std::span<const choir::OperationDefinition> math_operations() { return definitions; }

}  // namespace accy::kernel
