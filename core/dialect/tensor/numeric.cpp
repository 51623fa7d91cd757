#include "dialect/tensor/numeric.hpp"

namespace accy::tensor {
namespace {

/// The entry of the numeric dictionary of the outermost operation; null when absent.
choir::Attribute module_entry(const choir::Operation& operation, std::string_view key) {
  const choir::Operation* top = &operation;
  while (top->parent() != nullptr) top = top->parent();
  const choir::Attribute numeric = top->attribute("numeric");
  if (!numeric.is(choir::AttributeKind::dictionary)) return {};
  return numeric.get(key);
}

bool is_word(choir::Attribute attribute, std::string_view text) {
  return attribute.is(choir::AttributeKind::word) && attribute.text() == text;
}

}  // namespace

std::string_view to_string(NumericMode mode) {
  return mode == NumericMode::fast ? "fast" : "strict";
}

NumericMode numeric_mode(const choir::Operation& operation) {
  return is_word(module_entry(operation, "mode"), "strict") ? NumericMode::strict
                                                            : NumericMode::fast;
}

ReductionOrder reduction_order(const choir::Operation& operation) {
  if (numeric_mode(operation) == NumericMode::strict) return ReductionOrder::fixed;
  choir::Attribute order = operation.attribute("order");
  if (!order) order = module_entry(operation, "order");
  return is_word(order, "fixed") ? ReductionOrder::fixed : ReductionOrder::free;
}

ElementType default_accumulate_type(ElementType element) {
  if (is_float(element)) return element == ElementType::f64 ? element : ElementType::f32;
  if (!is_integer(element) || bit_width(element) >= 32) return element;
  return is_signed(element) ? ElementType::i32 : ElementType::u32;
}

ElementType accumulate_type(const choir::Operation& operation, ElementType element) {
  const choir::Attribute own = operation.attribute("accumulate");
  if (own.is(choir::AttributeKind::word))
    if (const auto type = element_type_from(own.text())) return *type;
  const choir::Attribute shared = module_entry(operation, "accumulate");
  if (is_float(element) && shared.is(choir::AttributeKind::word)) {
    const auto type = element_type_from(shared.text());
    if (type && is_float(*type) && bit_width(*type) >= bit_width(element)) return *type;
  }
  return default_accumulate_type(element);
}

}  // namespace accy::tensor
