// The arithmetic half of KernelBuilder, with its folds. Only integers and bools are folded: a
// float is computed on the device, by the device's rules.
#include <bit>

#include "dialect/kernel/kernel_builder.hpp"

namespace accy::kernel {

using Value = KernelBuilder::Value;

namespace {

/// The value as its type holds it: wrapped to the width, sign- or zero-extended.
std::int64_t wrap(ElementType element, std::uint64_t bits) {
  const int unused = 64 - bit_width(element);
  if (is_signed(element)) return static_cast<std::int64_t>(bits << unused) >> unused;
  return static_cast<std::int64_t>((bits << unused) >> unused);
}

struct ConstantPair {
  std::int64_t a;
  std::int64_t b;
};

std::optional<ConstantPair> constants_of(Value a, Value b) {
  const auto left = constant_integer(a);
  const auto right = constant_integer(b);
  if (!left || !right) return std::nullopt;
  return ConstantPair{*left, *right};
}

std::uint64_t bits_of(std::int64_t value) { return static_cast<std::uint64_t>(value); }

template <class T>
bool holds(Predicate predicate, T a, T b) {
  switch (predicate) {
    case Predicate::eq: return a == b;
    case Predicate::ne: return a != b;
    case Predicate::lt: return a < b;
    case Predicate::le: return a <= b;
    case Predicate::gt: return a > b;
    case Predicate::ge: return a >= b;
  }
  return false;
}

}  // namespace

Value KernelBuilder::place_constant(ElementType element, choir::Attribute value,
                                    std::uint64_t bits) {
  const auto [entry, added] = constants_.try_emplace({element, bits}, nullptr);
  if (added)
    entry->second = hoist(op::constant, get_type(context(), element), {attribute("value", value)});
  return entry->second;
}

Value KernelBuilder::constant_integer(ElementType element, std::int64_t value) {
  if (element == ElementType::boolean) return constant_bool(value != 0);
  ACCY_ASSERT(is_integer(element), "not an integer type");
  ACCY_ASSERT(wrap(element, bits_of(value)) == value, "constant is out of its type's range");
  return place_constant(element, context().integer(value), bits_of(value));
}

Value KernelBuilder::constant_float(ElementType element, double value) {
  ACCY_ASSERT(element == ElementType::f32 || element == ElementType::f64, "not f32 or f64");
  const double rounded = element == ElementType::f32 ? static_cast<float>(value) : value;
  return place_constant(element, context().floating(rounded),
                        std::bit_cast<std::uint64_t>(rounded));
}

Value KernelBuilder::constant_i32(std::int64_t value) {
  return constant_integer(ElementType::i32, value);
}
Value KernelBuilder::constant_i64(std::int64_t value) {
  return constant_integer(ElementType::i64, value);
}
Value KernelBuilder::constant_f32(double value) { return constant_float(ElementType::f32, value); }
Value KernelBuilder::constant_bool(bool value) {
  return place_constant(ElementType::boolean, context().boolean(value), value ? 1 : 0);
}

Value KernelBuilder::constant_of(ElementType element, double value) {
  if (is_float(element)) return constant_float(element, value);
  return constant_integer(element, static_cast<std::int64_t>(value));
}

Value KernelBuilder::constant_like(Value value, std::int64_t constant) {
  return constant_integer(type_of(value), constant);
}

std::optional<bool> KernelBuilder::constant_truth(Value value) {
  const choir::Operation* operation = value->defining_operation();
  if (operation == nullptr || operation->name() != op::constant) return std::nullopt;
  const choir::Attribute attribute = operation->attribute("value");
  if (!attribute.is(choir::AttributeKind::boolean)) return std::nullopt;
  return attribute.boolean();
}

Value KernelBuilder::binary(std::string_view name, Value a, Value b) {
  ACCY_ASSERT(a->type() == b->type(), "operands differ in type: " + std::string(name));
  return create(name, {a, b}, a->type());
}

Value KernelBuilder::unary(std::string_view name, Value a) { return create(name, {a}, a->type()); }

Value KernelBuilder::add(Value a, Value b) {
  const ElementType element = type_of(a);
  if (const auto pair = constants_of(a, b))
    return constant_integer(element, wrap(element, bits_of(pair->a) + bits_of(pair->b)));
  if (accy::kernel::constant_integer(a)) std::swap(a, b);
  const auto right = accy::kernel::constant_integer(b);
  if (!right) return binary(op::add, a, b);
  if (*right == 0) return a;
  // (x + c) + d = x + (c + d), also where it wraps.
  const choir::Operation* inner = a->defining_operation();
  if (inner != nullptr && inner->name() == op::add)
    if (const auto first = accy::kernel::constant_integer(inner->operand(1)))
      return add(inner->operand(0),
                 constant_integer(element, wrap(element, bits_of(*first) + bits_of(*right))));
  return binary(op::add, a, b);
}

Value KernelBuilder::sub(Value a, Value b) {
  const ElementType element = type_of(a);
  if (const auto pair = constants_of(a, b))
    return constant_integer(element, wrap(element, bits_of(pair->a) - bits_of(pair->b)));
  if (const auto right = accy::kernel::constant_integer(b))
    return add(a, constant_integer(element, wrap(element, 0 - bits_of(*right))));
  return binary(op::sub, a, b);
}

Value KernelBuilder::mul(Value a, Value b) {
  const ElementType element = type_of(a);
  if (const auto pair = constants_of(a, b))
    return constant_integer(element, wrap(element, bits_of(pair->a) * bits_of(pair->b)));
  if (accy::kernel::constant_integer(a)) std::swap(a, b);
  const auto right = accy::kernel::constant_integer(b);
  if (right && *right == 0) return b;
  if (right && *right == 1) return a;
  return binary(op::mul, a, b);
}

Value KernelBuilder::divide(std::string_view name, Value a, Value b, bool index) {
  ACCY_ASSERT(a->type() == b->type(), "operands differ in type: " + std::string(name));
  std::vector<choir::NamedAttribute> attributes;
  if (index) attributes.push_back(attribute("index", context().boolean(true)));
  return create(name, {a, b}, a->type(), std::move(attributes));
}

Value KernelBuilder::div(Value a, Value b) {
  const auto right = accy::kernel::constant_integer(b);
  return right && *right == 1 ? a : divide(op::div, a, b, false);
}

Value KernelBuilder::rem(Value a, Value b) {
  const auto right = accy::kernel::constant_integer(b);
  return right && *right == 1 ? constant_like(a, 0) : divide(op::rem, a, b, false);
}

Value KernelBuilder::index_div(Value a, Value b) {
  const auto pair = constants_of(a, b);
  if (pair && pair->a >= 0 && pair->b > 0) return constant_like(a, pair->a / pair->b);
  const auto right = accy::kernel::constant_integer(b);
  return right && *right == 1 ? a : divide(op::div, a, b, true);
}

Value KernelBuilder::index_rem(Value a, Value b) {
  const auto pair = constants_of(a, b);
  if (pair && pair->a >= 0 && pair->b > 0) return constant_like(a, pair->a % pair->b);
  const auto right = accy::kernel::constant_integer(b);
  return right && *right == 1 ? constant_like(a, 0) : divide(op::rem, a, b, true);
}

Value KernelBuilder::min(Value a, Value b) { return a == b ? a : binary(op::min, a, b); }
Value KernelBuilder::max(Value a, Value b) { return a == b ? a : binary(op::max, a, b); }

Value KernelBuilder::fma(Value a, Value b, Value c) {
  ACCY_ASSERT(a->type() == b->type() && a->type() == c->type(), "fma operands differ in type");
  return create(op::fma, {a, b, c}, a->type());
}

Value KernelBuilder::multiply_add(Value a, Value b, Value c) {
  const bool contracts = is_float(type_of(a)) && !is_exact(*function_);
  return contracts ? fma(a, b, c) : add(mul(a, b), c);
}

Value KernelBuilder::neg(Value a) { return unary(op::neg, a); }
Value KernelBuilder::abs(Value a) { return unary(op::abs, a); }

Value KernelBuilder::bit_and(Value a, Value b) {
  if (const auto left = constant_truth(a)) return *left ? b : a;
  if (const auto right = constant_truth(b)) return *right ? a : b;
  return binary(op::and_op, a, b);
}

Value KernelBuilder::bit_or(Value a, Value b) {
  if (const auto left = constant_truth(a)) return *left ? a : b;
  if (const auto right = constant_truth(b)) return *right ? b : a;
  return binary(op::or_op, a, b);
}

Value KernelBuilder::bit_xor(Value a, Value b) { return binary(op::xor_op, a, b); }
Value KernelBuilder::bit_not(Value a) { return unary(op::not_op, a); }
Value KernelBuilder::shl(Value a, Value n) { return binary(op::shl, a, n); }
Value KernelBuilder::shr(Value a, Value n) { return binary(op::shr, a, n); }
Value KernelBuilder::exp(Value a) { return unary(op::exp, a); }
Value KernelBuilder::log(Value a) { return unary(op::log, a); }
Value KernelBuilder::tanh(Value a) { return unary(op::tanh, a); }
Value KernelBuilder::erf(Value a) { return unary(op::erf, a); }
Value KernelBuilder::sin(Value a) { return unary(op::sin, a); }
Value KernelBuilder::cos(Value a) { return unary(op::cos, a); }
Value KernelBuilder::sqrt(Value a) { return unary(op::sqrt, a); }
Value KernelBuilder::floor(Value a) { return unary(op::floor, a); }
Value KernelBuilder::ceil(Value a) { return unary(op::ceil, a); }
Value KernelBuilder::round(Value a) { return unary(op::round, a); }
Value KernelBuilder::trunc(Value a) { return unary(op::trunc, a); }

Value KernelBuilder::compare(Predicate predicate, Value a, Value b) {
  ACCY_ASSERT(a->type() == b->type(), "compared values differ in type");
  if (const auto pair = constants_of(a, b)) {
    const bool truth = is_signed(type_of(a)) ? holds(predicate, pair->a, pair->b)
                                             : holds(predicate, bits_of(pair->a), bits_of(pair->b));
    return constant_bool(truth);
  }
  return create(op::compare, {a, b}, get_type(context(), ElementType::boolean),
                {attribute("predicate", context().word(to_string(predicate)))});
}

Value KernelBuilder::select(Value condition, Value a, Value b) {
  ACCY_ASSERT(a->type() == b->type(), "selected values differ in type");
  if (const auto known = constant_truth(condition)) return *known ? a : b;
  return a == b ? a : create(op::select, {condition, a, b}, a->type());
}

Value KernelBuilder::cast(Value a, ElementType element) {
  if (type_of(a) == element) return a;
  const auto known = accy::kernel::constant_integer(a);
  if (known && is_integer(element))
    return constant_integer(element, wrap(element, bits_of(*known)));
  return create(op::cast, {a}, get_type(context(), element));
}

Value KernelBuilder::bitcast(Value a, ElementType element) {
  if (type_of(a) == element) return a;
  return create(op::bitcast, {a}, get_type(context(), element));
}

}  // namespace accy::kernel
