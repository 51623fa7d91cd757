#include "target/expansion_builder.hpp"

namespace accy::target {

using choir::NamedAttribute;
using choir::Operation;

namespace {

ExpansionBuilder::Values results_of(const Operation& operation) {
  ExpansionBuilder::Values results;
  for (std::size_t index = 0; index < operation.result_count(); ++index)
    results.push_back(operation.result(index));
  return results;
}

}  // namespace

ExpansionBuilder::ExpansionBuilder(Operation& replaced) : builder_(&replaced) {
  builder_.set_location(replaced.location());
}

choir::Value* ExpansionBuilder::floating(ElementType element, double value) {
  choir::Context& context = builder_.context();
  const NamedAttribute attribute{context.intern("value"), context.floating(value)};
  return builder_
      .create(kernel::op::constant, {}, {kernel::get_type(context, element)}, {attribute})
      ->result();
}

choir::Value* ExpansionBuilder::integer(ElementType element, std::int64_t value) {
  choir::Context& context = builder_.context();
  const NamedAttribute attribute{context.intern("value"), context.integer(value)};
  return builder_
      .create(kernel::op::constant, {}, {kernel::get_type(context, element)}, {attribute})
      ->result();
}

choir::Value* ExpansionBuilder::unary(std::string_view name, Value a) {
  return builder_.create(name, {a}, {a->type()})->result();
}

choir::Value* ExpansionBuilder::binary(std::string_view name, Value a, Value b) {
  return builder_.create(name, {a, b}, {a->type()})->result();
}

choir::Value* ExpansionBuilder::convert(std::string_view name, Value a, ElementType element) {
  return builder_.create(name, {a}, {kernel::get_type(builder_.context(), element)})->result();
}

choir::Value* ExpansionBuilder::positive_rem(Value a, Value b) {
  choir::Context& context = builder_.context();
  const NamedAttribute attribute{context.intern("index"), context.boolean(true)};
  return builder_.create(kernel::op::rem, {a, b}, {a->type()}, {attribute})->result();
}

choir::Value* ExpansionBuilder::compare(kernel::Predicate predicate, Value a, Value b) {
  choir::Context& context = builder_.context();
  const NamedAttribute attribute{context.intern("predicate"),
                                 context.word(kernel::to_string(predicate))};
  return builder_
      .create(kernel::op::compare, {a, b}, {kernel::get_type(context, ElementType::boolean)},
              {attribute})
      ->result();
}

choir::Value* ExpansionBuilder::select(Value condition, Value a, Value b) {
  return builder_.create(kernel::op::select, {condition, a, b}, {a->type()})->result();
}

choir::Value* ExpansionBuilder::polynomial(Value x, std::span<const double> coefficients) {
  const ElementType element = kernel::element_of(x->type());
  Value sum = floating(element, coefficients.back());
  for (std::size_t index = coefficients.size() - 1; index-- > 0;)
    sum = add(floating(element, coefficients[index]), mul(x, sum));
  return sum;
}

ExpansionBuilder::Values ExpansionBuilder::loop(
    Value trips, std::int64_t maximum_trips, const Values& init,
    const std::function<Values(ExpansionBuilder&, const Values&)>& body) {
  choir::Context& context = builder_.context();
  Values operands{i32(0), trips, i32(1)};
  std::vector<choir::Type> types;
  for (Value value : init) {
    operands.push_back(value);
    types.push_back(value->type());
  }
  Operation* loop = builder_.create(
      kernel::op::for_op, operands, types,
      {{context.intern("maximum_trips"), context.integer(maximum_trips)}});
  choir::Block& block = loop->body();
  block.add_argument(kernel::get_type(context, ElementType::i32));
  Values carried;
  for (const choir::Type type : types) carried.push_back(block.add_argument(type));
  write_block(block, [&](ExpansionBuilder& inner) { return body(inner, carried); });
  return results_of(*loop);
}

ExpansionBuilder::Values ExpansionBuilder::branch(Value condition, const Body& then_body,
                                                  const Body& else_body) {
  Operation* operation = builder_.create(kernel::op::if_op, {condition}, {});
  const Values given = write_block(operation->body(0), then_body);
  write_block(operation->body(1), else_body);
  std::vector<choir::Type> types;
  for (const Value value : given) types.push_back(value->type());
  operation->set_results(types);
  return results_of(*operation);
}

/// Fills an empty block and ends it with what the body gives.
ExpansionBuilder::Values ExpansionBuilder::write_block(choir::Block& block, const Body& body) {
  choir::Builder inner_builder(block);
  inner_builder.set_location(builder_.location());
  ExpansionBuilder inner(inner_builder);
  Values given = body(inner);
  inner.builder_.create(kernel::op::yield, given, std::span<const choir::Type>{});
  return given;
}

std::vector<Operation*> find_operations(Operation& function, std::string_view name) {
  std::vector<Operation*> found;
  function.walk([&](Operation& operation) {
    if (operation.name() == name) found.push_back(&operation);
  });
  return found;
}

void replace_operation(Operation& operation, choir::Value* value) {
  operation.result()->replace_all_uses_with(value);
  operation.erase();
}

}  // namespace accy::target
