// ExpansionBuilder: short names for the operations that expansions of kernel programs write in
// front of the operation they replace. Types must fit; nothing is folded or checked.
#pragma once

#include <functional>

#include "choir/builder.hpp"
#include "dialect/kernel/kernel.hpp"

namespace accy::target {

class ExpansionBuilder {
 public:
  using Value = choir::Value*;

  /// Writes before `replaced`, with its location.
  explicit ExpansionBuilder(choir::Operation& replaced);

  Value f32(double value) { return floating(ElementType::f32, value); }
  Value u32(std::uint32_t value) { return integer(ElementType::u32, value); }
  Value i32(std::int32_t value) { return integer(ElementType::i32, value); }
  Value floating(ElementType element, double value);
  Value integer(ElementType element, std::int64_t value);
  /// The f32 of those bits: for infinities and NaN, which have no literal.
  Value f32_bits(std::uint32_t bits) { return bitcast(u32(bits), ElementType::f32); }

  Value add(Value a, Value b) { return binary(kernel::op::add, a, b); }
  Value sub(Value a, Value b) { return binary(kernel::op::sub, a, b); }
  Value mul(Value a, Value b) { return binary(kernel::op::mul, a, b); }
  Value div(Value a, Value b) { return binary(kernel::op::div, a, b); }
  Value min(Value a, Value b) { return binary(kernel::op::min, a, b); }
  Value max(Value a, Value b) { return binary(kernel::op::max, a, b); }
  Value bit_and(Value a, Value b) { return binary(kernel::op::and_op, a, b); }
  Value bit_or(Value a, Value b) { return binary(kernel::op::or_op, a, b); }
  Value bit_xor(Value a, Value b) { return binary(kernel::op::xor_op, a, b); }
  Value shl(Value a, Value n) { return binary(kernel::op::shl, a, n); }
  Value shr(Value a, Value n) { return binary(kernel::op::shr, a, n); }
  /// Unsigned remainder for a positive divisor.
  Value positive_rem(Value a, Value b);
  Value abs(Value a) { return unary(kernel::op::abs, a); }
  Value bit_not(Value a) { return unary(kernel::op::not_op, a); }
  Value floor(Value a) { return unary(kernel::op::floor, a); }
  Value exp(Value a) { return unary(kernel::op::exp, a); }
  Value compare(kernel::Predicate predicate, Value a, Value b);
  Value less(Value a, Value b) { return compare(kernel::Predicate::lt, a, b); }
  Value equal(Value a, Value b) { return compare(kernel::Predicate::eq, a, b); }
  Value select(Value condition, Value a, Value b);
  Value cast(Value a, ElementType element) { return convert(kernel::op::cast, a, element); }
  Value bitcast(Value a, ElementType element) { return convert(kernel::op::bitcast, a, element); }

  /// c[0] + x*(c[1] + x*(c[2] + ...)), in the type of x.
  Value polynomial(Value x, std::span<const double> coefficients);

  using Values = std::vector<choir::Value*>;
  /// A loop of `trips` iterations that carries values; `body` writes with the builder it is given.
  Values loop(Value trips, std::int64_t maximum_trips, const Values& init,
              const std::function<Values(ExpansionBuilder&, const Values&)>& body);
  /// The values of one of two bodies, which give the same types.
  using Body = std::function<Values(ExpansionBuilder&)>;
  Values branch(Value condition, const Body& then_body, const Body& else_body);

 private:
  explicit ExpansionBuilder(choir::Builder builder) : builder_(builder) {}
  Value unary(std::string_view name, Value a);
  Value binary(std::string_view name, Value a, Value b);
  Value convert(std::string_view name, Value a, ElementType element);
  Values write_block(choir::Block& block, const Body& body);

  choir::Builder builder_;
};

/// Every operation of that name in the function, in program order.
std::vector<choir::Operation*> find_operations(choir::Operation& function, std::string_view name);

/// Puts `value` in place of the operation's only result and erases the operation.
void replace_operation(choir::Operation& operation, choir::Value* value);

}  // namespace accy::target
