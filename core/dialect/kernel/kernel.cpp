#include "dialect/kernel/kernel.hpp"

#include <array>
#include <bit>

#include "choir/definition.hpp"
#include "dialect/kernel/families.hpp"
#include "support/checked.hpp"

namespace accy::kernel {
namespace {

using choir::Attribute;
using choir::AttributeKind;
using choir::Operation;

constexpr std::array<std::string_view, 6> predicate_names{"eq", "ne", "lt", "le", "gt", "ge"};
constexpr std::array<std::string_view, 3> reduce_names{"add", "min", "max"};

std::vector<const choir::OperationDefinition*> list_operations() {
  std::vector<const choir::OperationDefinition*> list;
  for (const auto family : {structure_operations(), memory_operations(), arithmetic_operations(),
                            math_operations(), subgroup_operations(), control_operations()})
    for (const choir::OperationDefinition& definition : family) list.push_back(&definition);
  return list;
}

std::int64_t integer_of(const Operation& operation, std::string_view name) {
  const Attribute attribute = operation.attribute(name);
  ACCY_ASSERT(attribute.is(AttributeKind::integer), "missing attribute " + std::string(name));
  return attribute.integer();
}

template <class Enum, std::size_t count>
Enum enumerator_of(const Operation& operation, std::string_view name,
                   const std::array<std::string_view, count>& names) {
  const Attribute attribute = operation.attribute(name);
  for (std::size_t index = 0; index < count; ++index)
    if (attribute.is(AttributeKind::word) && attribute.text() == names[index])
      return static_cast<Enum>(index);
  ACCY_ASSERT(false, "missing attribute " + std::string(name));
  return Enum{};
}

}  // namespace

void register_kernel_dialect(choir::Registry& registry) {
  register_kernel_types(registry);
  for (const choir::OperationDefinition* definition : operation_definitions())
    registry.add(*definition);
}

std::span<const choir::OperationDefinition* const> operation_definitions() {
  static const std::vector<const choir::OperationDefinition*> list = list_operations();
  return list;
}

std::string_view to_string(Predicate predicate) {
  return predicate_names[static_cast<std::size_t>(predicate)];
}
std::string_view to_string(ReduceFunction function) {
  return reduce_names[static_cast<std::size_t>(function)];
}

std::int64_t axis(const Operation& operation) { return integer_of(operation, "axis"); }
std::int64_t lane_index(const Operation& extract) { return integer_of(extract, "index"); }
std::int64_t mask(const Operation& shuffle) { return integer_of(shuffle, "mask"); }

Predicate predicate(const Operation& compare) {
  return enumerator_of<Predicate>(compare, "predicate", predicate_names);
}

ReduceFunction reduce_function(const Operation& reduce) {
  return enumerator_of<ReduceFunction>(reduce, "function", reduce_names);
}

bool is_index_math(const Operation& operation) {
  const Attribute attribute = operation.attribute("index");
  return attribute.is(AttributeKind::boolean) && attribute.boolean();
}

std::uint64_t constant_bits(const Operation& constant) {
  const Attribute value = constant.attribute("value");
  const ElementType element = element_of(constant.result()->type());
  if (element == ElementType::boolean) return value.boolean() ? 1 : 0;
  if (element == ElementType::f64) return std::bit_cast<std::uint64_t>(value.floating());
  if (element == ElementType::f32)
    return std::bit_cast<std::uint32_t>(static_cast<float>(value.floating()));
  const int width = bit_width(element);
  const auto bits = static_cast<std::uint64_t>(value.integer());
  return width == 64 ? bits : bits & ((std::uint64_t{1} << width) - 1);
}

std::optional<std::int64_t> constant_integer(const choir::Value* value) {
  const Operation* operation = value->defining_operation();
  if (operation == nullptr || operation->name() != op::constant) return std::nullopt;
  const Attribute attribute = operation->attribute("value");
  if (!attribute.is(AttributeKind::integer)) return std::nullopt;
  return attribute.integer();
}

std::array<std::int64_t, 3> workgroup_size(const Operation& function) {
  const Attribute attribute = function.attribute("workgroup");
  ACCY_ASSERT(attribute.is(AttributeKind::array) && attribute.array().size() == 3,
              "kernel.func without workgroup");
  const auto sizes = attribute.array();
  return {sizes[0].integer(), sizes[1].integer(), sizes[2].integer()};
}

std::int64_t workgroup_invocations(const Operation& function) {
  const auto sizes = workgroup_size(function);
  return sizes[0] * sizes[1] * sizes[2];
}

std::int64_t subgroup_size(const Operation& function) { return integer_of(function, "subgroup"); }

bool is_exact(const Operation& function) {
  const Attribute attribute = function.attribute("exact");
  return attribute.is(AttributeKind::boolean) && attribute.boolean();
}

std::int64_t shared_memory_bytes(const Operation& function) {
  std::int64_t bytes = 0;
  for (const Operation* operation : function.body().operations()) {
    if (operation->name() != op::shared) continue;
    const auto type = as_shared(operation->result()->type());
    ACCY_ASSERT(type.has_value(), "kernel.shared without a shared type");
    bytes += (type->count * size_bytes(type->element) + 15) / 16 * 16;
  }
  return bytes;
}

const Operation* enclosing_function(const Operation& operation) {
  const Operation* current = &operation;
  while (current != nullptr && current->name() != op::func) current = current->parent();
  return current;
}

Result<ArgumentLayout> argument_layout(const Operation& function) {
  ArgumentLayout layout;
  const choir::Block& body = function.body();
  for (std::size_t index = 0; index < body.argument_count(); ++index) {
    const choir::Type type = body.argument(index)->type();
    ArgumentSlot slot;
    if (const auto buffer = as_buffer(type)) {
      slot = {0, 8, buffer->element, true, buffer->access};
    } else if (const auto scalar = as_scalar(type)) {
      const std::int64_t size = *scalar == ElementType::boolean ? 4 : size_bytes(*scalar);
      slot = {0, size, *scalar, false, Access::read};
    } else {
      return fail(ErrorCode::invalid_input,
                  "parameter " + std::to_string(index) + " is neither a buffer nor a scalar",
                  function.location().first(), std::string(function.name()));
    }
    ACCY_TRY_ASSIGN(slot.offset_bytes, checked_align(layout.size_bytes, slot.size_bytes));
    layout.size_bytes = slot.offset_bytes + slot.size_bytes;
    layout.slots.push_back(slot);
  }
  return layout;
}

}  // namespace accy::kernel
