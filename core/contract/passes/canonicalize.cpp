#include "contract/passes/canonicalize.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <unordered_map>

#include "choir/builder.hpp"
#include "choir/text.hpp"
#include "dialect/tensor/type.hpp"

namespace accy::contract {

using choir::Attribute;
using choir::AttributeKind;
using choir::Builder;
using choir::Operation;
using choir::Trait;
using choir::Value;

namespace {

/// The operation that defines the value when it has that name, else null.
Operation* defined_by(const Value* value, std::string_view name) {
  Operation* operation = value->defining_operation();
  return operation != nullptr && operation->name() == name ? operation : nullptr;
}

/// Whether the value is a constant with that number in every element (and no negative zero).
bool is_splat(const Value* value, double number) {
  const Operation* constant = defined_by(value, "tensor.constant");
  if (constant == nullptr) return false;
  const Attribute attribute = constant->attribute("value");
  if (attribute.is(AttributeKind::integer))
    return static_cast<double>(attribute.integer()) == number;
  return attribute.is(AttributeKind::floating) && attribute.floating() == number &&
         !std::signbit(attribute.floating());
}

std::vector<std::int64_t> integers(Attribute array) {
  std::vector<std::int64_t> values;
  for (Attribute element : array.array()) values.push_back(element.integer());
  return values;
}

bool is_identity(std::span<const std::int64_t> axes) {
  for (std::size_t index = 0; index < axes.size(); ++index)
    if (axes[index] != static_cast<std::int64_t>(index)) return false;
  return true;
}

// A rule returns the value that replaces the operation's only result, or null when it does not
// apply. New operations go before the old one.
using Rule = Value* (*)(const Operation& operation, Builder& builder);

// x * 1 = x
Value* multiply_by_one(const Operation& operation, Builder&) {
  if (is_splat(operation.operand(1), 1)) return operation.operand(0);
  return is_splat(operation.operand(0), 1) ? operation.operand(1) : nullptr;
}

// x / 1 = x
Value* divide_by_one(const Operation& operation, Builder&) {
  return is_splat(operation.operand(1), 1) ? operation.operand(0) : nullptr;
}

// x - 0 = x, also for x = -0
Value* subtract_zero(const Operation& operation, Builder&) {
  return is_splat(operation.operand(1), 0) ? operation.operand(0) : nullptr;
}

// max(x, x) = x, min(x, x) = x
Value* same_operands(const Operation& operation, Builder&) {
  return operation.operand(0) == operation.operand(1) ? operation.operand(0) : nullptr;
}

// select(c, x, x) = x
Value* select_same(const Operation& operation, Builder&) {
  return operation.operand(1) == operation.operand(2) ? operation.operand(1) : nullptr;
}

// f(x) = x where f keeps the type: cast, reshape
Value* same_type(const Operation& operation, Builder&) {
  return operation.operand(0)->type() == operation.result()->type() ? operation.operand(0)
                                                                    : nullptr;
}

// reshape(reshape(x)) = reshape(x)
Value* reshape_of_reshape(const Operation& operation, Builder& builder) {
  const Operation* inner = defined_by(operation.operand(0), "tensor.reshape");
  if (inner == nullptr) return nullptr;
  return builder.create("tensor.reshape", {inner->operand(0)}, {operation.result()->type()})
      ->result();
}

// transpose(x, identity) = x
Value* transpose_identity(const Operation& operation, Builder&) {
  return is_identity(integers(operation.attribute("permutation"))) ? operation.operand(0) : nullptr;
}

// transpose(transpose(x, p), q) = transpose(x, p[q])
Value* transpose_of_transpose(const Operation& operation, Builder& builder) {
  const Operation* inner = defined_by(operation.operand(0), "tensor.transpose");
  if (inner == nullptr) return nullptr;
  const auto first = integers(inner->attribute("permutation"));
  std::vector<std::int64_t> composed;
  for (std::int64_t axis : integers(operation.attribute("permutation")))
    composed.push_back(first[static_cast<std::size_t>(axis)]);
  return builder
      .create("tensor.transpose", {inner->operand(0)}, {operation.result()->type()},
              {{"permutation", operation.context().integers(composed)}})
      ->result();
}

// broadcast(x, identity) = x where nothing grows
Value* broadcast_identity(const Operation& operation, Builder&) {
  return operation.operand(0)->type() == operation.result()->type() &&
                 is_identity(integers(operation.attribute("axes")))
             ? operation.operand(0)
             : nullptr;
}

// broadcast(constant c) = constant c, and the same for reshape and transpose
Value* move_of_splat(const Operation& operation, Builder& builder) {
  const Operation* constant = defined_by(operation.operand(0), "tensor.constant");
  if (constant == nullptr) return nullptr;
  const Attribute value = constant->attribute("value");
  const bool splat = value.is(AttributeKind::integer) || value.is(AttributeKind::floating) ||
                     value.is(AttributeKind::boolean);
  if (!splat) return nullptr;
  return builder.create("tensor.constant", {}, {operation.result()->type()}, {{"value", value}})
      ->result();
}

struct RuleEntry {
  std::string_view operation;
  Rule rule;
  std::string_view equation;  ///< for people who ask why
};

constexpr std::string_view splat_equation = "moving equal elements gives equal elements";

constexpr RuleEntry rules[] = {
    {"tensor.mul", multiply_by_one, "x * 1 = x"},
    {"tensor.div", divide_by_one, "x / 1 = x"},
    {"tensor.sub", subtract_zero, "x - 0 = x"},
    {"tensor.max", same_operands, "max(x, x) = x"},
    {"tensor.min", same_operands, "min(x, x) = x"},
    {"tensor.select", select_same, "select(c, x, x) = x"},
    {"tensor.cast", same_type, "a cast to the own type changes nothing"},
    {"tensor.reshape", same_type, "a reshape to the own shape changes nothing"},
    {"tensor.reshape", reshape_of_reshape, "reshape(reshape(x)) = reshape(x)"},
    {"tensor.reshape", move_of_splat, splat_equation},
    {"tensor.transpose", transpose_identity, "transpose(x, identity) = x"},
    {"tensor.transpose", transpose_of_transpose,
     "transpose(transpose(x, p), q) = transpose(x, p[q])"},
    {"tensor.transpose", move_of_splat, splat_equation},
    {"tensor.broadcast", broadcast_identity, "broadcast(x, identity) = x where nothing grows"},
    {"tensor.broadcast", move_of_splat, splat_equation},
};

void record(choir::DecisionLog& log, const Operation& operation, std::string choice,
            std::string reason) {
  if (!log.on()) return;
  log.record({.kind = "rewrite",
              .subject = choir::subject_of(operation),
              .choice = std::move(choice),
              .reason = std::move(reason),
              .places = choir::places_of(operation.location())});
}

std::string text_of(const Value& value) {
  const Operation* defining = value.defining_operation();
  return defining != nullptr ? choir::subject_of(*defining) : "%" + std::string(value.name());
}

bool apply_rules(Operation& operation, choir::DecisionLog& log) {
  if (operation.result_count() != 1 || !operation.has_uses()) return false;
  for (const RuleEntry& entry : rules) {
    if (entry.operation != operation.name()) continue;
    Builder builder(&operation);
    if (Value* replacement = entry.rule(operation, builder)) {
      if (log.on())
        record(log, operation, "replaced by " + text_of(*replacement),
               std::string(entry.equation) + ", with the same bits for every input");
      operation.result()->replace_all_uses_with(replacement);
      return true;
    }
  }
  return false;
}

/// What two pure operations must share to compute the same.
struct OperationKey {
  const choir::OperationDefinition* definition;
  std::vector<Value*> operands;
  std::vector<choir::NamedAttribute> attributes;
  std::vector<choir::Type> types;
  bool operator==(const OperationKey&) const = default;
};

struct OperationKeyHash {
  std::size_t operator()(const OperationKey& key) const {
    std::size_t seed = std::hash<const void*>()(key.definition);
    auto mix = [&](const void* pointer) {
      seed = seed * 1099511628211ULL ^ std::hash<const void*>()(pointer);
    };
    for (const Value* operand : key.operands) mix(operand);
    for (const choir::NamedAttribute& attribute : key.attributes) mix(attribute.value.storage());
    for (choir::Type type : key.types) mix(type.storage());
    return seed;
  }
};

OperationKey key_of(const Operation& operation) {
  OperationKey key{&operation.definition(), operation.operands(),
                   {operation.attributes().begin(), operation.attributes().end()}, {}};
  for (std::size_t index = 0; index < operation.result_count(); ++index)
    key.types.push_back(operation.result(index)->type());
  return key;
}

bool merge_equal(choir::Block& block, choir::DecisionLog& log) {
  std::unordered_map<OperationKey, Operation*, OperationKeyHash> seen;
  bool changed = false;
  for (Operation* operation : block.operations()) {
    if (!operation->has(Trait::pure) || operation->region_count() != 0) continue;
    const auto [entry, fresh] = seen.emplace(key_of(*operation), operation);
    if (fresh || !operation->has_uses()) continue;
    Operation* kept = entry->second;
    if (log.on())
      record(log, *operation, "merged into " + choir::subject_of(*kept),
             "same operation, operands and attributes");
    kept->set_location(operation->context().fused(kept->location(), operation->location()));
    for (std::size_t index = 0; index < operation->result_count(); ++index)
      if (operation->result(index)->has_uses())
        operation->result(index)->replace_all_uses_with(kept->result(index));
    changed = true;
  }
  return changed;
}

bool erase_unused(choir::Block& block, choir::DecisionLog& log) {
  bool changed = false;
  auto operations = block.operations();
  for (auto position = operations.rbegin(); position != operations.rend(); ++position)
    if ((*position)->has(Trait::pure) && !(*position)->has_uses()) {
      record(log, **position, "erased", "nothing reads it");
      (*position)->erase();
      changed = true;
    }
  return changed;
}

bool sweep(choir::Block& block, choir::DecisionLog& log) {
  bool changed = false;
  for (Operation* operation : block.operations()) changed = apply_rules(*operation, log) || changed;
  changed = merge_equal(block, log) || changed;
  return erase_unused(block, log) || changed;
}

Result<choir::PassChange> run(choir::PassContext& context) {
  bool changed = false;
  for (Operation* function : context.module.body().operations())
    while (function->region_count() != 0 && sweep(function->body(), context.decisions))
      changed = true;
  return changed ? choir::PassChange::changed : choir::PassChange::unchanged;
}

}  // namespace

choir::Pass canonicalize_pass() {
  return {.name = "accy-choir-canonicalize",
          .description = "Bring equal graphs to one form by exact rules",
          .options = {},
          .run = run,
          .preserved = {}};
}

}  // namespace accy::contract
