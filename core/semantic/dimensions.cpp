#include "semantic/dimensions.hpp"

#include "support/checked.hpp"

namespace accy::semantic {

using choir::Attribute;
using choir::AttributeKind;
using choir::NamedAttribute;

namespace {

DimensionRange range_of(Attribute entry) {
  DimensionRange range{.fallback = std::nullopt, .minimum = 0, .maximum = limits::dimension};
  if (!entry) return range;
  if (const Attribute value = entry.get("default")) range.fallback = value.integer();
  if (const Attribute value = entry.get("minimum")) range.minimum = value.integer();
  if (const Attribute value = entry.get("maximum")) range.maximum = value.integer();
  return range;
}

/// What is wrong with one entry; empty when nothing is.
std::string fault_of(const NamedAttribute& entry) {
  const std::string name = "dimension '" + std::string(entry.name) + "'";
  if (!entry.value.is(AttributeKind::dictionary))
    return name + " is no dictionary of default, minimum and maximum";
  for (const NamedAttribute& key : entry.value.dictionary()) {
    if (key.name != "default" && key.name != "minimum" && key.name != "maximum")
      return name + " has an unknown key '" + std::string(key.name) +
             "' (known: default, minimum, maximum)";
    if (!key.value.is(AttributeKind::integer))
      return name + ": '" + std::string(key.name) + "' is no integer";
    if (key.value.integer() < 0 || key.value.integer() > limits::dimension)
      return name + ": '" + std::string(key.name) + "' (" + std::to_string(key.value.integer()) +
             ") is outside 0 to " + std::to_string(limits::dimension);
  }
  const DimensionRange range = range_of(entry.value);
  const std::string text = std::to_string(range.minimum) + " to " + std::to_string(range.maximum);
  if (range.minimum > range.maximum) return name + " has an empty range (" + text + ")";
  if (range.fallback && (*range.fallback < range.minimum || *range.fallback > range.maximum))
    return name + ": the default (" + std::to_string(*range.fallback) + ") is outside its range (" +
           text + ")";
  return {};
}

}  // namespace

DimensionRange dimension_range(const choir::Module& module, std::string_view symbol) {
  const Attribute declared = module.operation().attribute("dimensions");
  return range_of(declared ? declared.get(symbol) : Attribute());
}

void verify_dimensions(const choir::Module& module, choir::Diagnostics& diagnostics) {
  const Attribute declared = module.operation().attribute("dimensions");
  if (!declared) return;
  if (!declared.is(AttributeKind::dictionary))
    return diagnostics.report(module.operation(), "attribute dimensions is no dictionary");
  for (const NamedAttribute& entry : declared.dictionary())
    if (std::string fault = fault_of(entry); !fault.empty())
      diagnostics.report(module.operation(), std::move(fault));
}

}  // namespace accy::semantic
