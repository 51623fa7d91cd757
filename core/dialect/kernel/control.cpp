// Loops, conditions and their terminator.
#include <array>

#include "dialect/kernel/checks.hpp"
#include "dialect/kernel/families.hpp"

namespace accy::kernel {
namespace {

using choir::Operation;

/// The region ends with a yield of exactly the operation's result types.
void check_yield(const Operation& operation, std::size_t region, choir::Diagnostics& diagnostics) {
  const Operation* yield = operation.body(region).back();
  const std::string place = "region " + std::to_string(region);
  if (yield == nullptr || yield->name() != op::yield) {
    diagnostics.report(operation, place + " must end with kernel.yield");
    return;
  }
  if (yield->operand_count() != operation.result_count()) {
    diagnostics.report(*yield, "yields " + std::to_string(yield->operand_count()) +
                                   " values, expected " + std::to_string(operation.result_count()));
    return;
  }
  for (std::size_t index = 0; index < yield->operand_count(); ++index) {
    const choir::Type got = yield->operand(index)->type();
    const choir::Type expected = operation.result(index)->type();
    if (got != expected)
      diagnostics.report(*yield, "value " + std::to_string(index) + " has type " + describe(got) +
                                     ", expected " + describe(expected));
  }
}

Types infer_for(const Operation& operation) {
  if (operation.operand_count() < 3)
    return reject(operation, "takes lower, upper and step (got " +
                                 std::to_string(operation.operand_count()) + " operands)");
  static constexpr std::array<const char*, 3> names{"lower", "upper", "step"};
  for (std::size_t index = 0; index < 3; ++index)
    if (as_scalar(operation.operand(index)->type()) != ElementType::i32)
      return reject(operation, std::string(names[index]) + " has type " +
                                   describe(operation.operand(index)->type()) + ", expected i32");
  std::vector<choir::Type> types;
  for (std::size_t index = 3; index < operation.operand_count(); ++index) {
    types.push_back(operation.operand(index)->type());
    if (!as_scalar(types.back()))
      return reject(operation, "carries " + describe(types.back()) + ", expected a scalar");
  }
  return types;
}

void check_loop_arguments(const Operation& operation, choir::Diagnostics& diagnostics) {
  const choir::Block& body = operation.body();
  if (body.argument_count() != operation.result_count() + 1) {
    diagnostics.report(operation, "the body takes the index and " +
                                      std::to_string(operation.result_count()) +
                                      " carried values (got " +
                                      std::to_string(body.argument_count()) + " arguments)");
    return;
  }
  for (std::size_t index = 0; index < body.argument_count(); ++index) {
    const choir::Type got = body.argument(index)->type();
    const choir::Type expected =
        index == 0 ? i32_type(operation) : operation.result(index - 1)->type();
    if (got != expected)
      diagnostics.report(operation, "argument " + std::to_string(index) + " of the body has type " +
                                        describe(got) + ", expected " + describe(expected));
  }
}

void verify_for(const Operation& operation, choir::Diagnostics& diagnostics) {
  if (operation.operand_count() < 3) return;  // reported by the inference
  const auto step = constant_integer(operation.operand(2));
  if (step && *step <= 0)
    diagnostics.report(operation, "step is positive (got " + std::to_string(*step) + ")");
  if (operation.attribute("maximum_trips"))
    integer_attribute(operation, "maximum_trips", 0, std::int64_t{1} << 31, diagnostics);
  check_loop_arguments(operation, diagnostics);
  check_yield(operation, 0, diagnostics);
}

void verify_if(const Operation& operation, choir::Diagnostics& diagnostics) {
  if (as_scalar(operation.operand(0)->type()) != ElementType::boolean)
    diagnostics.report(operation, "condition has type " + describe(operation.operand(0)->type()) +
                                      ", expected bool");
  for (std::size_t index = 0; index < operation.result_count(); ++index)
    if (!as_scalar(operation.result(index)->type()))
      diagnostics.report(operation, "gives " + describe(operation.result(index)->type()) +
                                        ", expected a scalar");
  for (std::size_t region = 0; region < 2; ++region) {
    if (operation.body(region).argument_count() != 0)
      diagnostics.report(operation, "region " + std::to_string(region) + " takes no arguments");
    check_yield(operation, region, diagnostics);
  }
}

void verify_yield(const Operation& operation, choir::Diagnostics& diagnostics) {
  const Operation* parent = operation.parent();
  if (parent == nullptr || (parent->name() != op::for_op && parent->name() != op::if_op))
    diagnostics.report(operation, "ends a region of kernel.for or kernel.if");
}

constexpr std::array<choir::OperationDefinition, 3> definitions{{
    {op::for_op, "counted loop with carried values: while i < upper", 0, -1, -1, 1, infer_for,
     verify_for},
    {op::if_op, "one of two regions by a condition", 0, 1, -1, 2, nullptr, verify_if},
    {op::yield, "ends a region with the values it gives",
     static_cast<std::uint32_t>(choir::Trait::terminator), -1, 0, 0, nullptr, verify_yield},
}};

}  // namespace

std::span<const choir::OperationDefinition> control_operations() { return definitions; }

}  // namespace accy::kernel
