// Normalizations. Each computes in f32 where the operand is narrower.
#include <algorithm>
#include <numeric>

#include "dialect/tensor/ops/expander.hpp"

namespace accy::tensor {

using choir::AttributeKind;
using choir::Builder;
using choir::Operation;
using choir::Value;

namespace {

using Axes = std::vector<std::size_t>;

constexpr AttributeRule epsilon_rule{
    "epsilon", {}, false, "added to the variance; 1e-5 by default"};
constexpr AttributeRule axis_rule{"axis", AttributeKind::integer, true,
                                  "the first of the axes that are normalized together"};

Result<double> epsilon_of(const Operation& operation) {
  return number_attribute(operation, "epsilon", 1e-5);
}

Axes axes_from(std::size_t first, std::size_t end) {
  Axes axes(end - first);
  std::iota(axes.begin(), axes.end(), first);
  return axes;
}

/// Operands first ... have the element type of operand 0 and this shape.
Status check_parameters(const Operation& operation, std::size_t first, std::size_t maximum,
                        std::span<const Dimension> shape) {
  if (operation.operand_count() > maximum)
    return invalid("operation has " + std::to_string(operation.operand_count()) +
                   " operands, at most " + std::to_string(maximum) + " are expected");
  ACCY_TRY_ASSIGN(const TensorType type, operand_type(operation, 0));
  const TensorType expected = TensorType::get(operation.context(), type.element(), shape);
  for (std::size_t index = first; index < operation.operand_count(); ++index) {
    ACCY_TRY_ASSIGN(const TensorType given, operand_type(operation, index));
    if (given != expected)
      return invalid("operand " + std::to_string(index) + " is " + type_to_string(given) +
                     ", expected " + type_to_string(expected));
  }
  return {};
}

Result<double> count_along(TensorType type, std::span<const std::size_t> axes) {
  double count = 1;
  for (std::size_t axis : axes) {
    ACCY_TRY_ASSIGN(const std::int64_t size, static_size(type, axis));
    count *= static_cast<double>(size);
  }
  return count;
}

/// Operand `index` in the expander's element type, repeated to the shape; null where it is absent.
Value* parameter(Expander& expander, const Operation& operation, std::size_t index,
                 std::span<const Dimension> shape, std::span<const std::size_t> axes) {
  if (index >= operation.operand_count()) return nullptr;
  Value* value = expander.cast(operation.operand(index), expander.type().element());
  return expander.broadcast(value, shape, axes);
}

/// x * scale + bias, what there is of them.
Value* scale_and_shift(Expander& expander, Value* x, Value* scale, Value* bias) {
  if (scale != nullptr) x = expander.multiply(x, scale);
  return bias == nullptr ? x : expander.add(x, bias);
}

Value* divide_by_root(Expander& expander, Value* x, Value* variance, double epsilon,
                      std::span<const std::size_t> axes) {
  const TensorType narrow = Expander::type_of(variance);
  Value* shifted = expander.add(variance, expander.constant(epsilon, narrow));
  Value* root = expander.unary("tensor.sqrt", shifted);
  Value* scale = expander.divide(expander.constant(1, narrow), root);
  return expander.multiply(x, expander.spread(scale, Expander::type_of(x), axes));
}

/// (x - mean) / sqrt(variance + epsilon) over axes of `count` elements.
Value* standardize(Expander& expander, Value* x, std::span<const std::size_t> axes, double count,
                   double epsilon) {
  Value* mean = expander.mean(x, axes, count);
  Value* centred = expander.subtract(x, expander.spread(mean, Expander::type_of(x), axes));
  Value* variance = expander.mean(expander.square(centred), axes, count);
  return divide_by_root(expander, centred, variance, epsilon, axes);
}

/// Normalization over the axes from `axis` on, with parameters of their shape.
template <class Op>
struct TrailingNormalization : Operator {
  static constexpr int operand_count = -1;
  static constexpr std::array attributes{axis_rule, epsilon_rule};
  static Result<std::vector<choir::Type>> infer(const Operation& operation) {
    ACCY_TRY_ASSIGN(const TensorType type, operand_type(operation, 0));
    ACCY_TRY(check_float(type));
    ACCY_TRY_ASSIGN(const std::size_t axis, axis_attribute(operation, "axis", type.rank()));
    ACCY_TRY(epsilon_of(operation));
    const std::vector<Dimension> shape = type.shape();
    ACCY_TRY(check_parameters(operation, 1, Op::operands_maximum, std::span(shape).subspan(axis)));
    return std::vector<choir::Type>{type};
  }
  static Result<Value*> expand(const Operation& operation, Builder& builder) {
    ACCY_TRY_ASSIGN(const TensorType type, operand_type(operation, 0));
    ACCY_TRY_ASSIGN(const std::size_t axis, axis_attribute(operation, "axis", type.rank()));
    ACCY_TRY_ASSIGN(const double epsilon, epsilon_of(operation));
    const Axes axes = axes_from(axis, type.rank());
    ACCY_TRY_ASSIGN(const double count, count_along(type, axes));
    return expand_in_f32(operation, builder, [&](Expander& expander, Value* x) {
      Value* normalized = Op::normalize(expander, x, axes, count, epsilon);
      const std::vector<Dimension> shape = type.shape();
      return scale_and_shift(expander, normalized, parameter(expander, operation, 1, shape, axes),
                             parameter(expander, operation, 2, shape, axes));
    });
  }
};

}  // namespace

struct LayerNorm : TrailingNormalization<LayerNorm> {
  static constexpr std::string_view name = "tensor.layer_norm";
  static constexpr std::string_view summary =
      "(x - mean) / sqrt(variance + epsilon) over the last axes, times the second operand, plus "
      "the third, where given";
  static constexpr std::size_t operands_maximum = 3;
  static Value* normalize(Expander& expander, Value* x, const Axes& axes, double count,
                          double epsilon) {
    return standardize(expander, x, axes, count, epsilon);
  }
};

struct RmsNorm : TrailingNormalization<RmsNorm> {
  static constexpr std::string_view name = "tensor.rms_norm";
  static constexpr std::string_view summary =
      "x / sqrt(mean of squares + epsilon) over the last axes, times the second operand, where "
      "given";
  static constexpr std::size_t operands_maximum = 2;
  static Value* normalize(Expander& expander, Value* x, const Axes& axes, double count,
                          double epsilon) {
    return divide_by_root(expander, x, expander.mean(expander.square(x), axes, count), epsilon,
                          axes);
  }
};

struct BatchNorm : Operator {
  static constexpr std::string_view name = "tensor.batch_norm";
  static constexpr std::string_view summary =
      "(x - mean) / sqrt(variance + epsilon) * scale + bias with operands x, scale, bias, mean, "
      "variance, one number a channel (axis 1): the form of inference";
  static constexpr int operand_count = 5;
  static constexpr std::array attributes{epsilon_rule};
  static Result<std::vector<choir::Type>> infer(const Operation& operation) {
    ACCY_TRY_ASSIGN(const TensorType type, operand_type(operation, 0));
    ACCY_TRY(check_float(type));
    if (type.rank() < 2)
      return invalid("operand of rank " + std::to_string(type.rank()) + " has no axis of channels");
    ACCY_TRY(epsilon_of(operation));
    const Dimension channels[] = {type.dimension(1)};
    ACCY_TRY(check_parameters(operation, 1, 5, channels));
    return std::vector<choir::Type>{type};
  }
  /// Scale and shift are one number a channel: the division happens before anything is repeated.
  static Result<Value*> expand(const Operation& operation, Builder& builder) {
    ACCY_TRY_ASSIGN(const TensorType type, operand_type(operation, 0));
    ACCY_TRY_ASSIGN(const double epsilon, epsilon_of(operation));
    return expand_in_f32<5>(
        operation, builder,
        [&](Expander& expander, Value* x, Value* scale, Value* bias, Value* mean, Value* variance) {
          const TensorType channel = Expander::type_of(scale);
          Value* shifted = expander.add(variance, expander.constant(epsilon, channel));
          Value* factor = expander.divide(scale, expander.unary("tensor.sqrt", shifted));
          const std::vector<Dimension> shape = type.shape();
          const std::size_t axes[] = {1};
          Value* centred = expander.subtract(x, expander.broadcast(mean, shape, axes));
          return scale_and_shift(expander, centred, expander.broadcast(factor, shape, axes),
                                 expander.broadcast(bias, shape, axes));
        });
  }
};

namespace {

/// Normalization of `groups` groups of channels (axis 1) of each sample (axis 0), with a scale and
/// a bias a channel.
Result<Value*> expand_groups(const Operation& operation, Builder& builder, std::int64_t groups) {
  ACCY_TRY_ASSIGN(const TensorType type, operand_type(operation, 0));
  ACCY_TRY_ASSIGN(const double epsilon, epsilon_of(operation));
  ACCY_TRY_ASSIGN(const std::int64_t channels, static_size(type, 1));
  const std::vector<Dimension> shape = type.shape();
  std::vector<Dimension> grouped = shape;
  grouped[1] = {groups, {}};
  grouped.insert(grouped.begin() + 2, Dimension{groups == 0 ? 0 : channels / groups, {}});
  const Axes axes = axes_from(2, grouped.size());
  ACCY_TRY_ASSIGN(const double count,
                  count_along(TensorType::get(operation.context(), type.element(), grouped), axes));
  return expand_in_f32(operation, builder, [&](Expander& expander, Value* x) {
    Value* normalized = standardize(expander, expander.reshape(x, grouped), axes, count, epsilon);
    const std::size_t channel[] = {1};
    return scale_and_shift(expander, expander.reshape(normalized, shape),
                           parameter(expander, operation, 1, shape, channel),
                           parameter(expander, operation, 2, shape, channel));
  });
}

Result<std::vector<choir::Type>> infer_groups(const Operation& operation) {
  ACCY_TRY_ASSIGN(const TensorType type, operand_type(operation, 0));
  ACCY_TRY(check_float(type));
  if (type.rank() < 2)
    return invalid("operand of rank " + std::to_string(type.rank()) + " has no axis of channels");
  ACCY_TRY(epsilon_of(operation));
  const Dimension channels[] = {type.dimension(1)};
  ACCY_TRY(check_parameters(operation, 1, 3, channels));
  return std::vector<choir::Type>{type};
}

}  // namespace

struct GroupNorm : Operator {
  static constexpr std::string_view name = "tensor.group_norm";
  static constexpr std::string_view summary =
      "(x - mean) / sqrt(variance + epsilon) over each sample's groups of channels (axis 1), times "
      "the second operand, plus the third, one number a channel, where given";
  static constexpr int operand_count = -1;
  static constexpr std::array attributes{
      AttributeRule{"groups", AttributeKind::integer, true, "a divisor of the channels"},
      epsilon_rule};
  static Result<std::vector<choir::Type>> infer(const Operation& operation) {
    ACCY_TRY_ASSIGN(const auto types, infer_groups(operation));
    ACCY_TRY_ASSIGN(const choir::Attribute groups,
                    required_attribute(operation, "groups", AttributeKind::integer));
    const Dimension channels = TensorType::from(types[0])->dimension(1);
    if (groups.integer() < 1 || (!channels.is_symbol() && channels.size % groups.integer() != 0))
      return invalid("attribute groups (" + std::to_string(groups.integer()) +
                     ") does not divide the channels (" + channels.to_string() + ")");
    return types;
  }
  static Result<Value*> expand(const Operation& operation, Builder& builder) {
    return expand_groups(operation, builder, operation.attribute("groups").integer());
  }
};

struct InstanceNorm : Operator {
  static constexpr std::string_view name = "tensor.instance_norm";
  static constexpr std::string_view summary =
      "(x - mean) / sqrt(variance + epsilon) over each sample's channels (axis 1), times the "
      "second "
      "operand, plus the third, one number a channel, where given";
  static constexpr int operand_count = -1;
  static constexpr std::array attributes{epsilon_rule};
  static Result<std::vector<choir::Type>> infer(const Operation& operation) {
    return infer_groups(operation);
  }
  static Result<Value*> expand(const Operation& operation, Builder& builder) {
    ACCY_TRY_ASSIGN(const TensorType type, operand_type(operation, 0));
    ACCY_TRY_ASSIGN(const std::int64_t channels, static_size(type, 1));
    return expand_groups(operation, builder, channels);
  }
};

template const choir::OperationDefinition& definition<LayerNorm>();
template const choir::OperationDefinition& definition<RmsNorm>();
template const choir::OperationDefinition& definition<BatchNorm>();
template const choir::OperationDefinition& definition<GroupNorm>();
template const choir::OperationDefinition& definition<InstanceNorm>();

}  // namespace accy::tensor
