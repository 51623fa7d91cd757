#include "dialect/kernel/uniformity.hpp"

#include <algorithm>

#include "dialect/kernel/kernel.hpp"

namespace accy::kernel {

using choir::Block;
using choir::Operation;
using choir::Value;

namespace {

/// An attribute as an integer, or the fallback: the function may be malformed here.
std::int64_t integer_or(const Operation& operation, std::string_view name, std::int64_t fallback) {
  const choir::Attribute attribute = operation.attribute(name);
  return attribute.is(choir::AttributeKind::integer) ? attribute.integer() : fallback;
}

std::int64_t workgroup_extent(const Operation& function, std::int64_t axis) {
  const choir::Attribute sizes = function.attribute("workgroup");
  if (!sizes.is(choir::AttributeKind::array)) return 0;
  const auto list = sizes.array();
  if (axis < 0 || axis >= static_cast<std::int64_t>(list.size())) return 0;
  const choir::Attribute extent = list[static_cast<std::size_t>(axis)];
  return extent.is(choir::AttributeKind::integer) ? extent.integer() : 0;
}

bool is_local_x(const Value* value) {
  const Operation* operation = value->defining_operation();
  return operation != nullptr && operation->name() == op::local_id &&
         integer_or(*operation, "axis", 0) == 0;
}

}  // namespace

UniformityAnalysis::UniformityAnalysis(const Operation& function) : function_(function) {
  if (function.region_count() != 0) visit(function.body(), Uniformity::workgroup);
}

Uniformity UniformityAnalysis::of(const Value* value) const {
  const Uniformity* found = levels_.find(value);
  return found == nullptr ? Uniformity::workgroup : *found;
}

bool UniformityAnalysis::raise(const Value* value, Uniformity level) {
  if (level <= of(value)) return false;
  levels_[value] = level;
  return true;
}

Uniformity UniformityAnalysis::of_operands(const Operation& operation) const {
  Uniformity level = Uniformity::workgroup;
  for (std::size_t index = 0; index < operation.operand_count(); ++index)
    level = std::max(level, of(operation.operand(index)));
  return level;
}

void UniformityAnalysis::visit(const Block& block, Uniformity control) {
  for (const Operation* operation = block.front(); operation != nullptr;
       operation = operation->next()) {
    if (operation->name() == op::for_op && operation->region_count() == 1) {
      visit_loop(*operation, control);
    } else if (operation->name() == op::if_op && operation->region_count() == 2) {
      visit_condition(*operation, control);
    } else {
      const Uniformity level = result_of(*operation, of_operands(*operation));
      for (std::size_t index = 0; index < operation->result_count(); ++index)
        raise(operation->result(index), level);
    }
  }
}

void UniformityAnalysis::visit_loop(const Operation& loop, Uniformity control) {
  const Block& body = loop.body();
  Uniformity bounds = control;
  for (std::size_t index = 0; index < std::min<std::size_t>(3, loop.operand_count()); ++index)
    bounds = std::max(bounds, of(loop.operand(index)));
  // A divergent trip count makes everything the loop carries divergent, the index included only
  // where lanes start apart; calling it divergent is the safe side.
  for (std::size_t index = 0; index < body.argument_count(); ++index) {
    const bool carried = index > 0 && index + 2 < loop.operand_count();
    raise(body.argument(index), carried ? std::max(bounds, of(loop.operand(index + 2))) : bounds);
  }
  bool changed = true;
  while (changed) {
    changed = false;
    visit(body, bounds);
    const Operation* yield = body.back();
    if (yield == nullptr) return;
    for (std::size_t index = 0; index < yield->operand_count(); ++index) {
      const Uniformity next = std::max(bounds, of(yield->operand(index)));
      if (index + 1 < body.argument_count()) changed |= raise(body.argument(index + 1), next);
    }
  }
  for (std::size_t index = 0; index < loop.result_count(); ++index)
    if (index + 1 < body.argument_count())
      raise(loop.result(index), std::max(bounds, of(body.argument(index + 1))));
}

void UniformityAnalysis::visit_condition(const Operation& condition, Uniformity control) {
  const Uniformity level = std::max(control, of_operands(condition));
  for (std::size_t region = 0; region < 2; ++region) {
    visit(condition.body(region), level);
    const Operation* yield = condition.body(region).back();
    if (yield == nullptr) continue;
    for (std::size_t index = 0; index < yield->operand_count(); ++index)
      if (index < condition.result_count())
        raise(condition.result(index), std::max(level, of(yield->operand(index))));
  }
}

Uniformity UniformityAnalysis::result_of(const Operation& operation, Uniformity operands) const {
  const std::string_view name = operation.name();
  if (name == op::local_id) return of_local_id(operation);
  if (name == op::lane) return Uniformity::divergent;
  // Everyone in the subgroup gets the same result, whatever the operand.
  if (name == op::subgroup_reduce) return std::min(operands, Uniformity::subgroup);
  if (operands == Uniformity::divergent && splits_by_subgroup(operation))
    return Uniformity::subgroup;
  return operands;
}

Uniformity UniformityAnalysis::of_local_id(const Operation& operation) const {
  const std::int64_t axis = integer_or(operation, "axis", 0);
  if (workgroup_extent(function_, axis) == 1) return Uniformity::workgroup;
  // A row of the workgroup is a whole number of subgroups, so y and z do not vary in one.
  const bool full_rows = integer_or(function_, "subgroup", 0) > 0;
  return axis != 0 && full_rows ? Uniformity::subgroup : Uniformity::divergent;
}

/// local x / n, x >> n, x < n and x >= n where n is a multiple of the subgroup: which subgroup.
bool UniformityAnalysis::splits_by_subgroup(const Operation& operation) const {
  const std::int64_t subgroup = integer_or(function_, "subgroup", 0);
  if (subgroup <= 0 || operation.operand_count() != 2 || !is_local_x(operation.operand(0)))
    return false;
  const auto constant = constant_integer(operation.operand(1));
  if (!constant || *constant <= 0) return false;
  if (operation.name() == op::shr)
    return *constant < 31 && (std::int64_t{1} << *constant) % subgroup == 0;
  if (*constant % subgroup != 0) return false;
  if (operation.name() == op::div) return true;
  if (operation.name() != op::compare) return false;
  const choir::Attribute predicate = operation.attribute("predicate");
  return predicate.is(choir::AttributeKind::word) &&
         (predicate.text() == "lt" || predicate.text() == "ge");
}

}  // namespace accy::kernel
