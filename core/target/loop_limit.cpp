#include "target/loop_limit.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>

#include "dialect/kernel/kernel.hpp"
#include "support/checked.hpp"

namespace accy::target {

namespace {

using choir::Operation;

constexpr std::int64_t saturated = std::numeric_limits<std::int64_t>::max();

/// A value that is never below the operand's.
std::optional<std::int64_t> lower_bound(const choir::Value* value) {
  if (const auto constant = kernel::constant_integer(value)) return constant;
  const Operation* defining = value->defining_operation();
  if (defining == nullptr) return std::nullopt;
  const std::string_view name = defining->name();
  const bool is_id = name == kernel::op::local_id || name == kernel::op::workgroup_id ||
                     name == kernel::op::lane;
  return is_id ? std::optional<std::int64_t>(0) : std::nullopt;
}

Result<std::int64_t> worst_case_trips(const Operation& loop) {
  std::optional<std::int64_t> trips;
  const auto lower = lower_bound(loop.operand(0));
  const auto upper = kernel::constant_integer(loop.operand(1));
  const auto step = kernel::constant_integer(loop.operand(2));
  // Bounds are i32, so their difference does not overflow.
  if (lower && upper && step && *step > 0)
    trips = *upper > *lower ? ceil_divide(*upper - *lower, *step) : 0;
  const choir::Attribute stated = loop.attribute("maximum_trips");
  if (stated.is(choir::AttributeKind::integer) && stated.integer() >= 0)
    trips = trips ? std::min(*trips, stated.integer()) : stated.integer();
  if (trips) return *trips;
  return fail(ErrorCode::unsupported,
              "loop has no static bound on its trips (bounds are not constants and there is no "
              "attribute maximum_trips)",
              loop.location().first(), std::string(loop.name()));
}

std::int64_t add_saturated(std::int64_t a, std::int64_t b) {
  return a > saturated - b ? saturated : a + b;
}

std::int64_t multiply_saturated(std::int64_t a, std::int64_t b) {
  return a != 0 && b > saturated / a ? saturated : a * b;
}

Result<std::int64_t> iterations_in(const choir::Block& block) {
  std::int64_t total = 0;
  for (const Operation* operation : block.operations()) {
    if (operation->name() == kernel::op::for_op) {
      ACCY_TRY_ASSIGN(const std::int64_t trips, worst_case_trips(*operation));
      ACCY_TRY_ASSIGN(const std::int64_t inner, iterations_in(operation->body()));
      total = add_saturated(total, multiply_saturated(trips, add_saturated(inner, 1)));
    } else {
      // Lanes may take both sides of an `if`, and the device counts them together.
      for (std::size_t region = 0; region < operation->region_count(); ++region) {
        ACCY_TRY_ASSIGN(const std::int64_t inner, iterations_in(operation->body(region)));
        total = add_saturated(total, inner);
      }
    }
  }
  return total;
}

}  // namespace

Result<std::int64_t> worst_case_iterations(const Operation& function) {
  return iterations_in(function.body());
}

Status check_loop_limit(const Operation& function, const TracedProfile& profile) {
  if (profile.read(&TargetProfile::loop_iterations_maximum) == 0) return {};
  ACCY_TRY_ASSIGN(const std::int64_t iterations, worst_case_iterations(function));
  if (iterations <= profile.read(&TargetProfile::loop_iterations_maximum)) return {};
  return fail(ErrorCode::unsupported,
              "loops of kernel " + std::string(function.symbol()) + " may run " +
                  std::to_string(iterations) + " iterations, above loop_iterations_maximum of " +
                  profile.id() + " (" +
                  std::to_string(profile.read(&TargetProfile::loop_iterations_maximum)) + ")",
              function.location().first(), std::string(function.name()));
}

}  // namespace accy::target
