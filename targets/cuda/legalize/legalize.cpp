#include "targets/cuda/legalize/legalize.hpp"

#include <fmt/format.h>

#include "dialect/kernel/kernel.hpp"
#include "target/expand_math.hpp"

namespace accy::cuda {

namespace {

Failure refuse(const choir::Operation& operation, std::string message) {
  return fail(ErrorCode::unsupported, std::move(message), operation.location().first(),
              std::string(operation.name()));
}

Status check_at_most(const choir::Operation& function, std::string_view what, std::int64_t value,
                     std::string_view field, std::int64_t limit) {
  if (value <= limit) return {};
  return refuse(function,
                fmt::format("{} is {} (profile field {} allows {})", what, value, field, limit));
}

Status check_geometry(const choir::Operation& function, const TracedProfile& profile) {
  const auto workgroup = kernel::workgroup_size(function);
  for (std::size_t axis = 0; axis < workgroup.size(); ++axis)
    ACCY_TRY(check_at_most(function, fmt::format("workgroup axis {}", axis), workgroup[axis],
                           "workgroup_size_maximum",
                           profile.read(&TargetProfile::workgroup_size_maximum)[axis]));
  ACCY_TRY(check_at_most(function, "workgroup", kernel::workgroup_invocations(function),
                         "workgroup_invocations_maximum",
                         profile.read(&TargetProfile::workgroup_invocations_maximum)));
  return check_at_most(function, "workgroup memory in bytes", kernel::shared_memory_bytes(function),
                       "shared_memory_bytes", profile.read(&TargetProfile::shared_memory_bytes));
}

Status check_subgroup(const choir::Operation& function, const TracedProfile& profile) {
  const std::int64_t size = kernel::subgroup_size(function);
  if (size == 0 || (size >= profile.read(&TargetProfile::subgroup_size_minimum) &&
                    size <= profile.read(&TargetProfile::subgroup_size_maximum)))
    return {};
  return refuse(function, fmt::format("subgroup size is {} (profile fields subgroup_size_minimum "
                                      "and subgroup_size_maximum allow {} to {})",
                                      size, profile.read(&TargetProfile::subgroup_size_minimum),
                                      profile.read(&TargetProfile::subgroup_size_maximum)));
}

/// The profile's answer for one element type and the field that gives it.
struct TypeRule {
  bool allowed = true;
  std::string_view field;
};

TypeRule rule_of(ElementType element, const TracedProfile& profile) {
  switch (element) {
    case ElementType::f64: return {profile.read(&TargetProfile::arithmetic_f64), "arithmetic_f64"};
    case ElementType::i64:
    case ElementType::u64: return {profile.read(&TargetProfile::arithmetic_i64), "arithmetic_i64"};
    case ElementType::boolean:
    case ElementType::i8:
    case ElementType::u8: return {profile.read(&TargetProfile::storage_8bit), "storage_8bit"};
    case ElementType::i16:
    case ElementType::u16:
    case ElementType::f16:
    case ElementType::bf16: return {profile.read(&TargetProfile::storage_16bit), "storage_16bit"};
    default: return {};
  }
}

Status check_memory_type(const choir::Operation& operation, choir::Type type,
                         const TracedProfile& profile) {
  if (!kernel::as_buffer(type) && !kernel::as_shared(type)) return {};
  const ElementType element = kernel::element_of(type);
  const TypeRule rule = rule_of(element, profile);
  if (rule.allowed) return {};
  return refuse(operation, fmt::format("memory of type {} needs profile field {} (it is false)",
                                       to_string(element), rule.field));
}

/// A bool in a register and small integers, which are computed in 32 bits, need no profile field.
Status check_result_type(const choir::Operation& operation, choir::Type type,
                         const TracedProfile& profile) {
  ACCY_TRY(check_memory_type(operation, type, profile));
  const auto element = kernel::as_scalar(type);
  if (!element || size_bytes(*element) < 8) return {};
  const TypeRule rule = rule_of(*element, profile);
  if (rule.allowed) return {};
  return refuse(operation, fmt::format("type {} needs profile field {} (it is false)",
                                       to_string(*element), rule.field));
}

Status check_types(const choir::Operation& function, const TracedProfile& profile) {
  Status status;
  for (std::size_t i = 0; i < function.body().argument_count(); ++i)
    ACCY_TRY(check_memory_type(function, function.body().argument(i)->type(), profile));
  function.walk([&](const choir::Operation& operation) {
    for (std::size_t i = 0; i < operation.result_count() && status; ++i)
      status = check_result_type(operation, operation.result(i)->type(), profile);
  });
  return status;
}

}  // namespace

Status legalize(choir::Operation& function, const TracedProfile& profile) {
  ACCY_TRY(check_geometry(function, profile));
  ACCY_TRY(check_subgroup(function, profile));
  ACCY_TRY(check_types(function, profile));
  target::MathExpansion expansion;
  expansion.exp = kernel::is_exact(function);
  expansion.log = kernel::is_exact(function);
  return target::expand_math(function, expansion);
}

}  // namespace accy::cuda
