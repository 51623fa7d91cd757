// Operations among the invocations of a subgroup. All lanes are active: kernel.func checks that
// they stand in control flow that is uniform in the subgroup.
#include <array>

#include "dialect/kernel/checks.hpp"
#include "dialect/kernel/families.hpp"

namespace accy::kernel {
namespace {

using choir::Operation;

constexpr std::uint32_t pure = static_cast<std::uint32_t>(choir::Trait::pure);

bool is_exchangeable(choir::Type type) {
  return is_computable(type) && bit_width(*as_scalar(type)) == 32;
}

Types infer_lane(const Operation& operation) { return std::vector{i32_type(operation)}; }

Types infer_exchange(const Operation& operation) {
  ACCY_TRY(check_operands(operation, is_exchangeable, "i32, u32 or f32"));
  return std::vector{operation.operand(0)->type()};
}

/// Subgroup size of the function around, or nothing when it has none to check against.
std::optional<std::int64_t> enclosing_subgroup(const Operation& operation,
                                               choir::Diagnostics& diagnostics) {
  const Operation* function = enclosing_function(operation);
  if (function == nullptr) return std::nullopt;
  const choir::Attribute size = function->attribute("subgroup");
  if (!size.is(choir::AttributeKind::integer)) return std::nullopt;
  if (size.integer() > 0) return size.integer();
  diagnostics.report(operation, "the function was generated for no subgroup size (subgroup = 0)");
  return std::nullopt;
}

void verify_lane(const Operation& operation, choir::Diagnostics& diagnostics) {
  enclosing_subgroup(operation, diagnostics);
}

void verify_shuffle(const Operation& operation, choir::Diagnostics& diagnostics) {
  if (const auto size = enclosing_subgroup(operation, diagnostics))
    integer_attribute(operation, "mask", 0, *size - 1, diagnostics);
}

void verify_reduce(const Operation& operation, choir::Diagnostics& diagnostics) {
  enclosing_subgroup(operation, diagnostics);
  const choir::Attribute attribute = operation.attribute("function");
  for (int index = 0; index < 3 && attribute.is(choir::AttributeKind::word); ++index)
    if (attribute.text() == to_string(static_cast<ReduceFunction>(index))) return;
  diagnostics.report(operation, "attribute function is one of add, min, max");
}

// Not pure: moving one under a condition would change which lanes take part.
constexpr std::array<choir::OperationDefinition, 3> definitions{{
    {op::lane, "index of the invocation in its subgroup", pure, 0, 1, 0, infer_lane, verify_lane},
    {op::shuffle_xor, "the operand of lane ^ mask", 0, 1, 1, 0, infer_exchange, verify_shuffle},
    {op::subgroup_reduce, "add, min or max over all lanes, to all lanes", 0, 1, 1, 0,
     infer_exchange, verify_reduce},
}};

}  // namespace

std::span<const choir::OperationDefinition> subgroup_operations() { return definitions; }

}  // namespace accy::kernel
