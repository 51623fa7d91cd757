#include "frontend/graph.hpp"

#include <algorithm>
#include <limits>

#include "choir/diagnostics.hpp"
#include "dialect/dialects.hpp"
#include "dialect/tensor/constant.hpp"
#include "support/checked.hpp"

namespace accy::frontend {

using choir::Value;
using tensor::TensorType;
using Dimensions = std::vector<tensor::Dimension>;

namespace {

Failure invalid(std::string message) {
  return fail(ErrorCode::invalid_input, std::move(message));
}

Status add_axis(tensor::Dimension& joined, tensor::Dimension other, std::size_t axis_from_last) {
  constexpr tensor::Dimension one{1, {}};
  if (joined == other || other == one) return {};
  if (joined == one) {
    joined = other;
    return {};
  }
  return invalid("shapes do not broadcast: sizes (" + joined.to_string() + ") and (" +
                 other.to_string() + ") of axis -" + std::to_string(axis_from_last + 1) +
                 " differ and neither is 1");
}

}  // namespace

Result<Dimensions> broadcast_shapes(std::span<const Dimensions> shapes) {
  Dimensions joined;
  for (const Dimensions& shape : shapes) {
    if (shape.size() > joined.size())
      joined.insert(joined.begin(), shape.size() - joined.size(), tensor::Dimension{1, {}});
    for (std::size_t last = 0; last < shape.size(); ++last)
      ACCY_TRY(add_axis(joined[joined.size() - 1 - last], shape[shape.size() - 1 - last], last));
  }
  return joined;
}

Graph::Graph(CallSite site)
    : module_(registry(), "semantic"),
      function_(choir::Builder(module_.body())
                    .create("tensor.func", {}, {}, {{"symbol", context().symbol("main")}})),
      builder_(function_->body()) {
  function_->set_location(context().location(site.file, site.line, 0));
}

Graph* Graph::of(std::span<const Operand> operands) {
  for (const Operand& operand : operands)
    if (operand.tensor() != nullptr && operand.tensor()->graph_ != nullptr)
      return operand.tensor()->graph_;
  return nullptr;
}

Tensor Graph::build(std::string_view op, std::span<const Operand> operands, CallSite site,
                    const Body& body) {
  Graph* graph = of(operands);
  return graph == nullptr ? Tensor() : graph->apply(op, operands, site, body);
}

Tensor Graph::apply(std::string_view op, std::span<const Operand> operands, CallSite site,
                    const Body& body) {
  const Tensor failed(this, 0);
  if (finished_) return failed;
  for (const Operand& operand : operands) {
    if (Status usable = check_usable(operand); !usable) {
      keep(std::move(usable.error()), op, site);
      return failed;
    }
    if (operand.tensor() != nullptr && operand.tensor()->failed()) return failed;
  }
  builder_.set_location(context().location(site.file, site.line, 0));
  Result<Value*> made = body(*this);
  if (made) return wrap(*made);
  keep(std::move(made.error()), op, site);
  return failed;
}

Status Graph::check_usable(const Operand& operand) const {
  if (operand.tensor() == nullptr || operand.tensor()->graph_ == this) return {};
  if (operand.tensor()->graph_ == nullptr) return invalid("operand is a tensor of no graph");
  return invalid("operand is a tensor of another graph");
}

void Graph::keep(Error error, std::string_view op, CallSite site) {
  if (error_) return;
  error.where = {site.file, site.line, 0};
  error.op = op;
  error_ = std::move(error);
}

Tensor Graph::wrap(Value* value) {
  values_.push_back(value);
  return Tensor(this, values_.size());
}

Value* Graph::value(const Operand& operand) const {
  ACCY_ASSERT(operand.tensor() != nullptr && !operand.tensor()->failed(), "operand has no value");
  return values_[operand.tensor()->value_ - 1];
}

TensorType Graph::type(const Operand& operand) const {
  return *TensorType::from(value(operand)->type());
}

Result<TensorType> Graph::make_type(ElementType element,
                                    std::span<const tensor::Dimension> shape) const {
  if (shape.size() > limits::rank)
    return invalid("rank (" + std::to_string(shape.size()) + ") exceeds the limit (" +
                   std::to_string(limits::rank) + ")");
  std::vector<std::int64_t> sizes;
  for (const tensor::Dimension& dimension : shape)
    if (!dimension.is_symbol()) sizes.push_back(dimension.size);
  ACCY_TRY(element_count(sizes));
  return TensorType::get(context(), element, shape);
}

Result<Dimensions> Graph::import_shape(const Shape& shape) {
  Dimensions dimensions;
  for (const Dimension& dimension : shape) {
    if (dimension.is_named()) ACCY_TRY(add_range(dimension.name(), dimension.range()));
    dimensions.push_back({dimension.size(), context().intern(dimension.name())});
  }
  return dimensions;
}

Result<Value*> Graph::create(std::string_view name, std::span<Value* const> operands,
                             std::vector<choir::NamedAttribute> attributes) {
  ACCY_TRY_ASSIGN(choir::Operation * made,
                  builder_.create_inferred(name, operands, std::move(attributes)));
  return made->result();
}

Result<Value*> Graph::create(std::string_view name, std::span<Value* const> operands,
                             TensorType result, std::vector<choir::NamedAttribute> attributes) {
  const choir::Type types[] = {result.type()};
  choir::Operation* made = builder_.create(name, operands, types, std::move(attributes));
  choir::Diagnostics diagnostics;
  made->definition().verify(*made, diagnostics);
  if (!diagnostics.empty()) return fail(diagnostics.to_error());
  return made->result();
}

Result<Value*> Graph::splat(TensorType type, const Operand::Number& number) {
  const ElementType element = type.element();
  choir::Attribute attribute;
  if (const bool* truth = std::get_if<bool>(&number)) {
    attribute = context().boolean(*truth);
  } else if (is_float(element)) {
    const double real = std::visit([](auto value) { return static_cast<double>(value); }, number);
    attribute = context().floating(real);
  } else if (const double* real = std::get_if<double>(&number)) {
    attribute = context().floating(*real);  // refused by the constant's own check
  } else if (const std::int64_t* integer = std::get_if<std::int64_t>(&number)) {
    attribute = context().integer(*integer);
  } else {
    const std::uint64_t natural = std::get<std::uint64_t>(number);
    if (natural > std::numeric_limits<std::int64_t>::max())
      return invalid("number (" + std::to_string(natural) + ") exceeds the limit (" +
                     std::to_string(std::numeric_limits<std::int64_t>::max()) + ")");
    attribute = context().integer(static_cast<std::int64_t>(natural));
  }
  return create("tensor.constant", {}, type, {{"value", attribute}});
}

Result<Value*> Graph::constant(const HostTensor& tensor) {
  const Result<std::int64_t> bytes = byte_count(tensor.shape, size_bytes(tensor.element));
  if (!bytes) return fail(bytes.error());
  if (static_cast<std::uint64_t>(*bytes) != tensor.bytes.size())
    return invalid("constant has " + std::to_string(tensor.bytes.size()) +
                   " bytes, but its shape takes " + std::to_string(*bytes));
  Dimensions shape;
  for (std::int64_t size : tensor.shape) shape.push_back({size, {}});
  ACCY_TRY(make_type(tensor.element, shape));
  return tensor::create_constant(builder_, tensor)->result();
}

Result<Value*> Graph::broadcast(Value* value, std::span<const tensor::Dimension> shape) {
  const TensorType from = *TensorType::from(value->type());
  if (std::ranges::equal(from.shape(), shape)) return value;
  if (from.rank() > shape.size())
    return invalid("tensor of shape " + tensor::shape_to_string(from.shape()) +
                   " does not broadcast to fewer axes, " + tensor::shape_to_string(shape));
  ACCY_TRY_ASSIGN(const TensorType to, make_type(from.element(), shape));
  std::vector<std::int64_t> axes;
  for (std::size_t axis = shape.size() - from.rank(); axis < shape.size(); ++axis)
    axes.push_back(static_cast<std::int64_t>(axis));
  Value* const operands[] = {value};
  return create("tensor.broadcast", operands, to, {{"axes", context().integers(axes)}});
}

Result<Value*> Graph::reshape(Value* value, std::span<const tensor::Dimension> shape) {
  const TensorType from = *TensorType::from(value->type());
  if (std::ranges::equal(from.shape(), shape)) return value;
  ACCY_TRY_ASSIGN(const TensorType to, make_type(from.element(), shape));
  Value* const operands[] = {value};
  return create("tensor.reshape", operands, to);
}

Result<Value*> Graph::materialize(const Operand& operand, ElementType element,
                                  std::span<const tensor::Dimension> shape) {
  if (operand.tensor() != nullptr) return broadcast(value(operand), shape);
  ACCY_TRY_ASSIGN(const TensorType wanted, make_type(element, shape));
  return splat(wanted, operand.number());
}

ElementType Graph::element_of(const Tensor& tensor) {
  return tensor.failed() ? ElementType::f32 : tensor.graph_->type(Operand(tensor)).element();
}

Shape Graph::shape_of(const Tensor& tensor) {
  Shape shape;
  if (tensor.failed()) return shape;
  for (const tensor::Dimension& axis : tensor.graph_->type(Operand(tensor)).shape()) {
    if (axis.is_symbol()) shape.push_back(dimension(std::string(axis.symbol)));
    else shape.push_back(axis.size);
  }
  return shape;
}

}  // namespace accy::frontend

namespace accy {

ElementType Tensor::element() const { return frontend::Graph::element_of(*this); }
Shape Tensor::shape() const { return frontend::Graph::shape_of(*this); }

}  // namespace accy
