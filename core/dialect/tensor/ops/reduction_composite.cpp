// Reductions that are made of tensor.reduce.
#include <algorithm>
#include <limits>

#include "dialect/tensor/ops/expander.hpp"
#include "dialect/tensor/tolerance.hpp"

namespace accy::tensor {

using choir::AttributeKind;
using choir::Builder;
using choir::Operation;
using choir::Value;

namespace {

constexpr AttributeRule axes_rule{"axes", AttributeKind::array, true,
                                  "increasing axes of the operand"};

Result<std::vector<std::size_t>> reduced_axes(const Operation& operation) {
  ACCY_TRY_ASSIGN(const TensorType type, operand_type(operation, 0));
  ACCY_TRY_ASSIGN(auto axes, axes_attribute(operation, "axes", type.rank()));
  ACCY_TRY(check_increasing(axes, "axes"));
  return axes;
}

/// The operand's type without some axes.
Result<std::vector<choir::Type>> infer_without(const Operation& operation,
                                               std::span<const std::size_t> axes) {
  ACCY_TRY_ASSIGN(const TensorType type, operand_type(operation, 0));
  std::vector<Dimension> shape;
  for (std::size_t axis = 0; axis < type.rank(); ++axis)
    if (std::ranges::find(axes, axis) == axes.end()) shape.push_back(type.dimension(axis));
  ACCY_TRY(check_elements(shape));
  return std::vector<choir::Type>{TensorType::get(operation.context(), type.element(), shape)};
}

Result<std::vector<choir::Type>> infer_float_reduction(const Operation& operation) {
  ACCY_TRY_ASSIGN(const TensorType type, operand_type(operation, 0));
  ACCY_TRY(check_float(type));
  ACCY_TRY_ASSIGN(const auto axes, reduced_axes(operation));
  return infer_without(operation, axes);
}

/// How many elements one result is made of.
Result<double> count_reduced(const Operation& operation, std::span<const std::size_t> axes) {
  ACCY_TRY_ASSIGN(const TensorType type, operand_type(operation, 0));
  double count = 1;
  for (std::size_t axis : axes) {
    ACCY_TRY_ASSIGN(const std::int64_t size, static_size(type, axis));
    count *= static_cast<double>(size);
  }
  return count;
}

/// A float reduction: `Op::write(expander, x, axes)`.
template <class Op>
struct FloatReduction : Operator {
  static constexpr std::array attributes{axes_rule};
  static Result<std::vector<choir::Type>> infer(const Operation& operation) {
    return infer_float_reduction(operation);
  }
  static Result<Value*> expand(const Operation& operation, Builder& builder) {
    ACCY_TRY_ASSIGN(const auto axes, reduced_axes(operation));
    return expand_in_f32(operation, builder, [&axes](Expander& expander, Value* x) {
      return Op::write(expander, x, axes);
    });
  }
};

Value* root(Expander& expander, Value* x) { return expander.unary("tensor.sqrt", x); }

}  // namespace

struct Mean : Operator {
  static constexpr std::string_view name = "tensor.mean";
  static constexpr std::string_view summary =
      "the sum over axes, which the result drops, by their element count; of no elements NaN";
  static constexpr std::array attributes{axes_rule};
  static Result<std::vector<choir::Type>> infer(const Operation& operation) {
    return infer_float_reduction(operation);
  }
  static Result<Value*> expand(const Operation& operation, Builder& builder) {
    ACCY_TRY_ASSIGN(const auto axes, reduced_axes(operation));
    ACCY_TRY_ASSIGN(const double count, count_reduced(operation, axes));
    return expand_in_f32(operation, builder, [&](Expander& expander, Value* x) {
      return expander.mean(x, axes, count);
    });
  }
};

struct Variance : Operator {
  static constexpr std::string_view name = "tensor.variance";
  static constexpr std::string_view summary =
      "the sum of the squared differences from the mean over axes, by their element count less the "
      "correction";
  static constexpr std::array attributes{
      axes_rule, AttributeRule{"correction", {}, false, "0 by default; 1 for Bessel's"}};
  static Result<std::vector<choir::Type>> infer(const Operation& operation) {
    ACCY_TRY(number_attribute(operation, "correction", 0));
    return infer_float_reduction(operation);
  }
  static Result<Value*> expand(const Operation& operation, Builder& builder) {
    ACCY_TRY_ASSIGN(const auto axes, reduced_axes(operation));
    ACCY_TRY_ASSIGN(const double count, count_reduced(operation, axes));
    ACCY_TRY_ASSIGN(const double correction, number_attribute(operation, "correction", 0));
    return expand_in_f32(operation, builder, [&](Expander& expander, Value* x) {
      Value* mean = expander.mean(x, axes, count);
      Value* rest = expander.subtract(x, expander.spread(mean, Expander::type_of(x), axes));
      return expander.mean(expander.square(rest), axes, std::max(count - correction, 0.0));
    });
  }
};

struct LogSumExp : FloatReduction<LogSumExp> {
  static constexpr std::string_view name = "tensor.logsumexp";
  static constexpr std::string_view summary =
      "the logarithm of the sum of the exponentials over axes, without overflow; of no elements "
      "minus infinity";
  static Value* write(Expander& expander, Value* x, std::span<const std::size_t> axes) {
    Value* largest = expander.reduce("max", x, axes);
    const TensorType type = Expander::type_of(largest);
    Value* zero = expander.constant(0, type);
    // An infinite maximum less itself would be NaN.
    Value* bound = expander.constant(precision(type.element()).maximum(), type);
    Value* finite = expander.compare("le", expander.absolute(largest), bound);
    Value* shift = expander.select(finite, largest, zero);
    Value* rest = expander.subtract(x, expander.spread(shift, Expander::type_of(x), axes));
    Value* sum = expander.reduce("sum", expander.exponential(rest), axes);
    return expander.add(expander.logarithm(sum), shift);
  }
};

struct NormL1 : FloatReduction<NormL1> {
  static constexpr std::string_view name = "tensor.norm_l1";
  static constexpr std::string_view summary = "the sum of the magnitudes over axes";
  static Value* write(Expander& expander, Value* x, std::span<const std::size_t> axes) {
    return expander.reduce("sum", expander.absolute(x), axes);
  }
};

struct NormL2 : FloatReduction<NormL2> {
  static constexpr std::string_view name = "tensor.norm_l2";
  static constexpr std::string_view summary = "the square root of the sum of squares over axes";
  static Value* write(Expander& expander, Value* x, std::span<const std::size_t> axes) {
    return root(expander, expander.reduce("sum", expander.square(x), axes));
  }
};

namespace {

/// A reduction of bool by another of its numbers.
template <class Op>
struct BoolReduction : Operator {
  static constexpr std::array attributes{axes_rule};
  static Result<std::vector<choir::Type>> infer(const Operation& operation) {
    ACCY_TRY_ASSIGN(const TensorType type, operand_type(operation, 0));
    if (type.element() != ElementType::boolean)
      return invalid("operand is " + type_to_string(type) + ", expected bool elements");
    ACCY_TRY_ASSIGN(const auto axes, reduced_axes(operation));
    return infer_without(operation, axes);
  }
  static Result<Value*> expand(const Operation& operation, Builder& builder) {
    ACCY_TRY_ASSIGN(const auto axes, reduced_axes(operation));
    ACCY_TRY_ASSIGN(const TensorType type, operand_type(operation, 0));
    Expander expander(builder, type);
    Value* numbers = expander.cast(operation.operand(0), ElementType::u8);
    Value* reduced = expander.reduce(Op::function, numbers, axes);
    // Of no elements the highest number, which is true, or the lowest, which is false.
    return expander.cast(reduced, ElementType::boolean);
  }
};

/// Where the extremum along an axis is.
template <class Op>
struct ArgExtremum : Operator {
  static constexpr std::array attributes{
      AttributeRule{"axis", AttributeKind::integer, true, "axis of the operand"},
      AttributeRule{"element", AttributeKind::word, false, "i64 (the default) or i32"},
      AttributeRule{"last", AttributeKind::boolean, false, "the last of equals, not the first"}};

  static Result<std::vector<choir::Type>> infer(const Operation& operation) {
    static constexpr std::string_view elements[] = {"i64", "i32"};
    ACCY_TRY_ASSIGN(const TensorType type, operand_type(operation, 0));
    ACCY_TRY(check_numeric(type));
    ACCY_TRY_ASSIGN(const std::size_t axis, axis_attribute(operation, "axis", type.rank()));
    ACCY_TRY_ASSIGN(const std::size_t element, choice_attribute(operation, "element", elements));
    if (const choir::Attribute last = operation.attribute("last"))
      ACCY_TRY(required_attribute(operation, "last", AttributeKind::boolean));
    const Dimension size = type.dimension(axis);
    if (!size.is_symbol() && size.size == 0)
      return invalid("axis " + std::to_string(axis) + " of size (0) has no extremum");
    const std::size_t axes[] = {axis};
    ACCY_TRY_ASSIGN(const auto types, infer_without(operation, axes));
    const TensorType made = *TensorType::from(types[0]);
    return std::vector<choir::Type>{TensorType::get(
        operation.context(), element == 0 ? ElementType::i64 : ElementType::i32, made.shape())};
  }

  /// The least index at which an element equals the extremum. A NaN, which makes that NaN, equals
  /// it too.
  static Result<Value*> expand(const Operation& operation, Builder& builder) {
    ACCY_TRY_ASSIGN(const TensorType type, operand_type(operation, 0));
    ACCY_TRY_ASSIGN(const TensorType wanted, result_type(operation));
    ACCY_TRY_ASSIGN(const std::size_t axis, axis_attribute(operation, "axis", type.rank()));
    ACCY_TRY_ASSIGN(const std::int64_t size, static_size(type, axis));
    const choir::Attribute last = operation.attribute("last");
    const bool take_last = last && last.boolean();
    Expander expander(builder, type);
    Value* x = operation.operand(0);
    const std::size_t axes[] = {axis};
    Value* hit = expander.compare("eq", x, expander.reduced(Op::function, x, axes));
    if (is_float(type.element()))
      hit = expander.binary("tensor.or", hit, expander.compare("ne", x, x));
    const bool wide = size > std::numeric_limits<std::int32_t>::max();
    const TensorType indices = TensorType::get(
        builder.context(), wide ? ElementType::i64 : ElementType::i32, type.shape());
    Value* none = expander.constant(take_last ? -1.0 : static_cast<double>(size), indices);
    Value* index = expander.select(hit, expander.iota(indices, axis), none);
    return expander.cast(expander.reduce(take_last ? "max" : "min", index, axes), wanted.element());
  }
};

}  // namespace

struct Any : BoolReduction<Any> {
  static constexpr std::string_view name = "tensor.any";
  static constexpr std::string_view summary = "whether one of the elements over axes is true";
  static constexpr std::string_view function = "max";
};

struct All : BoolReduction<All> {
  static constexpr std::string_view name = "tensor.all";
  static constexpr std::string_view summary = "whether all of the elements over axes are true";
  static constexpr std::string_view function = "min";
};

struct ArgMax : ArgExtremum<ArgMax> {
  static constexpr std::string_view name = "tensor.argmax";
  static constexpr std::string_view summary =
      "the index of the largest element along an axis, which the result drops; a NaN is larger "
      "than all, the first of equals counts";
  static constexpr std::string_view function = "max";
};

struct ArgMin : ArgExtremum<ArgMin> {
  static constexpr std::string_view name = "tensor.argmin";
  static constexpr std::string_view summary =
      "the index of the smallest element along an axis, which the result drops; a NaN is smaller "
      "than all, the first of equals counts";
  static constexpr std::string_view function = "min";
};

template const choir::OperationDefinition& definition<Mean>();
template const choir::OperationDefinition& definition<Variance>();
template const choir::OperationDefinition& definition<LogSumExp>();
template const choir::OperationDefinition& definition<NormL1>();
template const choir::OperationDefinition& definition<NormL2>();
template const choir::OperationDefinition& definition<Any>();
template const choir::OperationDefinition& definition<All>();
template const choir::OperationDefinition& definition<ArgMax>();
template const choir::OperationDefinition& definition<ArgMin>();

}  // namespace accy::tensor
