// Activations made of pieces: lines, and exponentials below zero. NaN stays NaN in all of them.
#include "dialect/tensor/ops/expander.hpp"

namespace accy::tensor {

using choir::Value;

namespace {

/// min(max(x, low), high)
Value* clamped(Expander& expander, Value* x, double low, double high) {
  return expander.minimum(expander.maximum(x, expander.constant(low)), expander.constant(high));
}

/// x above zero, else `below`; NaN is not above.
Value* above_zero(Expander& expander, Value* x, Value* above, Value* below) {
  return expander.select(expander.compare("gt", x, expander.constant(0)), above, below);
}

/// exp(min(x, 0) / scale) - 1: nothing overflows on the side that is not taken.
Value* exponential_below(Expander& expander, Value* x, double scale) {
  Value* negative = expander.minimum(x, expander.constant(0));
  if (scale != 1) negative = expander.divide(negative, expander.constant(scale));
  return expander.subtract(expander.exponential(negative), expander.constant(1));
}

}  // namespace

struct Relu6 : FloatComposite<Relu6> {
  static constexpr std::string_view name = "tensor.relu6";
  static constexpr std::string_view summary = "min(max(x, 0), 6)";
  static Value* write(Expander& expander, Value* x) { return clamped(expander, x, 0, 6); }
};

struct LeakyRelu : FloatComposite<LeakyRelu> {
  static constexpr std::string_view name = "tensor.leaky_relu";
  static constexpr std::string_view summary = "x above zero, else alpha * x";
  static constexpr std::array attributes{
      AttributeRule{"alpha", {}, false, "slope below zero, 0.01 by default"}};
  static constexpr std::array defaults{0.01};
  static Value* write(Expander& expander, Value* x, std::array<double, 1> numbers) {
    return above_zero(expander, x, x, expander.multiply(expander.constant(numbers[0]), x));
  }
};

struct ThresholdedRelu : FloatComposite<ThresholdedRelu> {
  static constexpr std::string_view name = "tensor.thresholded_relu";
  static constexpr std::string_view summary = "x above alpha, else 0";
  static constexpr std::array attributes{
      AttributeRule{"alpha", {}, false, "threshold, 1 by default"}};
  static constexpr std::array defaults{1.0};
  static Value* write(Expander& expander, Value* x, std::array<double, 1> numbers) {
    // As "not below or equal": a NaN stays.
    return expander.select(expander.compare("le", x, expander.constant(numbers[0])),
                           expander.constant(0), x);
  }
};

struct Elu : FloatComposite<Elu> {
  static constexpr std::string_view name = "tensor.elu";
  static constexpr std::string_view summary = "x above zero, else alpha * (exp(x) - 1)";
  static constexpr std::array attributes{AttributeRule{"alpha", {}, false, "1 by default"}};
  static constexpr std::array defaults{1.0};
  static Value* write(Expander& expander, Value* x, std::array<double, 1> numbers) {
    Value* below =
        expander.multiply(expander.constant(numbers[0]), exponential_below(expander, x, 1));
    return above_zero(expander, x, x, below);
  }
};

struct Selu : FloatComposite<Selu> {
  static constexpr std::string_view name = "tensor.selu";
  static constexpr std::string_view summary =
      "gamma * x above zero, else gamma * alpha * (exp(x) - 1); Klambauer et al. 2017";
  static constexpr std::array attributes{
      AttributeRule{"alpha", {}, false, "1.6732632423543772 by default"},
      AttributeRule{"gamma", {}, false, "1.0507009873554805 by default"}};
  static constexpr std::array defaults{1.6732632423543772848, 1.0507009873554804934};
  static Value* write(Expander& expander, Value* x, std::array<double, 2> numbers) {
    Value* below =
        expander.multiply(expander.constant(numbers[0]), exponential_below(expander, x, 1));
    return expander.multiply(expander.constant(numbers[1]), above_zero(expander, x, x, below));
  }
};

struct Celu : FloatComposite<Celu> {
  static constexpr std::string_view name = "tensor.celu";
  static constexpr std::string_view summary = "x above zero, else alpha * (exp(x / alpha) - 1)";
  static constexpr std::array attributes{AttributeRule{"alpha", {}, false, "1 by default"}};
  static constexpr std::array defaults{1.0};
  static Value* write(Expander& expander, Value* x, std::array<double, 1> numbers) {
    Value* below = expander.multiply(expander.constant(numbers[0]),
                                     exponential_below(expander, x, numbers[0]));
    return above_zero(expander, x, x, below);
  }
};

struct HardSigmoid : FloatComposite<HardSigmoid> {
  static constexpr std::string_view name = "tensor.hard_sigmoid";
  static constexpr std::string_view summary = "alpha * x + beta within 0 and 1";
  static constexpr std::array attributes{AttributeRule{"alpha", {}, false, "0.2 by default"},
                                         AttributeRule{"beta", {}, false, "0.5 by default"}};
  static constexpr std::array defaults{0.2, 0.5};
  static Value* write(Expander& expander, Value* x, std::array<double, 2> numbers) {
    Value* line = expander.add(expander.multiply(expander.constant(numbers[0]), x),
                               expander.constant(numbers[1]));
    return clamped(expander, line, 0, 1);
  }
};

struct HardSwish : FloatComposite<HardSwish> {
  static constexpr std::string_view name = "tensor.hard_swish";
  static constexpr std::string_view summary = "x * min(max(x + 3, 0), 6) / 6";
  static Value* write(Expander& expander, Value* x) {
    Value* gate = clamped(expander, expander.add(x, expander.constant(3)), 0, 6);
    return expander.multiply(x, expander.divide(gate, expander.constant(6)));
  }
};

struct HardTanh : FloatComposite<HardTanh> {
  static constexpr std::string_view name = "tensor.hard_tanh";
  static constexpr std::string_view summary = "min(max(x, low), high)";
  static constexpr std::array attributes{AttributeRule{"low", {}, false, "-1 by default"},
                                         AttributeRule{"high", {}, false, "1 by default"}};
  static constexpr std::array defaults{-1.0, 1.0};
  static Value* write(Expander& expander, Value* x, std::array<double, 2> numbers) {
    return clamped(expander, x, numbers[0], numbers[1]);
  }
};

template const choir::OperationDefinition& definition<Relu6>();
template const choir::OperationDefinition& definition<LeakyRelu>();
template const choir::OperationDefinition& definition<ThresholdedRelu>();
template const choir::OperationDefinition& definition<Elu>();
template const choir::OperationDefinition& definition<Selu>();
template const choir::OperationDefinition& definition<Celu>();
template const choir::OperationDefinition& definition<HardSigmoid>();
template const choir::OperationDefinition& definition<HardSwish>();
template const choir::OperationDefinition& definition<HardTanh>();

}  // namespace accy::tensor
