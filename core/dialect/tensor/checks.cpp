#include "dialect/tensor/checks.hpp"

#include "support/checked.hpp"

#include <algorithm>

#include "dialect/tensor/numeric.hpp"

namespace accy::tensor {
namespace {

using choir::Attribute;
using choir::AttributeKind;
using choir::Operation;

std::string_view kind_name(AttributeKind kind) {
  switch (kind) {
    case AttributeKind::boolean: return "a boolean";
    case AttributeKind::integer: return "an integer";
    case AttributeKind::floating: return "a floating-point number";
    case AttributeKind::string: return "a string";
    case AttributeKind::word: return "a word";
    case AttributeKind::symbol: return "a symbol";
    case AttributeKind::type: return "a type";
    case AttributeKind::array: return "an array";
    case AttributeKind::dictionary: return "a dictionary";
    case AttributeKind::data: return "data bytes";
  }
  return "unknown";
}

std::string wrong_kind(std::string_view name, AttributeKind found, AttributeKind expected) {
  return "attribute " + std::string(name) + " is " + std::string(kind_name(found)) +
         ", expected " + std::string(kind_name(expected));
}

Result<std::size_t> axis_of(Attribute attribute, std::string_view name, std::size_t rank) {
  if (!attribute.is(AttributeKind::integer))
    return invalid("attribute " + std::string(name) + " holds something that is no integer");
  const std::int64_t axis = attribute.integer();
  if (axis < 0 || static_cast<std::uint64_t>(axis) >= rank)
    return invalid("attribute " + std::string(name) + " names axis (" + std::to_string(axis) +
                   ") of a tensor of rank " + std::to_string(rank));
  return static_cast<std::size_t>(axis);
}

}  // namespace

Failure invalid(std::string message) {
  return fail(ErrorCode::invalid_input, std::move(message));
}

Result<TensorType> operand_type(const Operation& operation, std::size_t index) {
  if (index >= operation.operand_count())
    return invalid("operand " + std::to_string(index) + " is missing");
  const auto type = TensorType::from(operation.operand(index)->type());
  if (!type)
    return invalid("operand " + std::to_string(index) + " is " +
                   type_to_string(operation.operand(index)->type()) + ", expected a tensor");
  return *type;
}

Result<TensorType> result_type(const Operation& operation) {
  if (operation.result_count() != 1)
    return invalid("operation has " + std::to_string(operation.result_count()) +
                   " results, expected 1");
  const auto type = TensorType::from(operation.result()->type());
  if (!type)
    return invalid("result is " + type_to_string(operation.result()->type()) +
                   ", expected a tensor");
  return *type;
}

Result<Attribute> required_attribute(const Operation& operation, std::string_view name,
                                     AttributeKind kind) {
  const Attribute attribute = operation.attribute(name);
  if (!attribute) return invalid("attribute " + std::string(name) + " is missing");
  if (!attribute.is(kind)) return invalid(wrong_kind(name, attribute.kind(), kind));
  return attribute;
}

Result<std::size_t> axis_attribute(const Operation& operation, std::string_view name,
                                   std::size_t rank) {
  ACCY_TRY_ASSIGN(const Attribute attribute,
                  required_attribute(operation, name, AttributeKind::integer));
  return axis_of(attribute, name, rank);
}

Result<std::vector<std::size_t>> axes_attribute(const Operation& operation, std::string_view name,
                                                std::size_t rank) {
  ACCY_TRY_ASSIGN(const Attribute attribute,
                  required_attribute(operation, name, AttributeKind::array));
  std::vector<std::size_t> axes;
  for (Attribute element : attribute.array()) {
    ACCY_TRY_ASSIGN(const std::size_t axis, axis_of(element, name, rank));
    if (std::find(axes.begin(), axes.end(), axis) != axes.end())
      return invalid("attribute " + std::string(name) + " names axis (" + std::to_string(axis) +
                     ") twice");
    axes.push_back(axis);
  }
  return axes;
}

Result<std::vector<std::int64_t>> integers_attribute(const Operation& operation,
                                                     std::string_view name, std::size_t count) {
  ACCY_TRY_ASSIGN(const Attribute attribute,
                  required_attribute(operation, name, AttributeKind::array));
  std::vector<std::int64_t> integers;
  for (Attribute element : attribute.array()) {
    if (!element.is(AttributeKind::integer))
      return invalid("attribute " + std::string(name) + " holds something that is no integer");
    integers.push_back(element.integer());
  }
  if (integers.size() != count)
    return invalid("attribute " + std::string(name) + " holds " + std::to_string(integers.size()) +
                   " numbers for " + std::to_string(count) + " axes");
  return integers;
}

Result<std::int64_t> static_size(TensorType type, std::size_t axis) {
  const Dimension size = type.dimension(axis);
  if (!size.is_symbol()) return size.size;
  return invalid("axis " + std::to_string(axis) + " has the size (" + size.to_string() +
                 "), which must be a number here");
}

Status check_increasing(std::span<const std::size_t> axes, std::string_view name) {
  for (std::size_t index = 1; index < axes.size(); ++index)
    if (axes[index] <= axes[index - 1])
      return invalid("attribute " + std::string(name) + " is not increasing (" +
                     std::to_string(axes[index]) + " after " + std::to_string(axes[index - 1]) +
                     ")");
  return {};
}

Result<std::size_t> choice_attribute(const Operation& operation, std::string_view name,
                                     std::span<const std::string_view> choices) {
  const Attribute attribute = operation.attribute(name);
  if (!attribute) return std::size_t{0};
  if (!attribute.is(AttributeKind::word))
    return invalid(wrong_kind(name, attribute.kind(), AttributeKind::word));
  const auto found = std::find(choices.begin(), choices.end(), attribute.text());
  if (found != choices.end()) return static_cast<std::size_t>(found - choices.begin());
  std::string list;
  for (std::string_view choice : choices) list += (list.empty() ? "" : ", ") + std::string(choice);
  return invalid("attribute " + std::string(name) + " is (" + std::string(attribute.text()) +
                 "), expected one of " + list);
}

Status check_elements(std::span<const Dimension> shape) {
  std::vector<std::int64_t> sizes;
  for (const Dimension& dimension : shape)
    if (!dimension.is_symbol()) sizes.push_back(dimension.size);
  ACCY_TRY(element_count(sizes));
  return {};
}

Status check_equal(TensorType a, TensorType b) {
  if (a == b) return {};
  return invalid("operand types differ (" + type_to_string(a) + " and " + type_to_string(b) + ")");
}

Status check_numeric(TensorType type) {
  if (type.element() != ElementType::boolean) return {};
  return invalid("operand is " + type_to_string(type) + ", expected a numeric element type");
}

Status check_float(TensorType type) {
  if (is_float(type.element())) return {};
  return invalid("operand is " + type_to_string(type) + ", expected a float element type");
}

Status check_integer(TensorType type, bool or_bool) {
  if (is_integer(type.element())) return {};
  return invalid("operand is " + type_to_string(type) + ", expected an integer element type" +
                 (or_bool ? " or bool" : ""));
}

Status check_accumulate(const Operation& operation, ElementType element) {
  const Attribute attribute = operation.attribute("accumulate");
  if (attribute && attribute.is(AttributeKind::word) && !element_type_from(attribute.text()))
    return invalid("attribute accumulate is (" + std::string(attribute.text()) +
                   "), expected an element type");
  const ElementType accumulate = accumulate_type(operation, element);
  const bool same_class = is_float(accumulate) == is_float(element) &&
                          is_integer(accumulate) == is_integer(element) &&
                          is_signed(accumulate) == is_signed(element);
  // Of two formats of one width, neither holds the other: f16 and bf16.
  const bool holds = accumulate == element || bit_width(accumulate) > bit_width(element);
  if (same_class && holds) return {};
  return invalid("attribute accumulate (" + std::string(to_string(accumulate)) +
                 ") cannot hold the element type (" + std::string(to_string(element)) + ")");
}

void check_attributes(const Operation& operation, std::span<const AttributeRule> rules,
                      choir::Diagnostics& diagnostics) {
  for (const AttributeRule& rule : rules) {
    const Attribute attribute = operation.attribute(rule.name);
    if (!attribute && rule.required)
      diagnostics.report(operation, "attribute " + std::string(rule.name) + " is missing");
    if (attribute && rule.kind && !attribute.is(*rule.kind))
      diagnostics.report(operation, wrong_kind(rule.name, attribute.kind(), *rule.kind));
  }
  for (const choir::NamedAttribute& entry : operation.attributes()) {
    const bool name_of_symbol = entry.name == "symbol" && operation.has(choir::Trait::symbol);
    const bool declared = std::any_of(rules.begin(), rules.end(), [&](const AttributeRule& rule) {
      return rule.name == entry.name;
    });
    if (!declared && !name_of_symbol)
      diagnostics.report(operation, "attribute " + std::string(entry.name) + " is unknown");
  }
}

}  // namespace accy::tensor
