// The functions of accy/movement.hpp.
#include <algorithm>
#include <array>

#include "frontend/graph_functions.hpp"
#include "support/checked.hpp"

namespace accy {

using namespace frontend;
using choir::Value;
using tensor::TensorType;

namespace {

/// The -1 of a new shape replaced by the sizes and the one name that are left of the old shape.
Result<Dimensions> infer_size(const Dimensions& from, Dimensions to) {
  const auto is_open = [](const tensor::Dimension& axis) { return axis.size == -1; };
  const auto open = std::ranges::find_if(to, is_open);
  if (open == to.end()) return to;
  if (std::ranges::count_if(to, is_open) > 1) return invalid("shape has more than one size of -1");
  Dimensions left = from;
  std::int64_t divisor = 1;
  for (const tensor::Dimension& axis : to) {
    if (is_open(axis)) continue;
    if (!axis.is_symbol()) {
      if (__builtin_mul_overflow(divisor, axis.size, &divisor)) divisor = 0;
    } else if (const auto found = std::ranges::find(left, axis); found != left.end()) {
      left.erase(found);
    }
  }
  Dimensions symbols;
  std::vector<std::int64_t> sizes;
  for (const tensor::Dimension& axis : left) {
    if (axis.is_symbol())
      symbols.push_back(axis);
    else
      sizes.push_back(axis.size);
  }
  ACCY_TRY_ASSIGN(const std::int64_t count, element_count(sizes));
  const bool exact = divisor > 0 && count % divisor == 0;
  if (exact && symbols.empty())
    *open = {count / divisor, {}};
  else if (exact && symbols.size() == 1 && count == divisor)
    *open = symbols.front();
  else
    return invalid("no single size can stand for the -1: elements of shape " +
                   tensor::shape_to_string(from) + " are left");
  return to;
}

/// A range of an axis of that size: where it starts, how many elements it takes, and the step.
struct Steps {
  std::int64_t start = 0;
  std::int64_t count = 0;
  std::int64_t step = 1;
};

/// Python's rule for slices.
Steps place(const Range& range, std::int64_t size) {
  const bool forward = range.step > 0;
  const std::int64_t lowest = forward ? 0 : -1;
  const std::int64_t highest = forward ? size : size - 1;
  const auto bound = [&](std::optional<std::int64_t> given, std::int64_t missing) {
    if (!given) return missing;
    return std::clamp(*given < 0 ? *given + size : *given, lowest, highest);
  };
  const std::int64_t start = bound(range.start, forward ? lowest : highest);
  const std::int64_t stop = bound(range.stop, forward ? highest : lowest);
  const std::int64_t distance = forward ? stop - start : start - stop;
  if (distance <= 0) return {};
  // The step's magnitude, which exists for the lowest number too.
  const auto step = forward ? static_cast<std::uint64_t>(range.step)
                            : std::uint64_t{0} - static_cast<std::uint64_t>(range.step);
  const auto count = static_cast<std::int64_t>((static_cast<std::uint64_t>(distance) - 1) / step);
  if (count == 0) return {start, 1, forward ? 1 : -1};
  return {start, count + 1, range.step};
}

/// The attributes of slices and the axes to reverse afterwards.
struct SliceLists {
  std::vector<std::int64_t> axes, starts, limits, strides, reversed;
};

Status add_range(SliceLists& lists, const Range& range, const tensor::Dimension& dimension,
                 std::int64_t axis) {
  if (range.step == 0) return invalid("step of axis " + std::to_string(axis) + " is zero");
  const bool whole = !range.start && !range.stop && (range.step == 1 || range.step == -1);
  if (whole && range.step == -1) lists.reversed.push_back(axis);
  if (whole) return {};
  if (dimension.is_symbol())
    return invalid("axis " + std::to_string(axis) + " of the named size (" + dimension.to_string() +
                   ") can only be taken whole");
  const Steps steps = place(range, dimension.size);
  const std::int64_t stride = std::abs(steps.step);
  const std::int64_t last = steps.count == 0 ? 0 : steps.start + (steps.count - 1) * steps.step;
  const std::int64_t first = std::min(steps.start, last);
  lists.axes.push_back(axis);
  lists.starts.push_back(first);
  lists.limits.push_back(steps.count == 0 ? first : std::max(steps.start, last) + 1);
  lists.strides.push_back(stride);
  if (steps.step < 0) lists.reversed.push_back(axis);
  return {};
}

Result<Value*> reverse(Graph& graph, Value* value, std::span<const std::int64_t> axes) {
  if (axes.empty()) return value;
  return graph.create("tensor.reverse", std::array{value}, {entry(graph, "axes", axes)});
}

Result<Value*> take_ranges(Graph& graph, Value* value, const SliceLists& lists) {
  if (!lists.axes.empty()) {
    ACCY_TRY_ASSIGN(
        value, graph.create("tensor.slice", std::array{value},
                            {entry(graph, "axes", lists.axes), entry(graph, "limits", lists.limits),
                             entry(graph, "starts", lists.starts),
                             entry(graph, "strides", lists.strides)}));
  }
  return reverse(graph, value, lists.reversed);
}

std::vector<Operand> as_operands(const std::vector<Tensor>& tensors, CallSite site) {
  std::vector<Operand> operands;
  for (const Tensor& tensor : tensors) operands.emplace_back(tensor, site);
  return operands;
}

Result<Value*> concat_values(Graph& graph, std::span<Value* const> values, std::size_t axis) {
  return graph.create("tensor.concat", values,
                      {entry(graph, "axis", static_cast<std::int64_t>(axis))});
}

/// An op of a tensor and indices with the attribute `axis`.
Tensor take_by(std::string_view op, const Tensor& x, const Tensor& indices, std::int64_t axis,
               CallSite site) {
  const Operand operands[] = {{x, site}, {indices, site}};
  return Graph::build(op, operands, site, [&](Graph& graph) -> Result<Value*> {
    ACCY_TRY_ASSIGN(const std::size_t index, normalize_axis(axis, graph.type(operands[0]).rank()));
    return graph.create(op, std::array{graph.value(operands[0]), graph.value(operands[1])},
                        {entry(graph, "axis", static_cast<std::int64_t>(index))});
  });
}

}  // namespace

Tensor broadcast_to(const Tensor& x, const Shape& shape, CallSite site) {
  const auto body = [&](Graph& graph, Value* value, TensorType) -> Result<Value*> {
    ACCY_TRY_ASSIGN(const Dimensions wanted, graph.import_shape(shape));
    return graph.broadcast(value, wanted);
  };
  return shaped("tensor.broadcast", x, site, body);
}

Tensor reshape(const Tensor& x, const Shape& shape, CallSite site) {
  const auto body = [&](Graph& graph, Value* value, TensorType type) -> Result<Value*> {
    ACCY_TRY_ASSIGN(Dimensions wanted, graph.import_shape(shape));
    ACCY_TRY_ASSIGN(wanted, infer_size(type.shape(), std::move(wanted)));
    return graph.reshape(value, wanted);
  };
  return shaped("tensor.reshape", x, site, body);
}

Tensor transpose(const Tensor& x, const Axes& permutation, CallSite site) {
  const auto body = [&](Graph& graph, Value* value, TensorType type) -> Result<Value*> {
    std::vector<std::int64_t> axes = all_axes(type.rank());
    std::ranges::reverse(axes);
    ACCY_TRY_ASSIGN(axes, normalize_axes(permutation.list().value_or(axes), type.rank()));
    return graph.create("tensor.transpose", std::array{value},
                        {{"permutation", graph.context().integers(axes)}});
  };
  return shaped("tensor.transpose", x, site, body);
}

Tensor expand_dims(const Tensor& x, const Axes& axes, CallSite site) {
  const auto body = [&](Graph& graph, Value* value, TensorType type) -> Result<Value*> {
    const std::vector<std::int64_t> places = axes.list().value_or(std::vector<std::int64_t>{});
    ACCY_TRY_ASSIGN(auto added, normalize_axes(places, type.rank() + places.size()));
    std::ranges::sort(added);
    Dimensions shape = type.shape();
    for (std::int64_t axis : added) shape.insert(shape.begin() + axis, tensor::Dimension{1, {}});
    return graph.reshape(value, shape);
  };
  return shaped("tensor.reshape", x, site, body);
}

Tensor squeeze(const Tensor& x, const Axes& axes, CallSite site) {
  constexpr tensor::Dimension one{1, {}};
  const auto body = [&](Graph& graph, Value* value, TensorType type) -> Result<Value*> {
    ACCY_TRY_ASSIGN(const auto dropped,
                    normalize_axes(axes.list().value_or(std::vector<std::int64_t>{}), type.rank()));
    Dimensions shape;
    for (std::size_t axis = 0; axis < type.rank(); ++axis) {
      const tensor::Dimension size = type.dimension(axis);
      const bool named =
          std::ranges::find(dropped, static_cast<std::int64_t>(axis)) != dropped.end();
      if (named && size != one)
        return invalid("axis " + std::to_string(axis) + " of size (" + size.to_string() +
                       ") is not of size 1");
      if (!named && (axes.list() || size != one)) shape.push_back(size);
    }
    return graph.reshape(value, shape);
  };
  return shaped("tensor.reshape", x, site, body);
}

Tensor slice(const Tensor& x, const std::vector<Range>& ranges, CallSite site) {
  const auto body = [&](Graph& graph, Value* value, TensorType type) -> Result<Value*> {
    if (ranges.size() > type.rank())
      return invalid(std::to_string(ranges.size()) + " ranges are given for the " +
                     std::to_string(type.rank()) + " axes of the tensor");
    SliceLists lists;
    for (std::size_t axis = 0; axis < ranges.size(); ++axis)
      ACCY_TRY(
          add_range(lists, ranges[axis], type.dimension(axis), static_cast<std::int64_t>(axis)));
    return take_ranges(graph, value, lists);
  };
  return shaped("tensor.slice", x, site, body);
}

Tensor flip(const Tensor& x, const Axes& axes, CallSite site) {
  const auto body = [&](Graph& graph, Value* value, TensorType type) -> Result<Value*> {
    ACCY_TRY_ASSIGN(const auto reversed,
                    normalize_axes(axes.list().value_or(all_axes(type.rank())), type.rank()));
    return reverse(graph, value, reversed);
  };
  return shaped("tensor.reverse", x, site, body);
}

Tensor roll(const Tensor& x, std::int64_t shift, std::int64_t axis, CallSite site) {
  const auto body = [&](Graph& graph, Value* value, TensorType type) -> Result<Value*> {
    ACCY_TRY_ASSIGN(const std::size_t index, normalize_axis(axis, type.rank()));
    return graph.create(
        "tensor.roll", std::array{value},
        {entry(graph, "axis", static_cast<std::int64_t>(index)), entry(graph, "shift", shift)});
  };
  return shaped("tensor.roll", x, site, body);
}

Tensor diagonal(const Tensor& x, std::int64_t first, std::int64_t second, CallSite site) {
  const auto body = [&](Graph& graph, Value* value, TensorType type) -> Result<Value*> {
    ACCY_TRY_ASSIGN(auto axes, normalize_axes({first, second}, type.rank()));
    std::ranges::sort(axes);
    ACCY_TRY_ASSIGN(Value * made, graph.create("tensor.diagonal", std::array{value},
                                               {entry(graph, "axes", axes)}));
    std::vector<std::int64_t> permutation = all_axes(type.rank() - 1);
    std::rotate(permutation.begin() + axes[0], permutation.begin() + axes[0] + 1,
                permutation.end());
    if (std::ranges::is_sorted(permutation)) return made;
    return graph.create("tensor.transpose", std::array{made},
                        {entry(graph, "permutation", permutation)});
  };
  return shaped("tensor.diagonal", x, site, body);
}

Tensor concat(const std::vector<Tensor>& tensors, std::int64_t axis, CallSite site) {
  const std::vector<Operand> operands = as_operands(tensors, site);
  return Graph::build("tensor.concat", operands, site, [&](Graph& graph) -> Result<Value*> {
    ACCY_TRY_ASSIGN(const std::size_t index, normalize_axis(axis, graph.type(operands[0]).rank()));
    std::vector<Value*> values;
    for (const Operand& operand : operands) values.push_back(graph.value(operand));
    return concat_values(graph, values, index);
  });
}

Tensor stack(const std::vector<Tensor>& tensors, std::int64_t axis, CallSite site) {
  const std::vector<Operand> operands = as_operands(tensors, site);
  return Graph::build("tensor.concat", operands, site, [&](Graph& graph) -> Result<Value*> {
    const TensorType first = graph.type(operands[0]);
    ACCY_TRY_ASSIGN(const std::size_t index, normalize_axis(axis, first.rank() + 1));
    std::vector<Value*> values;
    for (const Operand& operand : operands) {
      Dimensions shape = graph.type(operand).shape();
      const std::size_t place = std::min(index, shape.size());
      shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(place), tensor::Dimension{1, {}});
      ACCY_TRY_ASSIGN(Value * value, graph.reshape(graph.value(operand), shape));
      values.push_back(value);
    }
    return concat_values(graph, values, index);
  });
}

std::vector<Tensor> split(const Tensor& x, const std::vector<std::int64_t>& sizes,
                          std::int64_t axis, CallSite site) {
  std::vector<Tensor> parts;
  std::int64_t start = 0;
  for (std::size_t part = 0; part < sizes.size(); ++part) {
    const auto body = [&](Graph& graph, Value* value, TensorType type) -> Result<Value*> {
      ACCY_TRY_ASSIGN(const std::size_t index, normalize_axis(axis, type.rank()));
      const tensor::Dimension size = type.dimension(index);
      std::int64_t limit = 0;
      const bool last = part + 1 == sizes.size();
      if (size.is_symbol() || sizes[part] < 0 ||
          __builtin_add_overflow(start, sizes[part], &limit) || limit > size.size ||
          (last && limit != size.size))
        return invalid("part " + std::to_string(part) + " of size (" + std::to_string(sizes[part]) +
                       ") from " + std::to_string(start) + " does not fit axis " +
                       std::to_string(index) + " of size (" + size.to_string() +
                       "), which the parts fill");
      SliceLists lists;
      lists.axes = {static_cast<std::int64_t>(index)};
      lists.starts = {start};
      lists.limits = {limit};
      lists.strides = {1};
      start = limit;
      return take_ranges(graph, value, lists);
    };
    parts.push_back(shaped("tensor.slice", x, site, body));
  }
  return parts;
}

Tensor pad(const Tensor& x, const std::vector<std::pair<std::int64_t, std::int64_t>>& widths,
           const Operand& value, CallSite site) {
  const Operand operands[] = {{x, site}, value};
  return Graph::build("tensor.pad", operands, site, [&](Graph& graph) -> Result<Value*> {
    const TensorType type = graph.type(operands[0]);
    if (widths.size() != type.rank())
      return invalid(std::to_string(widths.size()) + " pairs of widths are given for the " +
                     std::to_string(type.rank()) + " axes of the tensor");
    std::vector<std::int64_t> axes, low, high;
    for (std::size_t axis = 0; axis < widths.size(); ++axis) {
      if (widths[axis] == std::pair<std::int64_t, std::int64_t>{}) continue;
      axes.push_back(static_cast<std::int64_t>(axis));
      low.push_back(widths[axis].first);
      high.push_back(widths[axis].second);
    }
    ACCY_TRY_ASSIGN(Value * filling, graph.materialize(value, type.element(), {}));
    return graph.create(
        "tensor.pad", std::array{graph.value(operands[0]), filling},
        {entry(graph, "axes", axes), entry(graph, "high", high), entry(graph, "low", low)});
  });
}

Tensor tile(const Tensor& x, const std::vector<std::int64_t>& counts, CallSite site) {
  const auto body = [&](Graph& graph, Value* value, TensorType) -> Result<Value*> {
    return graph.create("tensor.tile", std::array{value}, {entry(graph, "counts", counts)});
  };
  return shaped("tensor.tile", x, site, body);
}

Tensor take(const Tensor& x, const Tensor& indices, std::int64_t axis, CallSite site) {
  return take_by("tensor.gather", x, indices, axis, site);
}

Tensor take_along(const Tensor& x, const Tensor& indices, std::int64_t axis, CallSite site) {
  return take_by("tensor.gather_elements", x, indices, axis, site);
}

Tensor one_hot(const Tensor& indices, std::int64_t depth, OneHotOptions options, CallSite site) {
  const auto body = [&](Graph& graph, Value* value, TensorType type) -> Result<Value*> {
    ACCY_TRY_ASSIGN(const std::size_t axis, normalize_axis(options.axis, type.rank() + 1));
    const bool boolean = options.element == ElementType::boolean;
    const auto number = [&](bool on) -> Operand::Number {
      if (boolean) return on;
      return std::int64_t{on};
    };
    ACCY_TRY_ASSIGN(const TensorType scalar, graph.make_type(options.element, {}));
    ACCY_TRY_ASSIGN(Value * off, graph.splat(scalar, number(false)));
    ACCY_TRY_ASSIGN(Value * on, graph.splat(scalar, number(true)));
    return graph.create(
        "tensor.one_hot", std::array{value, off, on},
        {entry(graph, "axis", static_cast<std::int64_t>(axis)), entry(graph, "depth", depth)});
  };
  return shaped("tensor.one_hot", indices, site, body);
}

}  // namespace accy
