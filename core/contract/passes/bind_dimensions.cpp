#include "contract/passes/bind_dimensions.hpp"

#include <charconv>
#include <set>

#include "dialect/tensor/type.hpp"
#include "semantic/dimensions.hpp"
#include "semantic/job.hpp"
#include "support/checked.hpp"

namespace accy::contract {

using choir::Attribute;
using tensor::Dimension;
using tensor::TensorType;

namespace {

void visit_values(choir::Module& module, const std::function<void(choir::Value&)>& visit) {
  module.operation().walk([&](choir::Operation& operation) {
    for (std::size_t index = 0; index < operation.result_count(); ++index)
      visit(*operation.result(index));
    for (std::size_t region = 0; region < operation.region_count(); ++region)
      for (std::size_t index = 0; index < operation.body(region).argument_count(); ++index)
        visit(*operation.body(region).argument(index));
  });
}

/// Of the program's function.
SourceLocation place_of(const choir::Module& module) {
  const choir::Operation* function = semantic::find_function(module);
  return (function != nullptr ? function->location() : module.operation().location()).first();
}

std::set<std::string> used_symbols(choir::Module& module) {
  std::set<std::string> symbols;
  visit_values(module, [&](choir::Value& value) {
    if (const auto type = TensorType::from(value.type()))
      for (const Dimension& dimension : type->shape())
        if (dimension.is_symbol()) symbols.emplace(dimension.symbol);
  });
  return symbols;
}

Result<std::int64_t> size_of(const choir::Module& module, const std::string& symbol,
                             const DimensionBindings& bindings) {
  const semantic::DimensionRange range = semantic::dimension_range(module, symbol);
  std::optional<std::int64_t> size = range.fallback;
  if (const auto bound = bindings.find(symbol); bound != bindings.end()) size = bound->second;
  if (!size)
    return fail(ErrorCode::invalid_input,
                "dimension '" + symbol + "' has no size: bind it or declare a default",
                place_of(module));
  if (*size < range.minimum || *size > range.maximum)
    return fail(ErrorCode::invalid_input,
                "dimension '" + symbol + "' (" + std::to_string(*size) +
                    ") is outside its range (" + std::to_string(range.minimum) + " to " +
                    std::to_string(range.maximum) + ")",
                place_of(module));
  return *size;
}

Status bind_value(choir::Value& value, choir::Context& context, const DimensionBindings& sizes) {
  const auto type = TensorType::from(value.type());
  if (!type || type->is_static()) return {};
  std::vector<std::int64_t> shape;
  for (const Dimension& dimension : type->shape())
    shape.push_back(dimension.is_symbol() ? sizes.at(std::string(dimension.symbol))
                                          : dimension.size);
  ACCY_TRY(element_count(shape));
  value.set_type(TensorType::get(context, type->element(), std::span<const std::int64_t>(shape)));
  return {};
}

bool has_dimension(const choir::Operation& operation, std::string_view symbol) {
  for (std::size_t index = 0; index < operation.result_count(); ++index)
    if (const auto type = TensorType::from(operation.result(index)->type()))
      for (const Dimension& dimension : type->shape())
        if (dimension.symbol == symbol) return true;
  return false;
}

/// One decision a dimension, for the operations whose results have it.
void record(choir::DecisionLog& log, const choir::Module& module, const std::string& symbol,
            std::int64_t size, bool bound) {
  if (!log.on()) return;
  const semantic::DimensionRange range = semantic::dimension_range(module, symbol);
  choir::Decision decision{.kind = "dimension",
                           .subject = "dimension " + symbol,
                           .choice = symbol + " = " + std::to_string(size),
                           .reason = (bound ? "bound by the caller" : "the declared default") +
                                     std::string(", within its range of ") +
                                     std::to_string(range.minimum) + " to " +
                                     std::to_string(range.maximum)};
  const choir::Operation& top = module.operation();
  top.walk([&](const choir::Operation& operation) {
    if (!has_dimension(operation, symbol)) return;
    for (SourceLocation& place : choir::places_of(operation.location()))
      decision.places.push_back(std::move(place));
  });
  log.record(std::move(decision));
}

Result<choir::PassChange> run(choir::PassContext& context, const DimensionBindings& bindings) {
  const std::set<std::string> symbols = used_symbols(context.module);
  for (const auto& [symbol, size] : bindings)
    if (!symbols.contains(symbol))
      return fail(ErrorCode::invalid_input, "program has no dimension named '" + symbol + "'",
                  place_of(context.module));
  const Attribute declared = context.module.operation().attribute("dimensions");
  DimensionBindings sizes;
  for (const std::string& symbol : symbols) {
    ACCY_TRY_ASSIGN(sizes[symbol], size_of(context.module, symbol, bindings));
    record(context.decisions, context.module, symbol, sizes[symbol], bindings.contains(symbol));
  }
  Status status;
  visit_values(context.module, [&](choir::Value& value) {
    if (status) status = bind_value(value, context.module.context(), sizes);
  });
  ACCY_TRY(std::move(status));
  if (declared) context.module.operation().remove_attribute("dimensions");
  return symbols.empty() && !declared ? choir::PassChange::unchanged : choir::PassChange::changed;
}

std::string sizes_text(const DimensionBindings& bindings) {
  std::string text;
  for (const auto& [symbol, size] : bindings)
    text += (text.empty() ? "" : " ") + symbol + "=" + std::to_string(size);
  return text;
}

Result<DimensionBindings> parse_sizes(std::string_view text) {
  DimensionBindings bindings;
  while (!text.empty()) {
    const std::string_view entry = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(entry.size() + 1, text.size()));
    const std::size_t equals = entry.find('=');
    std::int64_t size = 0;
    const char* const end = entry.data() + entry.size();
    const char* const start = entry.data() + std::min(equals, entry.size() - 1) + 1;
    const auto [stop, error] = std::from_chars(start, end, size);
    if (equals == std::string_view::npos || equals == 0 || error != std::errc() || stop != end)
      return fail(ErrorCode::invalid_input,
                  "'" + std::string(entry) + "' is no size of a dimension, as \"n=16\"");
    bindings[std::string(entry.substr(0, equals))] = size;
  }
  return bindings;
}

std::span<const choir::PassOptionSpec> option_specs() {
  static const choir::PassOptionSpec specs[] = {
      {"sizes", "sizes of named dimensions, as \"m=4 n=16\"", std::string()}};
  return specs;
}

}  // namespace

choir::Pass bind_dimensions_pass(DimensionBindings bindings) {
  std::string options = choir::spell_options(option_specs(), {{"sizes", sizes_text(bindings)}});
  return {.name = "accy-choir-bind-dimensions",
          .description = "Replace named dimensions by sizes",
          .options = std::move(options),
          .run = [bindings = std::move(bindings)](
                     choir::PassContext& context) { return run(context, bindings); },
          .preserved = {}};
}

choir::PassRegistration bind_dimensions_registration(const DimensionBindings& bindings) {
  return choir::registration(
      bind_dimensions_pass({}), option_specs(),
      [bindings](const choir::PassOptionValues& values) -> Result<choir::Pass> {
        if (values.text("sizes").empty()) return bind_dimensions_pass(bindings);
        ACCY_TRY_ASSIGN(DimensionBindings sizes, parse_sizes(values.text("sizes")));
        return bind_dimensions_pass(std::move(sizes));
      });
}

}  // namespace accy::contract
