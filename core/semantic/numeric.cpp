#include "semantic/numeric.hpp"

namespace accy::semantic {

using choir::Attribute;
using choir::AttributeKind;

std::string_view to_string(Order order) { return order == Order::free ? "free" : "fixed"; }

ElementType NumericContract::accumulate_for(ElementType element) const {
  if (!is_float(element)) return tensor::default_accumulate_type(element);
  return bit_width(element) > bit_width(accumulate) ? element : accumulate;
}

namespace {

Status read_key(NumericContract& contract, std::string_view key, std::string_view value) {
  if (key == "mode" && (value == "fast" || value == "strict")) {
    contract.mode = value == "fast" ? NumericMode::fast : NumericMode::strict;
    return {};
  }
  if (key == "order" && (value == "free" || value == "fixed")) {
    contract.order = value == "free" ? Order::free : Order::fixed;
    return {};
  }
  if (key == "accumulate")
    if (const auto element = element_type_from(value);
        element == ElementType::f32 || element == ElementType::f64) {
      contract.accumulate = *element;
      return {};
    }
  return fail(ErrorCode::invalid_input,
              "numeric contract does not take " + std::string(key) + " = " + std::string(value) +
                  " (mode = fast|strict, accumulate = f32|f64, order = free|fixed)");
}

}  // namespace

Result<NumericContract> numeric_contract(const choir::Module& module) {
  NumericContract contract;
  const Attribute attribute = module.operation().attribute("numeric");
  if (!attribute) return contract;
  if (!attribute.is(AttributeKind::dictionary))
    return fail(ErrorCode::invalid_input, "module attribute 'numeric' is no dictionary");
  for (const choir::NamedAttribute& entry : attribute.dictionary()) {
    if (!entry.value.is(AttributeKind::word))
      return fail(ErrorCode::invalid_input,
                  "numeric contract needs a word for '" + std::string(entry.name) + "'");
    ACCY_TRY(read_key(contract, entry.name, entry.value.text()));
  }
  if (contract.mode == NumericMode::strict) contract.order = Order::fixed;
  return contract;
}

void set_numeric_contract(choir::Module& module, const NumericContract& contract) {
  choir::Context& context = module.context();
  module.operation().set_attribute(
      "numeric",
      context.dictionary({{"mode", context.word(to_string(contract.mode))},
                          {"accumulate", context.word(accy::to_string(contract.accumulate))},
                          {"order", context.word(to_string(contract.order))}}));
}

}  // namespace accy::semantic
