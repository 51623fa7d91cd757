#include "targets/vulkan/legalize/requirements.hpp"

#include <array>
#include <string>

#include "dialect/kernel/kernel.hpp"

namespace accy::vulkan {

namespace {

using choir::Operation;
namespace op = kernel::op;

Failure lacks(const Operation& operation, const TargetProfile& profile, std::string_view field,
              const std::string& what) {
  return fail(ErrorCode::unsupported,
              "profile " + profile.id() + " lacks " + std::string(field) + " (" +
                  std::string(operation.name()) + " on " + what + ")",
              operation.location().first(), std::string(operation.name()));
}

Failure above(const Operation& function, const TargetProfile& profile, std::string_view field,
              std::int64_t value, std::int64_t limit) {
  return fail(ErrorCode::unsupported,
              "kernel " + std::string(function.symbol()) + " needs " + std::to_string(value) +
                  ", above " + std::string(field) + " of " + profile.id() + " (" +
                  std::to_string(limit) + ")",
              function.location().first(), std::string(function.name()));
}

/// Operations that only move or convert an element; storage support is enough for them.
bool only_moves(const Operation& operation) {
  const std::array movers{op::load,    op::store, op::cast,  op::extract, op::compose,
                          op::yield,   op::func,  op::if_op, op::for_op,  op::return_op};
  for (const std::string_view name : movers)
    if (operation.name() == name) return true;
  return false;
}

/// The profile field that computing with (or keeping in workgroup memory) an element needs.
const char* missing_arithmetic(ElementType element, const TargetProfile& profile) {
  switch (element) {
    case ElementType::i8:
    case ElementType::u8: return profile.arithmetic_i8 ? nullptr : "arithmetic_i8";
    case ElementType::i16:
    case ElementType::u16: return profile.arithmetic_i16 ? nullptr : "arithmetic_i16";
    default: return nullptr;
  }
}

/// The profile field without which an element cannot even be named.
const char* missing_always(ElementType element, const TargetProfile& profile) {
  switch (element) {
    case ElementType::i64:
    case ElementType::u64: return profile.arithmetic_i64 ? nullptr : "arithmetic_i64";
    case ElementType::f64: return profile.arithmetic_f64 ? nullptr : "arithmetic_f64";
    case ElementType::f16:
    case ElementType::bf16: return profile.storage_16bit ? nullptr : "storage_16bit";
    default: return nullptr;
  }
}

const char* missing_storage(ElementType element, const TargetProfile& profile) {
  const std::int64_t bytes = accy::size_bytes(element);
  if (bytes == 1 && !profile.storage_8bit) return "storage_8bit";
  if (bytes == 2 && !profile.storage_16bit) return "storage_16bit";
  return nullptr;
}

/// Workgroup memory holds the stored form of an element, which must then be a full type.
const char* missing_shared(ElementType element, const TargetProfile& profile) {
  const std::int64_t bytes = accy::size_bytes(element);
  if (bytes == 1 && !profile.arithmetic_i8) return "arithmetic_i8";
  if (bytes == 2 && !profile.arithmetic_i16) return "arithmetic_i16";
  if (element == ElementType::f16 && !profile.arithmetic_f16) return "arithmetic_f16";
  return nullptr;
}

const char* missing_for(const choir::Type& type, bool moves, const TargetProfile& profile) {
  const bool is_buffer = kernel::as_buffer(type).has_value();
  const bool is_shared = kernel::as_shared(type).has_value();
  const bool is_value = kernel::as_scalar(type) || kernel::as_vector(type);
  if (!is_buffer && !is_shared && !is_value) return nullptr;
  const ElementType element = kernel::element_of(type);
  if (const char* field = missing_always(element, profile)) return field;
  if (is_buffer) return missing_storage(element, profile);
  if (is_shared) return missing_shared(element, profile);
  return moves ? nullptr : missing_arithmetic(element, profile);
}

Status check_operation_types(const Operation& operation, const TargetProfile& profile) {
  const bool moves = only_moves(operation);
  std::vector<choir::Value*> values = operation.operands();
  for (std::size_t index = 0; index < operation.result_count(); ++index)
    values.push_back(operation.result(index));
  for (std::size_t region = 0; region < operation.region_count(); ++region)
    for (std::size_t index = 0; index < operation.body(region).argument_count(); ++index)
      values.push_back(operation.body(region).argument(index));
  for (const choir::Value* value : values)
    if (const char* field = missing_for(value->type(), moves, profile))
      return lacks(operation, profile, field,
                   std::string(to_string(kernel::element_of(value->type()))));
  return {};
}

/// GLSL.std.450 has exp and log for f32 only; what is left of tanh and erf has no instruction.
Status check_double_math(const Operation& operation) {
  const std::array functions{op::exp, op::log, op::tanh, op::erf};
  for (const std::string_view name : functions)
    if (operation.name() == name &&
        kernel::element_of(operation.result()->type()) == ElementType::f64)
      return fail(ErrorCode::unsupported,
                  "vulkan has no " + std::string(name) + " of f64 (f32 only)",
                  operation.location().first(), std::string(name));
  return {};
}

Status check_subgroup_operation(const Operation& operation, const TargetProfile& profile) {
  const bool shuffles =
      operation.name() == op::shuffle_xor || operation.name() == op::subgroup_reduce;
  if (shuffles && !profile.subgroup_shuffle)
    return lacks(operation, profile, "subgroup_shuffle",
                 std::string(to_string(kernel::element_of(operation.result()->type()))));
  return {};
}

/// Whether an operation computes a new float, rounding it.
bool rounds(const Operation& operation) {
  const std::array names{op::add, op::sub, op::mul,  op::div, op::fma,
                         op::exp, op::log, op::tanh, op::erf, op::sqrt,
                         op::cast, op::subgroup_reduce};
  for (const std::string_view name : names)
    if (operation.name() == name && is_float(kernel::element_of(operation.result()->type())))
      return true;
  return false;
}

}  // namespace

Status check_frame(const Operation& function, const TargetProfile& profile) {
  const auto size = kernel::workgroup_size(function);
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (size[axis] > profile.workgroup_size_maximum[axis])
      return above(function, profile, "workgroup_size_maximum", size[axis],
                   profile.workgroup_size_maximum[axis]);
  const std::int64_t invocations = kernel::workgroup_invocations(function);
  if (invocations > profile.workgroup_invocations_maximum)
    return above(function, profile, "workgroup_invocations_maximum", invocations,
                 profile.workgroup_invocations_maximum);
  const std::int64_t shared = kernel::shared_memory_bytes(function);
  if (shared > profile.shared_memory_bytes)
    return above(function, profile, "shared_memory_bytes", shared, profile.shared_memory_bytes);
  const std::int64_t subgroup = kernel::subgroup_size(function);
  if (subgroup == 0) return {};
  if (!profile.subgroup_size_control)
    return lacks(function, profile, "subgroup_size_control",
                 "subgroup size " + std::to_string(subgroup));
  if (subgroup > profile.subgroup_size_maximum)
    return above(function, profile, "subgroup_size_maximum", subgroup,
                 profile.subgroup_size_maximum);
  if (subgroup < profile.subgroup_size_minimum)
    return fail(ErrorCode::unsupported,
                "kernel " + std::string(function.symbol()) + " needs subgroup size " +
                    std::to_string(subgroup) + ", below subgroup_size_minimum of " +
                    profile.id() + " (" + std::to_string(profile.subgroup_size_minimum) + ")",
                function.location().first(), std::string(function.name()));
  return {};
}

Status check_types(const Operation& function, const TargetProfile& profile) {
  Status status;
  function.walk([&](const Operation& operation) {
    if (status) status = check_operation_types(operation, profile);
    if (status) status = check_double_math(operation);
    if (status) status = check_subgroup_operation(operation, profile);
  });
  return status;
}

Status check_exactness(const Operation& function, const TargetProfile& profile) {
  if (!kernel::is_exact(function)) return {};
  const char* missing = !profile.rounding_rte_f32          ? "rounding_rte_f32"
                        : !profile.signed_zero_inf_nan_f32 ? "signed_zero_inf_nan_f32"
                        : !profile.subnormals_kept_f32     ? "subnormals_kept_f32"
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
