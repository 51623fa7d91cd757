#include "targets/vulkan/legalize/requirements.hpp"

#include <array>
#include <string>
#include <unordered_set>

#include "dialect/kernel/kernel.hpp"
#include "targets/vulkan/profile/profiles.hpp"

namespace accy::vulkan {

namespace {

using choir::Operation;
namespace op = kernel::op;

Failure lacks(const Operation& operation, const TracedProfile& profile, std::string_view field,
              const std::string& what) {
  return fail(ErrorCode::unsupported,
              "profile " + profile.id() + " lacks " + std::string(field) + " (" +
                  std::string(operation.name()) + " on " + what + ")",
              operation.location().first(), std::string(operation.name()));
}

Failure above(const Operation& function, const TracedProfile& profile, std::string_view field,
              std::int64_t value, std::int64_t limit) {
  return fail(ErrorCode::unsupported,
              "kernel " + std::string(function.symbol()) + " needs " + std::to_string(value) +
                  ", above " + std::string(field) + " of " + profile.id() + " (" +
                  std::to_string(limit) + ")",
              function.location().first(), std::string(function.name()));
}

/// The profile field that is missing for an element, or null. A device that stores small types but
/// does not compute with them is refused: spirv-val takes no pointer to them from an address.
const char* missing_field(ElementType element, const TracedProfile& profile, bool exact) {
  switch (element) {
    case ElementType::i8:
    case ElementType::u8:
    case ElementType::boolean:
      return profile.read(&TargetProfile::arithmetic_i8) ? nullptr : "arithmetic_i8";
    case ElementType::i16:
    case ElementType::u16:
    case ElementType::bf16:
      return profile.read(&TargetProfile::arithmetic_i16) ? nullptr : "arithmetic_i16";
    case ElementType::f16:
      if (!keeps_half_as_bits(exact, profile)) return nullptr;
      return profile.read(&TargetProfile::arithmetic_i16) ? nullptr : "arithmetic_i16";
    case ElementType::i64:
    case ElementType::u64:
      return profile.read(&TargetProfile::arithmetic_i64) ? nullptr : "arithmetic_i64";
    case ElementType::f64:
      return profile.read(&TargetProfile::arithmetic_f64) ? nullptr : "arithmetic_f64";
    default: return nullptr;
  }
}

const char* missing_for(const choir::Type& type, const TracedProfile& profile, bool exact) {
  const bool is_buffer = kernel::as_buffer(type).has_value();
  const bool in_memory = is_buffer || kernel::as_shared(type).has_value();
  const bool is_value = kernel::as_scalar(type) || kernel::as_vector(type);
  if (!in_memory && !is_value) return nullptr;
  const ElementType element = kernel::element_of(type);
  if (element == ElementType::boolean && !in_memory) return nullptr;  // not stored
  if (const char* field = missing_field(element, profile, exact)) return field;
  if (!is_buffer) return nullptr;
  const std::int64_t bytes = accy::size_bytes(element);
  if (bytes == 1 && !profile.read(&TargetProfile::storage_8bit)) return "storage_8bit";
  if (bytes == 2 && !profile.read(&TargetProfile::storage_16bit)) return "storage_16bit";
  return nullptr;
}

/// Types that the profile offers; a kernel has few.
using Offered = std::unordered_set<const choir::TypeStorage*>;

Status check_operation_types(const Operation& operation, const TracedProfile& profile, bool exact,
                             Offered& offered) {
  std::vector<choir::Value*> values = operation.operands();
  for (std::size_t index = 0; index < operation.result_count(); ++index)
    values.push_back(operation.result(index));
  for (std::size_t region = 0; region < operation.region_count(); ++region)
    for (std::size_t index = 0; index < operation.body(region).argument_count(); ++index)
      values.push_back(operation.body(region).argument(index));
  for (const choir::Value* value : values) {
    if (offered.contains(value->type().storage())) continue;
    if (const char* field = missing_for(value->type(), profile, exact))
      return lacks(operation, profile, field,
                   std::string(to_string(kernel::element_of(value->type()))));
    offered.insert(value->type().storage());
  }
  return {};
}

/// GLSL.std.450 has exp and log for f32 only; what is left of the others has no instruction.
Status check_double_math(const Operation& operation) {
  const std::array functions{op::exp, op::log, op::tanh, op::erf, op::sin, op::cos};
  for (const std::string_view name : functions)
    if (operation.name() == name &&
        kernel::element_of(operation.result()->type()) == ElementType::f64)
      return fail(ErrorCode::unsupported,
                  "vulkan has no " + std::string(name) + " of f64 (f32 only)",
                  operation.location().first(), std::string(name));
  return {};
}

Status check_subgroup_operation(const Operation& operation, const TracedProfile& profile) {
  const bool shuffles =
      operation.name() == op::shuffle_xor || operation.name() == op::subgroup_reduce;
  if (shuffles && !profile.read(&TargetProfile::subgroup_shuffle))
    return lacks(operation, profile, "subgroup_shuffle",
                 std::string(to_string(kernel::element_of(operation.result()->type()))));
  return {};
}

/// Whether an operation computes a new float, rounding it.
bool rounds(const Operation& operation) {
  const std::array names{
      op::add,  op::sub, op::mul, op::div, op::fma,  op::exp,  op::log,
      op::tanh, op::erf, op::sin, op::cos, op::sqrt, op::cast, op::subgroup_reduce};
  for (const std::string_view name : names)
    if (operation.name() == name && is_float(kernel::element_of(operation.result()->type())))
      return true;
  return false;
}

}  // namespace

Status check_frame(const Operation& function, const TracedProfile& profile) {
  const auto size = kernel::workgroup_size(function);
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (size[axis] > profile.read(&TargetProfile::workgroup_size_maximum)[axis])
      return above(function, profile, "workgroup_size_maximum", size[axis],
                   profile.read(&TargetProfile::workgroup_size_maximum)[axis]);
  const std::int64_t invocations = kernel::workgroup_invocations(function);
  if (invocations > profile.read(&TargetProfile::workgroup_invocations_maximum))
    return above(function, profile, "workgroup_invocations_maximum", invocations,
                 profile.read(&TargetProfile::workgroup_invocations_maximum));
  const std::int64_t shared = kernel::shared_memory_bytes(function);
  if (shared > profile.read(&TargetProfile::shared_memory_bytes))
    return above(function, profile, "shared_memory_bytes", shared,
                 profile.read(&TargetProfile::shared_memory_bytes));
  const std::int64_t subgroup = kernel::subgroup_size(function);
  if (subgroup == 0) return {};
  if (!profile.read(&TargetProfile::subgroup_size_control))
    return lacks(function, profile, "subgroup_size_control",
                 "subgroup size " + std::to_string(subgroup));
  if (subgroup > profile.read(&TargetProfile::subgroup_size_maximum))
    return above(function, profile, "subgroup_size_maximum", subgroup,
                 profile.read(&TargetProfile::subgroup_size_maximum));
  if (subgroup < profile.read(&TargetProfile::subgroup_size_minimum))
    return fail(ErrorCode::unsupported,
                "kernel " + std::string(function.symbol()) + " needs subgroup size " +
                    std::to_string(subgroup) + ", below subgroup_size_minimum of " + profile.id() +
                    " (" + std::to_string(profile.read(&TargetProfile::subgroup_size_minimum)) +
                    ")",
                function.location().first(), std::string(function.name()));
  return {};
}

Status check_types(const Operation& function, const TracedProfile& profile) {
  const bool exact = kernel::is_exact(function);
  Offered offered;
  Status status;
  function.walk([&](const Operation& operation) {
    if (status) status = check_operation_types(operation, profile, exact, offered);
    if (status) status = check_double_math(operation);
    if (status) status = check_subgroup_operation(operation, profile);
  });
  return status;
}

Status check_exactness(const Operation& function, const TracedProfile& profile) {
  if (!kernel::is_exact(function)) return {};
  const char* missing = !profile.read(&TargetProfile::rounding_rte_f32) ? "rounding_rte_f32"
                        : !profile.read(&TargetProfile::signed_zero_inf_nan_f32)
                            ? "signed_zero_inf_nan_f32"
                        : !profile.read(&TargetProfile::subnormals_kept_f32) ? "subnormals_kept_f32"
                                                                             : nullptr;
  Status status;
  function.walk([&](const Operation& operation) {
    if (!status || !rounds(operation)) return;
    const ElementType element = kernel::element_of(operation.result()->type());
    const bool is_root_or_quotient =
        operation.name() == op::div || operation.name() == op::sqrt;
    if (missing != nullptr)
      status = lacks(operation, profile, missing,
                     "exact " + std::string(to_string(element)));
    else if (is_root_or_quotient && element == ElementType::f64)
      status = fail(ErrorCode::unsupported,
                    "vulkan has no correctly rounded " + std::string(operation.name()) +
                        " of f64 (f32 only)",
                    operation.location().first(), std::string(operation.name()));
  });
  return status;
}

}  // namespace accy::vulkan
