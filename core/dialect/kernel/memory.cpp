// Constants, ids, memory access and vectors.
#include <array>

#include "dialect/kernel/checks.hpp"
#include "dialect/kernel/families.hpp"

namespace accy::kernel {
namespace {

using choir::Operation;

constexpr std::uint32_t pure = static_cast<std::uint32_t>(choir::Trait::pure);

/// Range of the integer attribute of a constant; u64 takes any 64 bits.
bool in_range(ElementType element, std::int64_t value) {
  const int width = bit_width(element);
  if (width == 64) return true;
  const std::int64_t span = std::int64_t{1} << width;
  return is_signed(element) ? value >= -span / 2 && value < span / 2 : value >= 0 && value < span;
}

void verify_constant(const Operation& operation, choir::Diagnostics& diagnostics) {
  const choir::Type type = operation.result()->type();
  const auto element = as_scalar(type);
  if (!element || *element == ElementType::f16 || *element == ElementType::bf16) {
    diagnostics.report(operation,
                       "a constant is an integer, bool, f32 or f64 (got " + describe(type) + ")");
    return;
  }
  const choir::Attribute value = operation.attribute("value");
  const auto kind = *element == ElementType::boolean ? choir::AttributeKind::boolean
                    : is_float(*element)             ? choir::AttributeKind::floating
                                                     : choir::AttributeKind::integer;
  if (!value.is(kind))
    diagnostics.report(operation,
                       "attribute value does not fit a constant of type " + describe(type));
  else if (is_integer(*element) && !in_range(*element, value.integer()))
    diagnostics.report(operation, "value " + std::to_string(value.integer()) +
                                      " is out of the range of " + describe(type));
}

Types infer_id(const Operation& operation) { return std::vector{i32_type(operation)}; }

void verify_id(const Operation& operation, choir::Diagnostics& diagnostics) {
  integer_attribute(operation, "axis", 0, 2, diagnostics);
}

void verify_shared(const Operation& operation, choir::Diagnostics& diagnostics) {
  if (!as_shared(operation.result()->type()))
    diagnostics.report(operation,
                       "gives a shared type (got " + describe(operation.result()->type()) + ")");
  const Operation* parent = operation.parent();
  if (parent == nullptr || parent->name() != op::func)
    diagnostics.report(operation, "stands only at the top level of a kernel.func");
}

/// Checks that `value` is one element or a legal vector of what `memory` holds.
void check_access(const Operation& operation, choir::Type value, choir::Type memory,
                  choir::Type index, choir::Diagnostics& diagnostics) {
  const auto buffer = as_buffer(memory);
  const auto shared = as_shared(memory);
  if (!buffer && !shared) {
    diagnostics.report(operation,
                       "accesses a buffer or shared memory (got " + describe(memory) + ")");
    return;
  }
  const bool writes = operation.name() == op::store;
  if (buffer && !(writes ? can_write(buffer->access) : can_read(buffer->access)))
    diagnostics.report(operation, std::string(writes ? "stores to" : "loads from") +
                                      " a buffer whose access is " +
                                      std::string(to_string(buffer->access)));
  const ElementType element = buffer ? buffer->element : shared->element;
  const auto vector = as_vector(value);
  if (as_scalar(value) != element && !(vector && vector->element == element))
    diagnostics.report(operation, "moves " + describe(value) + " through memory of " +
                                      std::string(to_string(element)));
  const auto index_type = as_scalar(index);
  if (index_type != ElementType::i32 && index_type != ElementType::i64)
    diagnostics.report(operation, "index has type " + describe(index) + ", expected i32 or i64");
}

void verify_load(const Operation& operation, choir::Diagnostics& diagnostics) {
  check_access(operation, operation.result()->type(), operation.operand(0)->type(),
               operation.operand(1)->type(), diagnostics);
}

void verify_store(const Operation& operation, choir::Diagnostics& diagnostics) {
  check_access(operation, operation.operand(0)->type(), operation.operand(1)->type(),
               operation.operand(2)->type(), diagnostics);
}

Types infer_extract(const Operation& operation) {
  const choir::Type type = operation.operand(0)->type();
  const auto vector = as_vector(type);
  if (!vector)
    return reject(operation, "operand 0 has type " + describe(type) + ", expected a vector");
  return std::vector{get_type(operation.context(), vector->element)};
}

void verify_extract(const Operation& operation, choir::Diagnostics& diagnostics) {
  if (const auto vector = as_vector(operation.operand(0)->type()))
    integer_attribute(operation, "index", 0, vector->width - 1, diagnostics);
}

void verify_compose(const Operation& operation, choir::Diagnostics& diagnostics) {
  const auto vector = as_vector(operation.result()->type());
  if (!vector) {
    diagnostics.report(operation,
                       "gives a vector (got " + describe(operation.result()->type()) + ")");
    return;
  }
  if (static_cast<std::int64_t>(operation.operand_count()) != vector->width)
    diagnostics.report(operation, "composes " + std::to_string(vector->width) + " elements (got " +
                                      std::to_string(operation.operand_count()) + ")");
  for (const choir::Value* value : operation.operands())
    if (as_scalar(value->type()) != vector->element)
      diagnostics.report(operation, "operand has type " + describe(value->type()) + ", expected " +
                                        std::string(to_string(vector->element)));
}

constexpr std::array<choir::OperationDefinition, 9> definitions{{
    {op::constant, "a value known when the program is generated", pure, 0, 1, 0, nullptr,
     verify_constant},
    {op::workgroup_id, "index of the workgroup in the grid along an axis", pure, 0, 1, 0, infer_id,
     verify_id},
    {op::local_id, "index of the invocation in its workgroup along an axis", pure, 0, 1, 0,
     infer_id, verify_id},
    {op::shared, "workgroup memory, its content undefined at the start", 0, 0, 1, 0, nullptr,
     verify_shared},
    {op::load, "reads one element, or an aligned vector of them", 0, 2, 1, 0, nullptr, verify_load},
    {op::store, "writes one element, or an aligned vector of them", 0, 3, 0, 0, nullptr,
     verify_store},
    {op::barrier, "all invocations of the workgroup arrive; orders their memory accesses", 0, 0, 0},
    {op::extract, "one element of a vector", pure, 1, 1, 0, infer_extract, verify_extract},
    {op::compose, "a vector of scalars", pure, -1, 1, 0, nullptr, verify_compose},
}};

}  // namespace

std::span<const choir::OperationDefinition> memory_operations() { return definitions; }

}  // namespace accy::kernel
