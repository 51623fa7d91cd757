#include "dialect/kernel/kernel_builder.hpp"

#include <algorithm>

namespace accy::kernel {

using choir::NamedAttribute;
using choir::Operation;
using choir::Type;

namespace {

std::vector<Type> types_of(const KernelBuilder::Values& values) {
  std::vector<Type> types;
  for (const choir::Value* value : values) types.push_back(value->type());
  return types;
}

}  // namespace

KernelBuilder::KernelBuilder(choir::Block& parent, const FunctionOptions& options)
    : builder_(parent) {
  choir::Context& context = builder_.context();
  function_ = builder_.create(op::func, {}, {},
                              {attribute("symbol", context.symbol(options.name)),
                               attribute("workgroup", context.integers(options.workgroup)),
                               attribute("subgroup", context.integer(options.subgroup)),
                               attribute("exact", context.boolean(options.exact))});
  builder_.set_insertion_point_to_end(function_->body());
}

NamedAttribute KernelBuilder::attribute(std::string_view name, choir::Attribute value) {
  return {name, value};
}

Operation* KernelBuilder::finish() {
  ACCY_ASSERT(!finished_, "kernel.func finished twice");
  finished_ = true;
  builder_.create(op::return_op, {}, {});
  return function_;
}

ElementType KernelBuilder::type_of(Value value) {
  const auto element = as_scalar(value->type());
  ACCY_ASSERT(element.has_value(), "value is not a scalar");
  return *element;
}

KernelBuilder::Value KernelBuilder::add_buffer(ElementType element, Access access,
                                               std::string_view name, Binding binding) {
  Value value =
      function_->body().add_argument(get_type(context(), BufferType{element, access, binding}));
  if (!name.empty()) value->set_name(context().intern(name));
  return value;
}

KernelBuilder::Value KernelBuilder::add_scalar(ElementType element, std::string_view name) {
  Value value = function_->body().add_argument(get_type(context(), element));
  if (!name.empty()) value->set_name(context().intern(name));
  return value;
}

KernelBuilder::Value KernelBuilder::hoist(std::string_view name, Type type,
                                          std::vector<NamedAttribute> attributes) {
  choir::Block& entry = function_->body();
  Operation* before = last_hoisted_ == nullptr ? entry.front() : last_hoisted_->next();
  choir::Builder top(entry);
  if (before != nullptr) top.set_insertion_point(before);
  top.set_location(builder_.location());
  last_hoisted_ = top.create(name, {}, {type}, std::move(attributes));
  return last_hoisted_->result();
}

KernelBuilder::Value KernelBuilder::place_id(std::string_view name, int axis) {
  const auto [entry, added] = ids_.try_emplace({name, axis}, nullptr);
  if (!added) return entry->second;
  std::vector<NamedAttribute> attributes;
  if (name != op::lane) attributes.push_back(attribute("axis", context().integer(axis)));
  entry->second = hoist(name, get_type(context(), ElementType::i32), std::move(attributes));
  return entry->second;
}

KernelBuilder::Value KernelBuilder::workgroup_id(int axis) {
  return place_id(op::workgroup_id, axis);
}

KernelBuilder::Value KernelBuilder::local_id(int axis) {
  ACCY_ASSERT(axis >= 0 && axis < 3, "axis out of range");
  const auto extents = workgroup_size(*function_);
  if (extents[static_cast<std::size_t>(axis)] == 1) return constant_i32(0);
  return place_id(op::local_id, axis);
}

KernelBuilder::Value KernelBuilder::lane() { return place_id(op::lane, 0); }

KernelBuilder::Value KernelBuilder::shared(ElementType element, std::int64_t count) {
  return hoist(op::shared, get_type(context(), SharedType{element, count}), {});
}

KernelBuilder::Value KernelBuilder::create(std::string_view name,
                                           std::initializer_list<Value> operands, Type result,
                                           std::vector<NamedAttribute> attributes) {
  ACCY_ASSERT(!finished_, "kernel.func is finished");
  return builder_.create(name, operands, {result}, std::move(attributes))->result();
}

KernelBuilder::Value KernelBuilder::load(Value memory, Value index) {
  const Type type = get_type(context(), element_of(memory->type()));
  return create(op::load, {memory, index}, type);
}

KernelBuilder::Value KernelBuilder::load_vector(Value memory, Value index, std::int64_t width) {
  const VectorType vector{element_of(memory->type()), width};
  return create(op::load, {memory, index}, get_type(context(), vector));
}

void KernelBuilder::store(Value value, Value memory, Value index) {
  ACCY_ASSERT(element_of(value->type()) == element_of(memory->type()),
              "stored value has another element type than the memory");
  builder_.create(op::store, {value, memory, index}, {});
}

void KernelBuilder::barrier() { builder_.create(op::barrier, {}, {}); }

KernelBuilder::Value KernelBuilder::extract(Value vector, std::int64_t index) {
  const auto type = as_vector(vector->type());
  ACCY_ASSERT(type && index >= 0 && index < type->width, "extract index out of range");
  const Operation* source = vector->defining_operation();
  if (source != nullptr && source->name() == op::compose)
    return source->operand(static_cast<std::size_t>(index));
  return create(op::extract, {vector}, get_type(context(), type->element),
                {attribute("index", context().integer(index))});
}

KernelBuilder::Value KernelBuilder::compose(const Values& elements) {
  ACCY_ASSERT(!elements.empty(), "compose of nothing");
  const VectorType vector{type_of(elements.front()), static_cast<std::int64_t>(elements.size())};
  const std::array types{get_type(context(), vector)};
  return builder_.create(op::compose, elements, types)->result();
}

KernelBuilder::Value KernelBuilder::shuffle_xor(Value a, std::int64_t mask) {
  return create(op::shuffle_xor, {a}, a->type(), {attribute("mask", context().integer(mask))});
}

KernelBuilder::Value KernelBuilder::subgroup_reduce(ReduceFunction function, Value a) {
  return create(op::subgroup_reduce, {a}, a->type(),
                {attribute("function", context().word(to_string(function)))});
}

// ---- control flow ----------------------------------------------------------------------------

void KernelBuilder::write_region(choir::Block& block, const std::function<Values()>& body) {
  choir::Block& outer = builder_.block();
  builder_.set_insertion_point_to_end(block);
  const Values results = body();
  builder_.create(op::yield, results, {});
  builder_.set_insertion_point_to_end(outer);
}

KernelBuilder::Values KernelBuilder::for_loop(Value lower, Value upper, Value step,
                                              const Values& init, const LoopBody& body,
                                              std::int64_t maximum_trips) {
  const auto first = accy::kernel::constant_integer(lower);
  const auto end = accy::kernel::constant_integer(upper);
  const auto stride = accy::kernel::constant_integer(step);
  if (first && end && *first >= *end) return init;
  if (first && end && stride && *end - *first <= *stride) return body(lower, init);
  Values operands{lower, upper, step};
  operands.insert(operands.end(), init.begin(), init.end());
  std::vector<NamedAttribute> attributes;
  if (maximum_trips > 0)
    attributes.push_back(attribute("maximum_trips", context().integer(maximum_trips)));
  const std::vector<Type> types = types_of(init);
  Operation* loop = builder_.create(op::for_op, operands, types, std::move(attributes));
  choir::Block& block = loop->body();
  Value index = block.add_argument(get_type(context(), ElementType::i32));
  Values carried;
  for (const Type type : types) carried.push_back(block.add_argument(type));
  write_region(block, [&] {
    Values next = body(index, carried);
    ACCY_ASSERT(types_of(next) == types, "loop yields other types than it carries");
    return next;
  });
  Values results;
  for (std::size_t i = 0; i < loop->result_count(); ++i) results.push_back(loop->result(i));
  return results;
}

void KernelBuilder::for_each(Value lower, Value upper, Value step,
                             const std::function<void(Value)>& body, std::int64_t maximum_trips) {
  for_loop(
      lower, upper, step, {},
      [&](Value index, const Values&) {
        body(index);
        return Values{};
      },
      maximum_trips);
}

void KernelBuilder::if_then(Value condition, const std::function<void()>& then_body) {
  if_else(condition, then_body, [] {});
}

void KernelBuilder::if_else(Value condition, const std::function<void()>& then_body,
                            const std::function<void()>& else_body) {
  const auto wrap = [](const std::function<void()>& body) {
    return [&body] {
      body();
      return Values{};
    };
  };
  if_value(condition, wrap(then_body), wrap(else_body));
}

KernelBuilder::Values KernelBuilder::if_value(Value condition,
                                              const std::function<Values()>& then_body,
                                              const std::function<Values()>& else_body) {
  ACCY_ASSERT(type_of(condition) == ElementType::boolean, "condition is not a bool");
  if (const auto known = constant_truth(condition)) return *known ? then_body() : else_body();
  Operation* operation = builder_.create(op::if_op, {condition}, {});
  std::vector<Type> types;
  write_region(operation->body(0), [&] {
    Values values = then_body();
    types = types_of(values);
    return values;
  });
  write_region(operation->body(1), [&] {
    Values values = else_body();
    ACCY_ASSERT(types_of(values) == types, "the two bodies give different types");
    return values;
  });
  operation->set_results(types);
  Values results;
  for (std::size_t i = 0; i < operation->result_count(); ++i)
    results.push_back(operation->result(i));
  return results;
}

}  // namespace accy::kernel
