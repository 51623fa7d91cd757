// Activations: each is its expansion into primitive ops.
#include <cmath>
#include <numbers>

#include "dialect/tensor/define.hpp"
#include "dialect/tensor/ops/expander.hpp"

namespace accy::tensor {

using choir::AttributeKind;
using choir::Builder;
using choir::Operation;
using choir::Value;

namespace {

Value* gelu_exact(Expander& expander, Value* x) {
  Value* scaled = expander.multiply(x, expander.constant(1 / std::numbers::sqrt2));
  Value* sum = expander.add(expander.constant(1), expander.unary("tensor.erf", scaled));
  return expander.multiply(expander.multiply(expander.constant(0.5), x), sum);
}

Value* gelu_tanh(Expander& expander, Value* x) {
  Value* cube = expander.multiply(expander.multiply(x, x), x);
  Value* inner = expander.add(x, expander.multiply(expander.constant(0.044715), cube));
  Value* scaled = expander.multiply(expander.constant(std::sqrt(2 / std::numbers::pi)), inner);
  Value* sum = expander.add(expander.constant(1), expander.unary("tensor.tanh", scaled));
  return expander.multiply(expander.multiply(expander.constant(0.5), x), sum);
}

}  // namespace

struct Relu : Operator {
  static constexpr std::string_view name = "tensor.relu";
  static constexpr std::string_view summary = "max(x, 0); NaN stays";

  static Result<std::vector<choir::Type>> infer(const Operation& operation) {
    return infer_numeric(operation);
  }
  static Result<Value*> expand(const Operation& operation, Builder& builder) {
    ACCY_TRY_ASSIGN(const TensorType type, operand_type(operation, 0));
    Expander expander(builder, type);
    return expander.maximum(operation.operand(0), expander.constant(0));
  }
};

struct Gelu : Operator {
  static constexpr std::string_view name = "tensor.gelu";
  static constexpr std::string_view summary =
      "x / 2 * (1 + erf(x / sqrt 2)), or its approximation by tanh";
  static constexpr std::array attributes{
      AttributeRule{"approximation", AttributeKind::word, false, "none (default) or tanh"}};
  static constexpr std::string_view approximations[] = {"none", "tanh"};

  static Result<std::vector<choir::Type>> infer(const Operation& operation) {
    ACCY_TRY(choice_attribute(operation, "approximation", approximations));
    return infer_float(operation);
  }
  static Result<Value*> expand(const Operation& operation, Builder& builder) {
    ACCY_TRY_ASSIGN(const std::size_t choice,
                    choice_attribute(operation, "approximation", approximations));
    return expand_in_f32(operation, builder, choice == 0 ? &gelu_exact : &gelu_tanh);
  }
};

struct Sigmoid : Operator {
  static constexpr std::string_view name = "tensor.sigmoid";
  static constexpr std::string_view summary = "1 / (1 + exp(-x))";

  static Result<std::vector<choir::Type>> infer(const Operation& operation) {
    return infer_float(operation);
  }
  static Result<Value*> expand(const Operation& operation, Builder& builder) {
    return expand_in_f32(operation, builder, [](Expander& expander, Value* x) {
      Value* power = expander.unary("tensor.exp", expander.unary("tensor.neg", x));
      return expander.divide(expander.constant(1), expander.add(expander.constant(1), power));
    });
  }
};

struct Softplus : Operator {
  static constexpr std::string_view name = "tensor.softplus";
  static constexpr std::string_view summary = "log(1 + exp(x)), without overflow or cancellation";

  static Result<std::vector<choir::Type>> infer(const Operation& operation) {
    return infer_float(operation);
  }
  /// max(x, 0) + log(1 + y) with y = exp(-|x|); the logarithm by Kahan's y log(u) / (u - 1) of the
  /// rounded u = 1 + y, which is y itself where y is lost in u.
  static Result<Value*> expand(const Operation& operation, Builder& builder) {
    return expand_in_f32(operation, builder, [](Expander& expander, Value* x) {
      Value* one = expander.constant(1);
      Value* y = expander.unary("tensor.exp",
                                expander.unary("tensor.neg", expander.unary("tensor.abs", x)));
      Value* u = expander.add(one, y);
      Value* logarithm = expander.divide(expander.multiply(y, expander.unary("tensor.log", u)),
                                         expander.subtract(u, one));
      return expander.add(expander.binary("tensor.max", x, expander.constant(0)),
                          expander.where_equal(u, one, y, logarithm));
    });
  }
};

struct Softmax : Operator {
  static constexpr std::string_view name = "tensor.softmax";
  static constexpr std::string_view summary =
      "exp(x - max) over its sum along one axis";
  static constexpr std::array attributes{
      AttributeRule{"axis", AttributeKind::integer, true, "axis of the operand"}};

  static Result<std::vector<choir::Type>> infer(const Operation& operation) {
    return infer_along_axis(operation);
  }
  static Result<Value*> expand(const Operation& operation, Builder& builder) {
    ACCY_TRY_ASSIGN(const TensorType type, operand_type(operation, 0));
    ACCY_TRY_ASSIGN(const std::size_t axis, axis_attribute(operation, "axis", type.rank()));
    return expand_in_f32(operation, builder, [axis](Expander& expander, Value* x) {
      const std::size_t axes[] = {axis};
      Value* shifted = expander.subtract(x, expander.reduced("max", x, axes));
      Value* power = expander.unary("tensor.exp", shifted);
      return expander.divide(power, expander.reduced("sum", power, axes));
    });
  }
};

template const choir::OperationDefinition& definition<Relu>();
template const choir::OperationDefinition& definition<Gelu>();
template const choir::OperationDefinition& definition<Sigmoid>();
template const choir::OperationDefinition& definition<Softplus>();
template const choir::OperationDefinition& definition<Softmax>();

}  // namespace accy::tensor
