#include "dialect/kernel/checks.hpp"

#include <utility>

#include "choir/text.hpp"

namespace accy::kernel {
std::string describe(choir::Type type) { return type ? choir::print(type) : "no type"; }

Failure reject(const choir::Operation& operation, std::string message) {
  return fail(ErrorCode::invalid_input, std::move(message), operation.location().first(),
              std::string(operation.name()));
}

bool is_integer_scalar(choir::Type type) {
  const auto scalar = as_scalar(type);
  return scalar && is_integer(*scalar);
}

bool is_wide_float(choir::Type type) {
  const auto scalar = as_scalar(type);
  return scalar == ElementType::f32 || scalar == ElementType::f64;
}

bool is_computable(choir::Type type) { return is_integer_scalar(type) || is_wide_float(type); }

Status check_operands(const choir::Operation& operation, bool (*accepts)(choir::Type),
                      const char* expected) {
  const choir::Type first = operation.operand(0)->type();
  if (!accepts(first))
    return reject(operation, "operand 0 has type " + describe(first) + ", expected " + expected);
  for (std::size_t index = 1; index < operation.operand_count(); ++index)
    if (operation.operand(index)->type() != first)
      return reject(operation, "operand " + std::to_string(index) + " has type " +
                                   describe(operation.operand(index)->type()) + ", operand 0 has " +
                                   describe(first));
  return {};
}

std::optional<std::int64_t> integer_attribute(const choir::Operation& operation,
                                              std::string_view name, std::int64_t low,
                                              std::int64_t high, choir::Diagnostics& diagnostics) {
  const choir::Attribute value = operation.attribute(name);
  if (value.is(choir::AttributeKind::integer) && value.integer() >= low && value.integer() <= high)
    return value.integer();
  const std::string got = value.is(choir::AttributeKind::integer)
                              ? std::to_string(value.integer())
                              : std::string(value ? "another kind" : "nothing");
  diagnostics.report(operation, "attribute " + std::string(name) + " is an integer from " +
                                    std::to_string(low) + " to " + std::to_string(high) + " (got " +
                                    got + ")");
  return std::nullopt;
}

choir::Type i32_type(const choir::Operation& operation) {
  return get_type(operation.context(), ElementType::i32);
}

}  // namespace accy::kernel
