// The functions of accy/network.hpp.
#include <array>

#include "frontend/graph_functions.hpp"

namespace accy {

using namespace frontend;
using choir::Value;
using tensor::TensorType;

namespace {

choir::Attribute word_of(Graph& graph, Reduction reduction) {
  static constexpr std::string_view words[] = {"mean", "sum", "none"};
  return graph.context().word(words[static_cast<std::size_t>(reduction)]);
}

/// x, then scale and bias where given.
std::vector<Operand> norm_operands(const Tensor& x, const NormOptions& options, CallSite site) {
  std::vector<Operand> operands{{x, site}};
  if (options.scale) operands.emplace_back(*options.scale, site);
  if (options.bias) operands.emplace_back(*options.bias, site);
  return operands;
}

/// Their values. A bias needs a scale in front of it: ones of its type.
Result<std::vector<Value*>> norm_values(Graph& graph, std::span<const Operand> operands,
                                        const NormOptions& options) {
  std::vector<Value*> values;
  for (const Operand& operand : operands) values.push_back(graph.value(operand));
  if (options.scale || !options.bias) return values;
  ACCY_TRY_ASSIGN(Value * ones, graph.splat(graph.type(operands[1]), 1.0));
  values.insert(values.begin() + 1, ones);
  return values;
}

/// A normalization with the attribute `epsilon` and those that `extra(graph, rank)` gives.
template <class Extra>
Tensor normalize(std::string_view op, const Tensor& x, const NormOptions& options, CallSite site,
                 Extra extra) {
  const std::vector<Operand> operands = norm_operands(x, options, site);
  return Graph::build(op, operands, site, [&](Graph& graph) -> Result<Value*> {
    ACCY_TRY_ASSIGN(const std::vector<Value*> values, norm_values(graph, operands, options));
    ACCY_TRY_ASSIGN(Attributes attributes, extra(graph, graph.type(operands[0]).rank()));
    attributes.push_back({"epsilon", graph.context().floating(options.epsilon)});
    return graph.create(op, values, std::move(attributes));
  });
}

Tensor normalize_from(std::string_view op, const Tensor& x, std::int64_t axis,
                      const NormOptions& options, CallSite site) {
  const auto extra = [&](Graph& graph, std::size_t rank) -> Result<Attributes> {
    ACCY_TRY_ASSIGN(const std::size_t index, normalize_axis(axis, rank));
    return Attributes{entry(graph, "axis", static_cast<std::int64_t>(index))};
  };
  return normalize(op, x, options, site, extra);
}

/// An elementwise loss with a number attribute where it has one.
Tensor loss(std::string_view op, const Tensor& x, const Tensor& target, Reduction reduction,
            CallSite site, std::optional<std::pair<std::string_view, double>> number = {}) {
  const Operand operands[] = {{x, site}, {target, site}};
  return Graph::build(op, operands, site, [&](Graph& graph) -> Result<Value*> {
    Attributes attributes;
    if (number) attributes.push_back({number->first, graph.context().floating(number->second)});
    attributes.push_back({"reduction", word_of(graph, reduction)});
    return graph.create(op, std::array{graph.value(operands[0]), graph.value(operands[1])},
                        std::move(attributes));
  });
}

Tensor label_loss(std::string_view op, const Tensor& x, const Tensor& labels,
                  const LabelOptions& options, bool smooths, CallSite site) {
  std::vector<Operand> operands{{x, site}, {labels, site}};
  if (options.weights) operands.emplace_back(*options.weights, site);
  return Graph::build(op, operands, site, [&](Graph& graph) -> Result<Value*> {
    std::vector<Value*> values;
    for (const Operand& operand : operands) values.push_back(graph.value(operand));
    Attributes attributes;
    if (options.ignore_index)
      attributes.push_back(entry(graph, "ignore_index", *options.ignore_index));
    if (smooths)
      attributes.push_back({"label_smoothing", graph.context().floating(options.label_smoothing)});
    attributes.push_back({"reduction", word_of(graph, options.reduction)});
    return graph.create(op, values, std::move(attributes));
  });
}

}  // namespace

Tensor relu(const Tensor& x, CallSite site) { return unary("tensor.relu", x, site); }
Tensor relu6(const Tensor& x, CallSite site) { return unary("tensor.relu6", x, site); }
Tensor selu(const Tensor& x, CallSite site) { return unary("tensor.selu", x, site); }
Tensor hard_swish(const Tensor& x, CallSite site) { return unary("tensor.hard_swish", x, site); }
Tensor sigmoid(const Tensor& x, CallSite site) { return unary("tensor.sigmoid", x, site); }
Tensor silu(const Tensor& x, CallSite site) { return unary("tensor.silu", x, site); }
Tensor mish(const Tensor& x, CallSite site) { return unary("tensor.mish", x, site); }
Tensor softsign(const Tensor& x, CallSite site) { return unary("tensor.softsign", x, site); }
Tensor log_sigmoid(const Tensor& x, CallSite site) { return unary("tensor.log_sigmoid", x, site); }
Tensor softplus(const Tensor& x, CallSite site) { return unary("tensor.softplus", x, site); }

Tensor leaky_relu(const Tensor& x, double alpha, CallSite site) {
  return unary_with("tensor.leaky_relu", x, site, {{"alpha", alpha}});
}
Tensor thresholded_relu(const Tensor& x, double alpha, CallSite site) {
  return unary_with("tensor.thresholded_relu", x, site, {{"alpha", alpha}});
}
Tensor elu(const Tensor& x, double alpha, CallSite site) {
  return unary_with("tensor.elu", x, site, {{"alpha", alpha}});
}
Tensor celu(const Tensor& x, double alpha, CallSite site) {
  return unary_with("tensor.celu", x, site, {{"alpha", alpha}});
}
Tensor quick_gelu(const Tensor& x, double alpha, CallSite site) {
  return unary_with("tensor.quick_gelu", x, site, {{"alpha", alpha}});
}
Tensor hard_sigmoid(const Tensor& x, double alpha, double beta, CallSite site) {
  return unary_with("tensor.hard_sigmoid", x, site, {{"alpha", alpha}, {"beta", beta}});
}
Tensor hard_tanh(const Tensor& x, double low, double high, CallSite site) {
  return unary_with("tensor.hard_tanh", x, site, {{"low", low}, {"high", high}});
}

Tensor gelu(const Tensor& x, GeluForm form, CallSite site) {
  if (form == GeluForm::exact) return unary("tensor.gelu", x, site);
  return unary("tensor.gelu", x, site, {{"approximation", "tanh"}});
}

Tensor softmax(const Tensor& x, std::int64_t axis, CallSite site) {
  return along_axis("tensor.softmax", x, axis, site);
}

Tensor log_softmax(const Tensor& x, std::int64_t axis, CallSite site) {
  return along_axis("tensor.log_softmax", x, axis, site);
}

Tensor layer_norm(const Tensor& x, std::int64_t axis, const NormOptions& options, CallSite site) {
  return normalize_from("tensor.layer_norm", x, axis, options, site);
}

Tensor rms_norm(const Tensor& x, std::int64_t axis, const NormOptions& options, CallSite site) {
  return normalize_from("tensor.rms_norm", x, axis, options, site);
}

Tensor group_norm(const Tensor& x, std::int64_t groups, const NormOptions& options, CallSite site) {
  const auto extra = [&](Graph& graph, std::size_t) -> Result<Attributes> {
    return Attributes{entry(graph, "groups", groups)};
  };
  return normalize("tensor.group_norm", x, options, site, extra);
}

Tensor instance_norm(const Tensor& x, const NormOptions& options, CallSite site) {
  const auto extra = [](Graph&, std::size_t) -> Result<Attributes> { return Attributes{}; };
  return normalize("tensor.instance_norm", x, options, site, extra);
}

Tensor batch_norm(const Tensor& x, const Tensor& mean, const Tensor& variance,
                  const NormOptions& options, CallSite site) {
  std::vector<Operand> operands{{x, site}, {mean, site}, {variance, site}};
  if (options.scale) operands.emplace_back(*options.scale, site);
  if (options.bias) operands.emplace_back(*options.bias, site);
  return Graph::build("tensor.batch_norm", operands, site, [&](Graph& graph) -> Result<Value*> {
    const TensorType channels = graph.type(operands[1]);
    std::size_t next = 3;
    const auto parameter = [&](bool given, double missing) -> Result<Value*> {
      if (given) return graph.value(operands[next++]);
      return graph.splat(channels, missing);
    };
    ACCY_TRY_ASSIGN(Value * scale, parameter(options.scale.has_value(), 1.0));
    ACCY_TRY_ASSIGN(Value * bias, parameter(options.bias.has_value(), 0.0));
    return graph.create("tensor.batch_norm",
                        std::array{graph.value(operands[0]), scale, bias, graph.value(operands[1]),
                                   graph.value(operands[2])},
                        {{"epsilon", graph.context().floating(options.epsilon)}});
  });
}

Tensor mse_loss(const Tensor& x, const Tensor& target, Reduction reduction, CallSite site) {
  return loss("tensor.mse_loss", x, target, reduction, site);
}
Tensor mae_loss(const Tensor& x, const Tensor& target, Reduction reduction, CallSite site) {
  return loss("tensor.mae_loss", x, target, reduction, site);
}
Tensor huber_loss(const Tensor& x, const Tensor& target, double delta, Reduction reduction,
                  CallSite site) {
  return loss("tensor.huber_loss", x, target, reduction, site, std::pair{"delta", delta});
}
Tensor bce_with_logits_loss(const Tensor& x, const Tensor& target, Reduction reduction,
                            CallSite site) {
  return loss("tensor.bce_with_logits_loss", x, target, reduction, site);
}
Tensor kl_div_loss(const Tensor& x, const Tensor& target, Reduction reduction, CallSite site) {
  return loss("tensor.kl_div_loss", x, target, reduction, site);
}
Tensor hinge_loss(const Tensor& x, const Tensor& target, double margin, Reduction reduction,
                  CallSite site) {
  return loss("tensor.hinge_loss", x, target, reduction, site, std::pair{"margin", margin});
}

Tensor nll_loss(const Tensor& x, const Tensor& labels, const LabelOptions& options, CallSite site) {
  return label_loss("tensor.nll_loss", x, labels, options, false, site);
}
Tensor cross_entropy_loss(const Tensor& x, const Tensor& labels, const LabelOptions& options,
                          CallSite site) {
  return label_loss("tensor.cross_entropy_loss", x, labels, options, true, site);
}

}  // namespace accy
