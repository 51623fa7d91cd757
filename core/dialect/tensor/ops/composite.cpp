// Elementwise functions that are short expressions of others.
#include "dialect/tensor/ops/expander.hpp"
#include "dialect/tensor/tolerance.hpp"

namespace accy::tensor {

using choir::Builder;
using choir::Operation;
using choir::Value;

namespace {

/// Two operands and a result of one number type.
Result<std::vector<choir::Type>> infer_numbers(const Operation& operation) {
  for (std::size_t index = 1; index < operation.operand_count(); ++index) {
    ACCY_TRY_ASSIGN(const TensorType first, operand_type(operation, 0));
    ACCY_TRY_ASSIGN(const TensorType other, operand_type(operation, index));
    ACCY_TRY(check_equal(first, other));
  }
  return infer_numeric(operation);
}

/// bool of the shape of a float operand.
Result<std::vector<choir::Type>> infer_class(const Operation& operation) {
  ACCY_TRY_ASSIGN(const TensorType type, operand_type(operation, 0));
  ACCY_TRY(check_float(type));
  return std::vector<choir::Type>{
      TensorType::get(operation.context(), ElementType::boolean, type.shape())};
}

/// |x| compared with the largest finite value of its type.
Result<Value*> expand_class(const Operation& operation, Builder& builder,
                            std::string_view predicate) {
  ACCY_TRY_ASSIGN(const TensorType type, operand_type(operation, 0));
  Expander expander(builder, type);
  return expander.compare(predicate, expander.absolute(operation.operand(0)),
                          expander.constant(precision(type.element()).maximum()));
}

}  // namespace

struct Square : Operator {
  static constexpr std::string_view name = "tensor.square";
  static constexpr std::string_view summary = "x * x; integers wrap";
  static Result<std::vector<choir::Type>> infer(const Operation& operation) {
    return infer_numeric(operation);
  }
  static Result<Value*> expand(const Operation& operation, Builder& builder) {
    ACCY_TRY_ASSIGN(const TensorType type, operand_type(operation, 0));
    return Expander(builder, type).square(operation.operand(0));
  }
};

struct Reciprocal : FloatComposite<Reciprocal> {
  static constexpr std::string_view name = "tensor.reciprocal";
  static constexpr std::string_view summary = "1 / x";
  static Value* write(Expander& expander, Value* x) {
    return expander.divide(expander.constant(1), x);
  }
};

struct ReciprocalSquareRoot : FloatComposite<ReciprocalSquareRoot> {
  static constexpr std::string_view name = "tensor.rsqrt";
  static constexpr std::string_view summary = "1 / sqrt(x); NaN below zero";
  static Value* write(Expander& expander, Value* x) {
    return expander.divide(expander.constant(1), expander.unary("tensor.sqrt", x));
  }
};

struct Tangent : FloatComposite<Tangent> {
  static constexpr std::string_view name = "tensor.tan";
  static constexpr std::string_view summary = "sin(x) / cos(x)";
  static Value* write(Expander& expander, Value* x) {
    return expander.divide(expander.unary("tensor.sin", x), expander.unary("tensor.cos", x));
  }
};

struct Sign : Operator {
  static constexpr std::string_view name = "tensor.sign";
  static constexpr std::string_view summary = "-1, 1, or x itself where it is a zero or NaN";
  static Result<std::vector<choir::Type>> infer(const Operation& operation) {
    return infer_numeric(operation);
  }
  static Result<Value*> expand(const Operation& operation, Builder& builder) {
    ACCY_TRY_ASSIGN(const TensorType type, operand_type(operation, 0));
    Expander expander(builder, type);
    Value* x = operation.operand(0);
    Value* zero = expander.constant(0);
    Value* above = expander.select(expander.compare("gt", x, zero), expander.constant(1), x);
    if (!is_signed(type.element())) return above;
    return expander.select(expander.compare("lt", x, zero), expander.constant(-1), above);
  }
};

struct Clamp : Operator {
  static constexpr std::string_view name = "tensor.clamp";
  static constexpr std::string_view summary =
      "min(max(x, low), high): high where low is above it; NaN if any is";
  static constexpr int operand_count = 3;
  static Result<std::vector<choir::Type>> infer(const Operation& operation) {
    return infer_numbers(operation);
  }
  static Result<Value*> expand(const Operation& operation, Builder& builder) {
    ACCY_TRY_ASSIGN(const TensorType type, operand_type(operation, 0));
    Expander expander(builder, type);
    return expander.minimum(expander.maximum(operation.operand(0), operation.operand(1)),
                            operation.operand(2));
  }
};

struct Modulo : Operator {
  static constexpr std::string_view name = "tensor.mod";
  static constexpr std::string_view summary =
      "x - y * floor(x / y), with the sign of y; integers: x mod 0 = x";
  static constexpr int operand_count = 2;
  static Result<std::vector<choir::Type>> infer(const Operation& operation) {
    return infer_numbers(operation);
  }
  /// The remainder, and y more where that is not zero and its sign is not that of y.
  static Result<Value*> expand(const Operation& operation, Builder& builder) {
    ACCY_TRY_ASSIGN(const TensorType type, operand_type(operation, 0));
    return expand_in_f32<2>(operation, builder, [&](Expander& expander, Value* x, Value* y) {
      Value* rest = expander.binary("tensor.rem", x, y);
      if (!is_signed(type.element())) return rest;
      Value* zero = expander.constant(0);
      Value* signs_differ = expander.binary("tensor.xor", expander.compare("lt", rest, zero),
                                            expander.compare("lt", y, zero));
      // Not "is other than zero": a NaN stays one either way, and x mod 0 stays x.
      Value* exact = expander.binary("tensor.or", expander.compare("eq", rest, zero),
                                     expander.compare("eq", y, zero));
      Value* moved = expander.select(signs_differ, expander.add(rest, y), rest);
      return expander.select(exact, rest, moved);
    });
  }
};

struct Power : Operator {
  static constexpr std::string_view name = "tensor.pow";
  static constexpr std::string_view summary =
      "x to the power y as exp(y * log(|x|)), with the special cases of IEEE 754's pow";
  static constexpr int operand_count = 2;

  static Result<std::vector<choir::Type>> infer(const Operation& operation) {
    ACCY_TRY(infer_numbers(operation));
    return infer_float(operation);
  }
  static Result<Value*> expand(const Operation& operation, Builder& builder) {
    return expand_in_f32<2>(operation, builder, &write);
  }

 private:
  static Value* write(Expander& expander, Value* x, Value* y) {
    Value* one = expander.constant(1);
    Value* zero = expander.constant(0);
    Value* magnitude = expander.absolute(x);
    Value* power = expander.exponential(expander.multiply(y, expander.logarithm(magnitude)));
    // Of 1 any power is 1, also where y is infinite; so is any number to the power 0, NaN too.
    power = expander.where_equal(magnitude, one, one, power);
    Value* whole = expander.compare("eq", y, expander.unary("tensor.trunc", y));
    Value* half = expander.multiply(y, expander.constant(0.5));
    // An infinite y is even: infinity equals its half rounded.
    Value* even = expander.compare("eq", half, expander.unary("tensor.trunc", half));
    Value* odd = expander.binary("tensor.and", whole, expander.unary("tensor.not", even));
    Value* negated = expander.select(odd, expander.negate(power), power);
    Value* below = expander.select(whole, negated, expander.divide(zero, zero));
    Value* result = expander.select(expander.compare("lt", x, zero), below, power);
    // The sign of a zero shows in odd powers.
    Value* rooted = expander.select(expander.compare("gt", y, zero), x, expander.divide(one, x));
    Value* signed_zero = expander.binary("tensor.and", odd, expander.compare("eq", x, zero));
    result = expander.select(signed_zero, rooted, result);
    return expander.where_equal(y, zero, one, expander.where_equal(x, one, one, result));
  }
};

struct IsNan : Operator {
  static constexpr std::string_view name = "tensor.is_nan";
  static constexpr std::string_view summary = "whether x is NaN, as bool";
  static Result<std::vector<choir::Type>> infer(const Operation& operation) {
    return infer_class(operation);
  }
  static Result<Value*> expand(const Operation& operation, Builder& builder) {
    ACCY_TRY_ASSIGN(const TensorType type, operand_type(operation, 0));
    return Expander(builder, type).compare("ne", operation.operand(0), operation.operand(0));
  }
};

struct IsInfinite : Operator {
  static constexpr std::string_view name = "tensor.is_inf";
  static constexpr std::string_view summary = "whether x is infinite, as bool";
  static Result<std::vector<choir::Type>> infer(const Operation& operation) {
    return infer_class(operation);
  }
  static Result<Value*> expand(const Operation& operation, Builder& builder) {
    return expand_class(operation, builder, "gt");
  }
};

struct IsFinite : Operator {
  static constexpr std::string_view name = "tensor.is_finite";
  static constexpr std::string_view summary = "whether x is neither infinite nor NaN, as bool";
  static Result<std::vector<choir::Type>> infer(const Operation& operation) {
    return infer_class(operation);
  }
  static Result<Value*> expand(const Operation& operation, Builder& builder) {
    return expand_class(operation, builder, "le");
  }
};

template const choir::OperationDefinition& definition<Square>();
template const choir::OperationDefinition& definition<Reciprocal>();
template const choir::OperationDefinition& definition<ReciprocalSquareRoot>();
template const choir::OperationDefinition& definition<Tangent>();
template const choir::OperationDefinition& definition<Sign>();
template const choir::OperationDefinition& definition<Clamp>();
template const choir::OperationDefinition& definition<Modulo>();
template const choir::OperationDefinition& definition<Power>();
template const choir::OperationDefinition& definition<IsNan>();
template const choir::OperationDefinition& definition<IsInfinite>();
template const choir::OperationDefinition& definition<IsFinite>();

}  // namespace accy::tensor
