// What the expansions of composite ops are written with. Included by ops/*.cpp only.
//
// A composite op is its expansion into primitive ops. On f16 and bf16 an expansion computes in f32,
// so that one rounding happens at the end.
#pragma once

#include <tuple>

#include "dialect/tensor/constant.hpp"
#include "dialect/tensor/define.hpp"

namespace accy::tensor {

/// Writes primitive ops. Their types agree by construction, so inference cannot fail.
class Expander {
 public:
  using Value = choir::Value;

  /// Constants are of this type.
  Expander(choir::Builder& builder, TensorType type) : builder_(builder), type_(type) {}

  TensorType type() const { return type_; }
  choir::Context& context() const { return builder_.context(); }
  static TensorType type_of(const Value* x) { return *TensorType::from(x->type()); }

  Value* constant(double value) { return constant(value, type_); }
  Value* constant(double value, TensorType type) { return create_splat(builder_, type, value); }

  /// An integer, exact, in every element.
  Value* integer(std::int64_t value, TensorType type);

  /// An op with operands and a result of one type.
  Value* unary(std::string_view name, Value* x);
  Value* binary(std::string_view name, Value* x, Value* y);
  Value* add(Value* x, Value* y) { return binary("tensor.add", x, y); }
  Value* subtract(Value* x, Value* y) { return binary("tensor.sub", x, y); }
  Value* multiply(Value* x, Value* y) { return binary("tensor.mul", x, y); }
  Value* divide(Value* x, Value* y) { return binary("tensor.div", x, y); }
  Value* maximum(Value* x, Value* y) { return binary("tensor.max", x, y); }
  Value* minimum(Value* x, Value* y) { return binary("tensor.min", x, y); }
  Value* negate(Value* x) { return unary("tensor.neg", x); }
  Value* absolute(Value* x) { return unary("tensor.abs", x); }
  Value* exponential(Value* x) { return unary("tensor.exp", x); }
  Value* logarithm(Value* x) { return unary("tensor.log", x); }
  Value* square(Value* x) { return multiply(x, x); }

  /// bool, of the operands' shape.
  Value* compare(std::string_view predicate, Value* x, Value* y);
  Value* select(Value* condition, Value* x, Value* y);
  /// x where a equals b, else y.
  Value* where_equal(Value* a, Value* b, Value* x, Value* y) {
    return select(compare("eq", a, b), x, y);
  }
  Value* cast(Value* x, ElementType element);

  /// The reduction over axes, which the result drops.
  Value* reduce(std::string_view function, Value* x, std::span<const std::size_t> axes);
  /// The sum over axes by `count`, their element count.
  Value* mean(Value* x, std::span<const std::size_t> axes, double count) {
    Value* sum = reduce("sum", x, axes);
    return divide(sum, constant(count, type_of(sum)));
  }
  /// A reduction's result repeated along the axes that it dropped from `type`.
  Value* spread(Value* reduced, TensorType type, std::span<const std::size_t> axes);
  /// The reduction of x over axes, repeated along them.
  Value* reduced(std::string_view function, Value* x, std::span<const std::size_t> axes) {
    return spread(reduce(function, x, axes), type_of(x), axes);
  }

  /// Operand axis i becomes axis axes[i] of the result.
  Value* broadcast(Value* x, std::span<const Dimension> shape, std::span<const std::size_t> axes);
  Value* reshape(Value* x, std::span<const Dimension> shape);
  Value* transpose(Value* x, std::span<const std::size_t> permutation);
  /// Elements start ... limit - 1 along an axis.
  Value* slice(Value* x, std::size_t axis, std::int64_t start, std::int64_t limit);
  Value* concat(std::span<Value* const> parts, std::size_t axis);
  Value* iota(TensorType type, std::size_t axis);
  Value* gather(Value* x, Value* indices, std::size_t axis);
  Value* gather_elements(Value* x, Value* indices, std::size_t axis);
  Value* diagonal(Value* x, std::size_t first, std::size_t second);
  Value* matmul(Value* x, Value* y);
  Value* log_softmax(Value* x, std::size_t axis) {
    return inferred("tensor.log_softmax", std::array{x}, {axis_entry(axis)});
  }

 private:
  /// An op whose types are inferred.
  Value* inferred(std::string_view name, std::span<Value* const> operands,
                  const std::vector<choir::NamedAttribute>& attributes);
  choir::NamedAttribute axis_entry(std::size_t axis) const {
    return {"axis", context().integer(static_cast<std::int64_t>(axis))};
  }
  choir::Attribute integers(std::span<const std::size_t> list) const;

  choir::Builder& builder_;
  TensorType type_;
};

/// f32 for narrower floats, else the type itself: what an expansion computes in.
ElementType expansion_element(ElementType element);

/// Calls write(expander, operands...) with the first `Count` operands, in f32 where the first is
/// a narrower float; the result is cast back to the element type of the op's result.
template <std::size_t Count = 1, class Write>
Result<choir::Value*> expand_in_f32(const choir::Operation& operation, choir::Builder& builder,
                                    Write write) {
  ACCY_TRY_ASSIGN(const TensorType type, operand_type(operation, 0));
  const ElementType element = expansion_element(type.element());
  Expander expander(builder, TensorType::get(builder.context(), element, type.shape()));
  std::array<choir::Value*, Count> in{};
  for (std::size_t index = 0; index < Count; ++index) {
    ACCY_TRY_ASSIGN(const TensorType own, operand_type(operation, index));
    const bool narrow = is_float(own.element());
    in[index] = narrow ? expander.cast(operation.operand(index), expansion_element(own.element()))
                       : operation.operand(index);
  }
  choir::Value* result = std::apply(
      [&](auto*... operands) -> choir::Value* { return write(expander, operands...); }, in);
  ACCY_TRY_ASSIGN(const TensorType wanted, result_type(operation));
  return expander.cast(result, wanted.element());
}

/// The types of a composite whose result has its float operand's type.
Result<std::vector<choir::Type>> infer_float(const choir::Operation& operation);
/// The same for any number type.
Result<std::vector<choir::Type>> infer_numeric(const choir::Operation& operation);

/// infer_float for an op that reduces along its attribute `axis` and keeps the shape.
Result<std::vector<choir::Type>> infer_along_axis(const choir::Operation& operation);

/// The value of a number attribute, integer or floating, or what it is by default.
Result<double> number_attribute(const choir::Operation& operation, std::string_view name,
                                double otherwise);

/// The number attributes of an op in the order of its rules; `Op::defaults` has what they are where
/// they are absent.
template <class Op>
Result<std::array<double, Op::attributes.size()>>
number_attributes(const choir::Operation& operation) {
  std::array<double, Op::attributes.size()> numbers{};
  if constexpr (!numbers.empty())
    for (std::size_t index = 0; index < numbers.size(); ++index) {
      ACCY_TRY_ASSIGN(numbers[index],
                      number_attribute(operation, Op::attributes[index].name, Op::defaults[index]));
    }
  return numbers;
}

/// A function of one float tensor: `Op::write(expander, x, numbers)` with its number attributes, or
/// without where it has none.
template <class Op>
struct FloatComposite : Operator {
  static Result<std::vector<choir::Type>> infer(const choir::Operation& operation) {
    ACCY_TRY(number_attributes<Op>(operation));
    return infer_float(operation);
  }
  static Result<choir::Value*> expand(const choir::Operation& operation, choir::Builder& builder) {
    ACCY_TRY_ASSIGN(const auto numbers, number_attributes<Op>(operation));
    return expand_in_f32(operation, builder, [&](Expander& expander, choir::Value* x) {
      if constexpr (Op::attributes.empty())
        return Op::write(expander, x);
      else
        return Op::write(expander, x, numbers);
    });
  }
};

}  // namespace accy::tensor
