#include "contract/passes/shape_layout.hpp"

#include <algorithm>

#include "dialect/tensor/type.hpp"

namespace accy::contract {

using choir::Operation;
using choir::Value;
using tensor::TensorType;

std::vector<std::int64_t> row_major_strides(std::span<const std::int64_t> shape) {
  std::vector<std::int64_t> strides(shape.size(), 1);
  // An empty tensor has no element to address, and its other dimensions may be huge.
  if (std::find(shape.begin(), shape.end(), 0) != shape.end())
    return std::vector<std::int64_t>(shape.size(), 0);
  for (std::size_t axis = shape.size(); axis-- > 1;)
    strides[axis - 1] = strides[axis] * shape[axis];
  return strides;
}

namespace {

Layout own_layout(const Value& value, std::span<const std::int64_t> shape) {
  return {&value, row_major_strides(shape), true};
}

Layout broadcast_layout(const Operation& operation, const Layout& source) {
  const auto from = TensorType::from(operation.operand(0)->type())->static_shape();
  const auto to = TensorType::from(operation.result()->type())->static_shape();
  Layout layout{source.base, std::vector<std::int64_t>(to.size(), 0), source.contiguous};
  const auto axes = operation.attribute("axes").array();
  for (std::size_t axis = 0; axis < from.size(); ++axis) {
    const auto target = static_cast<std::size_t>(axes[axis].integer());
    layout.strides[target] = from[axis] == 1 ? 0 : source.strides[axis];
  }
  std::int64_t from_count = 1;
  std::int64_t to_count = 1;
  for (std::int64_t size : from) from_count *= size;
  for (std::int64_t size : to) to_count *= size;
  layout.contiguous = layout.contiguous && from_count == to_count;
  return layout;
}

Layout transpose_layout(const Operation& operation, const Layout& source) {
  Layout layout{source.base, {}, source.contiguous};
  const auto shape = TensorType::from(operation.operand(0)->type())->static_shape();
  std::int64_t last = -1;
  for (choir::Attribute entry : operation.attribute("permutation").array()) {
    const std::int64_t axis = entry.integer();
    layout.strides.push_back(source.strides[static_cast<std::size_t>(axis)]);
    // Moving axes of size one moves no element.
    if (shape[static_cast<std::size_t>(axis)] == 1) continue;
    layout.contiguous = layout.contiguous && axis > last;
    last = axis;
  }
  return layout;
}

Layout layout_of(const Operation& operation, const LayoutMap& map) {
  const Value& result = *operation.result();
  const auto shape = TensorType::from(result.type())->static_shape();
  const auto source = operation.operand_count() == 0 ? map.end() : map.find(operation.operand(0));
  if (source == map.end()) return own_layout(result, shape);
  if (operation.name() == "tensor.broadcast") return broadcast_layout(operation, source->second);
  if (operation.name() == "tensor.transpose") return transpose_layout(operation, source->second);
  if (operation.name() == "tensor.reshape" && source->second.contiguous)
    return {source->second.base, row_major_strides(shape), true};
  return own_layout(result, shape);
}

std::any compute(const choir::Module& module) {
  LayoutMap map;
  auto visit = [&](const Operation& operation) {
    for (std::size_t region = 0; region < operation.region_count(); ++region)
      for (std::size_t index = 0; index < operation.body(region).argument_count(); ++index) {
        const Value& argument = *operation.body(region).argument(index);
        if (const auto type = TensorType::from(argument.type()); type && type->is_static())
          map.emplace(&argument, own_layout(argument, type->static_shape()));
      }
    if (operation.result_count() != 1) return;
    if (const auto type = TensorType::from(operation.result()->type()); type && type->is_static())
      map.emplace(operation.result(), layout_of(operation, map));
  };
  const Operation& top = module.operation();
  top.walk(visit);
  return map;
}

}  // namespace

const choir::AnalysisDescriptor& shape_layout_analysis() {
  static const choir::AnalysisDescriptor descriptor{"shape-layout", compute};
  return descriptor;
}

choir::Pass shape_layout_pass() {
  return {.name = "accy-choir-shape-layout-propagate",
          .description = "Compute where each value's elements come from",
          .options = {},
          .run = [](choir::PassContext& context) -> Result<choir::PassChange> {
            context.analyses.get<LayoutMap>(shape_layout_analysis(), context.module);
            return choir::PassChange::unchanged;
          },
          .preserved = {}};
}

}  // namespace accy::contract
