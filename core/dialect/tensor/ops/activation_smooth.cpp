// Smooth activations, beside those of activation.cpp.
#include "dialect/tensor/ops/expander.hpp"

namespace accy::tensor {

using choir::Value;

struct Silu : FloatComposite<Silu> {
  static constexpr std::string_view name = "tensor.silu";
  static constexpr std::string_view summary = "x / (1 + exp(-x)): swish";
  static Value* write(Expander& expander, Value* x) {
    Value* power = expander.exponential(expander.negate(x));
    return expander.divide(x, expander.add(expander.constant(1), power));
  }
};

struct QuickGelu : FloatComposite<QuickGelu> {
  static constexpr std::string_view name = "tensor.quick_gelu";
  static constexpr std::string_view summary = "x / (1 + exp(-alpha * x))";
  static constexpr std::array attributes{AttributeRule{"alpha", {}, false, "1.702 by default"}};
  static constexpr std::array defaults{1.702};
  static Value* write(Expander& expander, Value* x, std::array<double, 1> numbers) {
    Value* scaled = expander.multiply(expander.constant(-numbers[0]), x);
    return expander.divide(x, expander.add(expander.constant(1), expander.exponential(scaled)));
  }
};

struct Mish : FloatComposite<Mish> {
  static constexpr std::string_view name = "tensor.mish";
  static constexpr std::string_view summary = "x * tanh(log(1 + exp(x)))";
  /// With y = exp(-|x|), tanh(log(1 + e^x)) is (1 + 2 y) / (1 + 2 y + 2 y^2) above zero and
  /// (y^2 + 2 y) / (y^2 + 2 y + 2) below: no logarithm, nothing cancels or overflows.
  static Value* write(Expander& expander, Value* x) {
    Value* y = expander.exponential(expander.negate(expander.absolute(x)));
    Value* one = expander.constant(1);
    Value* two = expander.constant(2);
    Value* square = expander.square(y);
    Value* twice = expander.multiply(two, y);
    Value* right = expander.add(one, twice);
    Value* left = expander.add(square, twice);
    Value* positive = expander.compare("gt", x, expander.constant(0));
    Value* numerator = expander.select(positive, right, left);
    Value* rest = expander.select(positive, expander.multiply(two, square), two);
    return expander.multiply(x, expander.divide(numerator, expander.add(numerator, rest)));
  }
};

struct Softsign : FloatComposite<Softsign> {
  static constexpr std::string_view name = "tensor.softsign";
  static constexpr std::string_view summary = "x / (1 + |x|)";
  static Value* write(Expander& expander, Value* x) {
    return expander.divide(x, expander.add(expander.constant(1), expander.absolute(x)));
  }
};

struct LogSigmoid : FloatComposite<LogSigmoid> {
  static constexpr std::string_view name = "tensor.log_sigmoid";
  static constexpr std::string_view summary = "-log(1 + exp(-x)), without overflow";
  static Value* write(Expander& expander, Value* x) {
    return expander.negate(expander.unary("tensor.softplus", expander.negate(x)));
  }
};

struct LogSoftmax : Operator {
  static constexpr std::string_view name = "tensor.log_softmax";
  static constexpr std::string_view summary =
      "x - max less the logarithm of the sum of its exponentials along one axis";
  static constexpr std::array attributes{
      AttributeRule{"axis", choir::AttributeKind::integer, true, "axis of the operand"}};

  static Result<std::vector<choir::Type>> infer(const choir::Operation& operation) {
    return infer_along_axis(operation);
  }
  static Result<Value*> expand(const choir::Operation& operation, choir::Builder& builder) {
    ACCY_TRY_ASSIGN(const TensorType type, operand_type(operation, 0));
    ACCY_TRY_ASSIGN(const std::size_t axis, axis_attribute(operation, "axis", type.rank()));
    return expand_in_f32(operation, builder, [axis](Expander& expander, Value* x) {
      const std::size_t axes[] = {axis};
      Value* shifted = expander.subtract(x, expander.reduced("max", x, axes));
      Value* sum = expander.reduce("sum", expander.exponential(shifted), axes);
      return expander.subtract(
          shifted, expander.spread(expander.logarithm(sum), Expander::type_of(x), axes));
    });
  }
};

template const choir::OperationDefinition& definition<Silu>();
template const choir::OperationDefinition& definition<QuickGelu>();
template const choir::OperationDefinition& definition<Mish>();
template const choir::OperationDefinition& definition<Softsign>();
template const choir::OperationDefinition& definition<LogSigmoid>();
template const choir::OperationDefinition& definition<LogSoftmax>();

}  // namespace accy::tensor
