// Arithmetic, bits, comparison, selection and conversion. All pure, on scalars.
#include <array>

#include "dialect/kernel/checks.hpp"
#include "dialect/kernel/families.hpp"

namespace accy::kernel {
namespace {

using choir::Operation;
using choir::Trait;

constexpr std::uint32_t pure = static_cast<std::uint32_t>(Trait::pure);
constexpr std::uint32_t commutative = Trait::pure | Trait::commutative;

Types same_type(const Operation& operation, bool (*accepts)(choir::Type), const char* expected) {
  ACCY_TRY(check_operands(operation, accepts, expected));
  return std::vector{operation.operand(0)->type()};
}

Types infer_arithmetic(const Operation& operation) {
  return same_type(operation, is_computable, "an integer, f32 or f64");
}

Types infer_float(const Operation& operation) {
  return same_type(operation, is_wide_float, "f32 or f64");
}

bool is_logical(choir::Type type) {
  return is_integer_scalar(type) || as_scalar(type) == ElementType::boolean;
}

Types infer_logical(const Operation& operation) {
  return same_type(operation, is_logical, "an integer or bool");
}

Types infer_shift(const Operation& operation) {
  return same_type(operation, is_integer_scalar, "an integer");
}

void verify_division(const Operation& operation, choir::Diagnostics& diagnostics) {
  const choir::Attribute index = operation.attribute("index");
  if (!index) return;
  if (!index.is(choir::AttributeKind::boolean))
    diagnostics.report(operation, "attribute index is a boolean");
  else if (index.boolean() && !is_integer_scalar(operation.operand(0)->type()))
    diagnostics.report(operation, "index = true needs integer operands (got " +
                                      describe(operation.operand(0)->type()) + ")");
}

void verify_fma(const Operation& operation, choir::Diagnostics& diagnostics) {
  const Operation* function = enclosing_function(operation);
  if (function != nullptr && is_exact(*function))
    diagnostics.report(operation, "fma may round once or twice, so an exact function has none");
}

bool is_comparable(choir::Type type) {
  return is_computable(type) || as_scalar(type) == ElementType::boolean;
}

Types infer_compare(const Operation& operation) {
  ACCY_TRY(check_operands(operation, is_comparable, "an integer, bool, f32 or f64"));
  return std::vector{get_type(operation.context(), ElementType::boolean)};
}

void verify_compare(const Operation& operation, choir::Diagnostics& diagnostics) {
  const choir::Attribute attribute = operation.attribute("predicate");
  bool known = false;
  for (int index = 0; index < 6 && attribute.is(choir::AttributeKind::word); ++index)
    known |= attribute.text() == to_string(static_cast<Predicate>(index));
  if (!known) {
    diagnostics.report(operation, "attribute predicate is one of eq, ne, lt, le, gt, ge");
    return;
  }
  const Predicate predicate = kernel::predicate(operation);
  if (as_scalar(operation.operand(0)->type()) == ElementType::boolean &&
      predicate != Predicate::eq && predicate != Predicate::ne)
    diagnostics.report(operation, "bool is compared by eq or ne only (got " +
                                      std::string(to_string(predicate)) + ")");
}

Types infer_select(const Operation& operation) {
  if (as_scalar(operation.operand(0)->type()) != ElementType::boolean)
    return reject(operation, "condition has type " + describe(operation.operand(0)->type()) +
                                 ", expected bool");
  const choir::Type type = operation.operand(1)->type();
  if (!as_scalar(type))
    return reject(operation, "operand 1 has type " + describe(type) + ", expected a scalar");
  if (operation.operand(2)->type() != type)
    return reject(operation, "operand 2 has type " + describe(operation.operand(2)->type()) +
                                 ", operand 1 has " + describe(type));
  return std::vector{type};
}

/// cast and bitcast: the result type is given, not inferred.
bool check_conversion(const Operation& operation, choir::Diagnostics& diagnostics) {
  if (as_scalar(operation.operand(0)->type()) && as_scalar(operation.result()->type())) return true;
  diagnostics.report(operation, "converts a scalar to a scalar (got " +
                                    describe(operation.operand(0)->type()) + " to " +
                                    describe(operation.result()->type()) + ")");
  return false;
}

void verify_cast(const Operation& operation, choir::Diagnostics& diagnostics) {
  check_conversion(operation, diagnostics);
}

void verify_bitcast(const Operation& operation, choir::Diagnostics& diagnostics) {
  if (!check_conversion(operation, diagnostics)) return;
  const choir::Type from = operation.operand(0)->type();
  const choir::Type to = operation.result()->type();
  if (!is_computable(from) || !is_computable(to))
    diagnostics.report(operation, "takes and gives integers, f32 or f64 (got " + describe(from) +
                                      " to " + describe(to) + ")");
  else if (bit_width(*as_scalar(from)) != bit_width(*as_scalar(to)))
    diagnostics.report(operation,
                       "types differ in size (" + describe(from) + " to " + describe(to) + ")");
}

constexpr std::array<choir::OperationDefinition, 24> definitions{{
    {op::add, "sum; integers wrap", commutative, 2, 1, 0, infer_arithmetic},
    {op::sub, "difference; integers wrap", pure, 2, 1, 0, infer_arithmetic},
    {op::mul, "product; integers wrap", commutative, 2, 1, 0, infer_arithmetic},
    {op::div, "quotient; integers truncate, x/0 = 0, MIN/-1 = MIN", pure, 2, 1, 0, infer_arithmetic,
     verify_division},
    {op::rem, "remainder of the truncated quotient; x rem 0 = x, float fmod", pure, 2, 1, 0,
     infer_arithmetic, verify_division},
    {op::min, "minimum; NaN if either is", commutative, 2, 1, 0, infer_arithmetic},
    {op::max, "maximum; NaN if either is", commutative, 2, 1, 0, infer_arithmetic},
    {op::fma, "a*b+c, rounded once or twice", pure, 3, 1, 0, infer_float, verify_fma},
    {op::neg, "negation; of a float the sign bit only", pure, 1, 1, 0, infer_arithmetic},
    {op::abs, "magnitude; of a float the sign bit only", pure, 1, 1, 0, infer_arithmetic},
    {op::and_op, "bitwise and", commutative, 2, 1, 0, infer_logical},
    {op::or_op, "bitwise or", commutative, 2, 1, 0, infer_logical},
    {op::xor_op, "bitwise exclusive or", commutative, 2, 1, 0, infer_logical},
    {op::not_op, "bitwise complement", pure, 1, 1, 0, infer_logical},
    {op::shl, "left shift; n >= width gives 0", pure, 2, 1, 0, infer_shift},
    {op::shr, "right shift by the type's sign; n >= width gives 0 or the sign", pure, 2, 1, 0,
     infer_shift},
    {op::compare, "comparison to bool; a NaN makes all false but ne", pure, 2, 1, 0, infer_compare,
     verify_compare},
    {op::select, "the second operand where the first is true, else the third", pure, 3, 1, 0,
     infer_select},
    {op::cast, "conversion by value", pure, 1, 1, 0, nullptr, verify_cast},
    {op::bitcast, "the same bits in another type of that size", pure, 1, 1, 0, nullptr,
     verify_bitcast},
    {op::floor, "largest integral value not above", pure, 1, 1, 0, infer_float},
    {op::ceil, "smallest integral value not below", pure, 1, 1, 0, infer_float},
    {op::round, "nearest integral value, ties to even", pure, 1, 1, 0, infer_float},
    {op::trunc, "integral part", pure, 1, 1, 0, infer_float},
}};

}  // namespace

std::span<const choir::OperationDefinition> arithmetic_operations() { return definitions; }

}  // namespace accy::kernel
