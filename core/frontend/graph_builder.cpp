#include "accy/graph_builder.hpp"

#include <algorithm>

#include "choir/ir/spelling.hpp"
#include "frontend/graph_functions.hpp"
#include "frontend/program_state.hpp"
#include "semantic/numeric.hpp"
#include "support/checked.hpp"

namespace accy {
namespace frontend {
namespace {

Status check_range(const std::string& name, const DimensionRange& range) {
  const std::int64_t minimum = range.minimum.value_or(0);
  const std::int64_t maximum = range.maximum.value_or(limits::dimension);
  const std::int64_t size = range.default_size.value_or(minimum);
  if (minimum >= 0 && minimum <= size && size <= maximum && maximum <= limits::dimension) return {};
  return invalid(
      "range of dimension '" + name + "' is wrong (minimum " + std::to_string(minimum) +
      ", default " + std::to_string(size) + ", maximum " + std::to_string(maximum) +
      "): it needs 0 <= minimum <= default <= maximum <= " + std::to_string(limits::dimension));
}

choir::Attribute range_attribute(choir::Context& context, const DimensionRange& range) {
  std::vector<choir::NamedAttribute> entries;
  const auto add = [&](std::string_view key, std::optional<std::int64_t> value) {
    if (value) entries.push_back({key, context.integer(*value)});
  };
  add("default", range.default_size);
  add("minimum", range.minimum);
  add("maximum", range.maximum);
  return context.dictionary(std::move(entries));
}

choir::Attribute strings(choir::Context& context, const std::vector<std::string>& names) {
  std::vector<choir::Attribute> list;
  for (const std::string& name : names) list.push_back(context.string(name));
  return context.array(list);
}

}  // namespace

Status Graph::add_range(const std::string& name, const DimensionRange& range) {
  if (!choir::is_word(name) || name.find('.') != std::string::npos)
    return invalid("dimension name (" + name + ") is not letters, digits and _");
  if (range == DimensionRange{}) return {};
  ACCY_TRY(check_range(name, range));
  const auto [known, added] = ranges_.try_emplace(name, range);
  if (added || known->second == range) return {};
  return invalid("dimension '" + name + "' has another range already");
}

Status Graph::add_name(std::vector<std::string>& names, std::string_view name) const {
  if (!choir::is_usable_name(name))
    return invalid("name takes 1 to " + std::to_string(choir::maximum_name_bytes) +
                   " bytes of UTF-8, not (" + std::to_string(name.size()) + ") of any");
  if (std::ranges::find(names, name) != names.end())
    return invalid("name (" + std::string(name) + ") is taken already");
  names.emplace_back(name);
  return {};
}

Tensor Graph::add_input(std::string_view name, ElementType element, const Shape& shape,
                        CallSite site) {
  return apply("input", {}, site, [&](Graph&) -> Result<choir::Value*> {
    ACCY_TRY_ASSIGN(const auto dimensions, import_shape(shape));
    ACCY_TRY_ASSIGN(const tensor::TensorType type, make_type(element, dimensions));
    ACCY_TRY(add_name(input_names_, name));
    choir::Value* argument = function_->body().add_argument(type);
    argument->set_name(context().intern(name));
    return argument;
  });
}

void Graph::add_output(std::string_view name, const Tensor& tensor, CallSite site) {
  const Operand operands[] = {tensor};
  apply("output", operands, site, [&](Graph&) -> Result<choir::Value*> {
    ACCY_TRY(add_name(output_names_, name));
    choir::Value* output = value(operands[0]);
    if (output->name().empty()) output->set_name(context().intern(name));
    outputs_.push_back(output);
    return output;
  });
}

void Graph::set_numeric(const NumericSettings& settings, CallSite site) {
  if (finished_) return;
  if (settings.accumulate != ElementType::f32 && settings.accumulate != ElementType::f64) {
    keep(Error{.code = ErrorCode::invalid_input,
               .message = "accumulate type (" + std::string(to_string(settings.accumulate)) +
                          ") is neither f32 nor f64"},
         "numeric", site);
    return;
  }
  semantic::NumericContract contract;
  contract.mode = settings.strict ? semantic::NumericMode::strict : semantic::NumericMode::fast;
  contract.order =
      settings.strict || settings.fixed_order ? semantic::Order::fixed : semantic::Order::free;
  contract.accumulate = settings.accumulate;
  semantic::set_numeric_contract(module_, contract);
}

void Graph::set_attributes() {
  function_->set_attribute("inputs", strings(context(), input_names_));
  function_->set_attribute("outputs", strings(context(), output_names_));
  std::vector<choir::NamedAttribute> ranges;
  for (const auto& [name, range] : ranges_)
    ranges.push_back({context().intern(name), range_attribute(context(), range)});
  if (!ranges.empty())
    module_.operation().set_attribute("dimensions", context().dictionary(std::move(ranges)));
}

Result<Program> Graph::finish(CallSite site) {
  const SourceLocation where{site.file, site.line, 0};
  if (error_) return fail(*error_);
  if (finished_)
    return fail(ErrorCode::invalid_input, "graph is finished already", where, "finish");
  if (outputs_.empty())
    return fail(ErrorCode::invalid_input, "graph has no outputs", where, "finish");
  finished_ = true;
  builder_.set_location(context().location(site.file, site.line, 0));
  builder_.create("tensor.return", outputs_, {});
  set_attributes();
  ACCY_TRY_ASSIGN(auto sealed, semantic::seal_semantic_module(module_.clone()));
  return Program(std::make_unique<Program::State>(Program::State{std::move(sealed)}));
}

}  // namespace frontend

GraphBuilder::GraphBuilder(CallSite site) : graph_(std::make_unique<frontend::Graph>(site)) {}
GraphBuilder::~GraphBuilder() = default;
GraphBuilder::GraphBuilder(GraphBuilder&&) noexcept = default;
GraphBuilder& GraphBuilder::operator=(GraphBuilder&&) noexcept = default;

Tensor GraphBuilder::input(std::string_view name, ElementType element, const Shape& shape,
                           CallSite site) {
  return graph_->add_input(name, element, shape, site);
}

void GraphBuilder::output(std::string_view name, const Tensor& tensor, CallSite site) {
  graph_->add_output(name, tensor, site);
}

Tensor GraphBuilder::constant(const HostTensor& value, CallSite site) {
  return graph_->apply("tensor.constant", {}, site,
                       [&](frontend::Graph& graph) { return graph.constant(value); });
}

Tensor GraphBuilder::constant(ElementType element, const Operand& number, const Shape& shape) {
  return graph_->apply("tensor.constant", std::span(&number, 1), number.site(),
                       [&](frontend::Graph& graph) -> Result<choir::Value*> {
                         if (number.tensor() != nullptr)
                           return fail(ErrorCode::invalid_input,
                                       "value of a constant is a tensor, not a number");
                         ACCY_TRY_ASSIGN(const auto dimensions, graph.import_shape(shape));
                         return graph.materialize(number, element, dimensions);
                       });
}

Tensor GraphBuilder::constant_bytes(ElementType element, bool fits,
                                    std::span<const std::byte> bytes, const Shape& shape,
                                    CallSite site) {
  return graph_->apply(
      "tensor.constant", {}, site, [&](frontend::Graph& graph) -> Result<choir::Value*> {
        if (!fits)
          return fail(ErrorCode::invalid_input, "values are not in the C++ type that stores " +
                                                    std::string(to_string(element)));
        std::vector<std::int64_t> sizes;
        for (const Dimension& dimension : shape) {
          if (dimension.is_named())
            return fail(ErrorCode::invalid_input,
                        "shape of the values has a named dimension (" + dimension.name() + ")");
          sizes.push_back(dimension.size());
        }
        ACCY_TRY_ASSIGN(const HostTensor value,
                        HostTensor::from_bytes(element, sizes, {bytes.begin(), bytes.end()}));
        return graph.constant(value);
      });
}

Tensor GraphBuilder::iota(ElementType element, const Shape& shape, std::int64_t axis,
                          CallSite site) {
  return graph_->apply(
      "tensor.iota", {}, site, [&](frontend::Graph& graph) -> Result<choir::Value*> {
        ACCY_TRY_ASSIGN(const auto dimensions, graph.import_shape(shape));
        ACCY_TRY_ASSIGN(const auto type, graph.make_type(element, dimensions));
        ACCY_TRY_ASSIGN(const std::size_t index, frontend::normalize_axis(axis, type.rank()));
        return graph.create("tensor.iota", {}, type,
                            {frontend::entry(graph, "axis", static_cast<std::int64_t>(index))});
      });
}

Tensor GraphBuilder::weight(std::string_view file, std::string_view tensor, ElementType element,
                            const Shape& shape, CallSite site) {
  return graph_->apply(
      "tensor.weight", {}, site, [&](frontend::Graph& graph) -> Result<choir::Value*> {
        choir::Context& context = graph.context();
        ACCY_TRY_ASSIGN(const auto dimensions, graph.import_shape(shape));
        ACCY_TRY_ASSIGN(const auto type, graph.make_type(element, dimensions));
        return graph.create("tensor.weight", {}, type,
                            {{"file", context.string(file)}, {"tensor", context.string(tensor)}});
      });
}

void GraphBuilder::numeric(const NumericSettings& settings, CallSite site) {
  graph_->set_numeric(settings, site);
}

const Error* GraphBuilder::error() const { return graph_->error() ? &*graph_->error() : nullptr; }

Result<Program> GraphBuilder::finish(CallSite site) { return graph_->finish(site); }

}  // namespace accy
