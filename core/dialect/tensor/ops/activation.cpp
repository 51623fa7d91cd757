// Composite ops: each is its expansion into primitive ops. On f16 and bf16 the expansion computes
// in f32, so that one rounding happens at the end.
#include <cmath>
#include <numbers>

#include "dialect/tensor/constant.hpp"
#include "dialect/tensor/define.hpp"

namespace accy::tensor {

using choir::AttributeKind;
using choir::Builder;
using choir::Operation;
using choir::Value;

namespace {

/// Writes primitive ops on values of one tensor type. Their types agree by construction, so
/// inference cannot fail.
class Expander {
 public:
  Expander(Builder& builder, TensorType type) : builder_(builder), type_(type) {}

  TensorType type() const { return type_; }
  Value* constant(double value) { return create_splat(builder_, type_, value); }
  Value* binary(std::string_view name, Value* x, Value* y) {
    return builder_.create(name, {x, y}, {type_.type()})->result();
  }
  Value* add(Value* x, Value* y) { return binary("tensor.add", x, y); }
  Value* subtract(Value* x, Value* y) { return binary("tensor.sub", x, y); }
  Value* multiply(Value* x, Value* y) { return binary("tensor.mul", x, y); }
  Value* divide(Value* x, Value* y) { return binary("tensor.div", x, y); }
  Value* unary(std::string_view name, Value* x) {
    return builder_.create(name, {x}, {type_.type()})->result();
  }
  /// x where a equals b, else y.
  Value* where_equal(Value* a, Value* b, Value* x, Value* y) {
    choir::Context& context = builder_.context();
    const TensorType flags = TensorType::get(context, ElementType::boolean, type_.shape());
    Value* equal =
        builder_
            .create("tensor.compare", {a, b}, {flags.type()}, {{"predicate", context.word("eq")}})
            ->result();
    return builder_.create("tensor.select", {equal, x, y}, {type_.type()})->result();
  }
  /// The reduction of x over one axis, repeated along it.
  Value* reduced(std::string_view function, Value* x, std::size_t axis) {
    choir::Context& context = builder_.context();
    std::vector<Dimension> shape = type_.shape();
    shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(axis));
    const TensorType narrow = TensorType::get(context, type_.element(), shape);
    const std::int64_t axes[] = {static_cast<std::int64_t>(axis)};
    Operation* reduce =
        builder_.create("tensor.reduce", {x}, {narrow.type()},
                        {{"axes", context.integers(axes)}, {"function", context.word(function)}});
    std::vector<std::int64_t> others;
    for (std::size_t other = 0; other < type_.rank(); ++other)
      if (other != axis) others.push_back(static_cast<std::int64_t>(other));
    return builder_
        .create("tensor.broadcast", {reduce->result()}, {type_.type()},
                {{"axes", context.integers(others)}})
        ->result();
  }

 private:
  Builder& builder_;
  TensorType type_;
};

/// Calls write(expander, x) in f32 for a narrower float operand, with casts around, else as it is.
template <class Write>
Result<Value*> expand_in_f32(const Operation& operation, Builder& builder, Write write) {
  ACCY_TRY_ASSIGN(const TensorType type, operand_type(operation, 0));
  Value* x = operation.operand(0);
  if (!is_float(type.element()) || bit_width(type.element()) >= 32) {
    Expander expander(builder, type);
    return write(expander, x);
  }
  const TensorType wide = TensorType::get(builder.context(), ElementType::f32, type.shape());
  Expander expander(builder, wide);
  Value* widened = builder.create("tensor.cast", {x}, {wide.type()})->result();
  Value* result = write(expander, widened);
  return builder.create("tensor.cast", {result}, {type.type()})->result();
}

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

Result<std::vector<choir::Type>> infer_float(const Operation& operation) {
  ACCY_TRY_ASSIGN(const TensorType type, operand_type(operation, 0));
  ACCY_TRY(check_float(type));
  return std::vector<choir::Type>{type};
}

}  // namespace

struct Relu : Operator {
  static constexpr std::string_view name = "tensor.relu";
  static constexpr std::string_view summary = "max(x, 0); NaN stays";

  static Result<std::vector<choir::Type>> infer(const Operation& operation) {
    ACCY_TRY_ASSIGN(const TensorType type, operand_type(operation, 0));
    ACCY_TRY(check_numeric(type));
    return std::vector<choir::Type>{type};
  }
  static Result<Value*> expand(const Operation& operation, Builder& builder) {
    ACCY_TRY_ASSIGN(const TensorType type, operand_type(operation, 0));
    Expander expander(builder, type);
    return expander.binary("tensor.max", operation.operand(0), expander.constant(0));
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
    ACCY_TRY_ASSIGN(const TensorType type, operand_type(operation, 0));
    ACCY_TRY_ASSIGN(const std::size_t axis, axis_attribute(operation, "axis", type.rank()));
    std::vector<Dimension> rows = type.shape();
    rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(axis));
    ACCY_TRY(check_elements(rows));  // of the expansion's reductions
    return infer_float(operation);
  }
  static Result<Value*> expand(const Operation& operation, Builder& builder) {
    ACCY_TRY_ASSIGN(const TensorType type, operand_type(operation, 0));
    ACCY_TRY_ASSIGN(const std::size_t axis, axis_attribute(operation, "axis", type.rank()));
    return expand_in_f32(operation, builder, [axis](Expander& expander, Value* x) {
      Value* shifted = expander.subtract(x, expander.reduced("max", x, axis));
      Value* power = expander.unary("tensor.exp", shifted);
      return expander.divide(power, expander.reduced("sum", power, axis));
    });
  }
};

template const choir::OperationDefinition& definition<Relu>();
template const choir::OperationDefinition& definition<Gelu>();
template const choir::OperationDefinition& definition<Sigmoid>();
template const choir::OperationDefinition& definition<Softplus>();
template const choir::OperationDefinition& definition<Softmax>();

}  // namespace accy::tensor
