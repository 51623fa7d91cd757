// Operations of neural networks: activations, normalizations, losses.
#pragma once

#include <cstdint>
#include <optional>

#include "accy/tensor.hpp"

namespace accy {

// Activations.
ACCY_EXPORT Tensor relu(const Tensor& x, CallSite site = CallSite::here());
/// min(max(x, 0), 6)
ACCY_EXPORT Tensor relu6(const Tensor& x, CallSite site = CallSite::here());
/// x above zero, else alpha * x.
ACCY_EXPORT Tensor leaky_relu(const Tensor& x, double alpha = 0.01,
                              CallSite site = CallSite::here());
/// x above alpha, else 0.
ACCY_EXPORT Tensor thresholded_relu(const Tensor& x, double alpha = 1,
                                    CallSite site = CallSite::here());
/// x above zero, else alpha * (exp(x) - 1).
ACCY_EXPORT Tensor elu(const Tensor& x, double alpha = 1, CallSite site = CallSite::here());
/// gamma * x above zero, else gamma * alpha * (exp(x) - 1), with the constants of Klambauer et al.
ACCY_EXPORT Tensor selu(const Tensor& x, CallSite site = CallSite::here());
/// x above zero, else alpha * (exp(x / alpha) - 1).
ACCY_EXPORT Tensor celu(const Tensor& x, double alpha = 1, CallSite site = CallSite::here());
/// alpha * x + beta within 0 and 1.
ACCY_EXPORT Tensor hard_sigmoid(const Tensor& x, double alpha = 0.2, double beta = 0.5,
                                CallSite site = CallSite::here());
/// x * min(max(x + 3, 0), 6) / 6
ACCY_EXPORT Tensor hard_swish(const Tensor& x, CallSite site = CallSite::here());
/// min(max(x, low), high)
ACCY_EXPORT Tensor hard_tanh(const Tensor& x, double low = -1, double high = 1,
                             CallSite site = CallSite::here());
/// x * sigmoid(x): swish.
ACCY_EXPORT Tensor silu(const Tensor& x, CallSite site = CallSite::here());
/// x * sigmoid(alpha * x)
ACCY_EXPORT Tensor quick_gelu(const Tensor& x, double alpha = 1.702,
                              CallSite site = CallSite::here());
/// x * tanh(softplus(x))
ACCY_EXPORT Tensor mish(const Tensor& x, CallSite site = CallSite::here());
/// x / (1 + |x|)
ACCY_EXPORT Tensor softsign(const Tensor& x, CallSite site = CallSite::here());
/// log(sigmoid(x)), without overflow.
ACCY_EXPORT Tensor log_sigmoid(const Tensor& x, CallSite site = CallSite::here());
ACCY_EXPORT Tensor sigmoid(const Tensor& x, CallSite site = CallSite::here());
/// log(1 + exp(x)), without overflow or cancellation.
ACCY_EXPORT Tensor softplus(const Tensor& x, CallSite site = CallSite::here());

enum class GeluForm : std::uint8_t {
  exact,  ///< by erf
  tanh,   ///< the approximation by tanh
};
ACCY_EXPORT Tensor gelu(const Tensor& x, GeluForm form = GeluForm::exact,
                        CallSite site = CallSite::here());

/// exp(x - max) over its sum along one axis.
ACCY_EXPORT Tensor softmax(const Tensor& x, std::int64_t axis = -1,
                           CallSite site = CallSite::here());

/// The logarithm of softmax along one axis, without overflow.
ACCY_EXPORT Tensor log_softmax(const Tensor& x, std::int64_t axis = -1,
                               CallSite site = CallSite::here());

/// What normalizations scale and shift by, in x's element type, where given.
struct NormOptions {
  std::optional<Tensor> scale;
  std::optional<Tensor> bias;
  double epsilon = 1e-5;  ///< added to the variance
};
/// (x - mean) / sqrt(variance + epsilon) over the axes from `axis` on, whose shape scale and bias
/// have.
ACCY_EXPORT Tensor layer_norm(const Tensor& x, std::int64_t axis = -1,
                              const NormOptions& options = {}, CallSite site = CallSite::here());
/// x / sqrt(mean of squares + epsilon) over the axes from `axis` on; there is no bias.
ACCY_EXPORT Tensor rms_norm(const Tensor& x, std::int64_t axis = -1,
                            const NormOptions& options = {}, CallSite site = CallSite::here());
/// Over groups of channels, axis 1, of each sample; scale and bias hold one number a channel.
ACCY_EXPORT Tensor group_norm(const Tensor& x, std::int64_t groups, const NormOptions& options = {},
                              CallSite site = CallSite::here());
/// Over each channel of each sample.
ACCY_EXPORT Tensor instance_norm(const Tensor& x, const NormOptions& options = {},
                                 CallSite site = CallSite::here());
/// With a given mean and variance a channel: the form of inference.
ACCY_EXPORT Tensor batch_norm(const Tensor& x, const Tensor& mean, const Tensor& variance,
                              const NormOptions& options = {}, CallSite site = CallSite::here());

/// What becomes of the losses of the elements.
enum class Reduction : std::uint8_t { mean, sum, none };

// Losses of two float tensors of one type.
/// (x - target)^2
ACCY_EXPORT Tensor mse_loss(const Tensor& x, const Tensor& target,
                            Reduction reduction = Reduction::mean,
                            CallSite site = CallSite::here());
/// |x - target|
ACCY_EXPORT Tensor mae_loss(const Tensor& x, const Tensor& target,
                            Reduction reduction = Reduction::mean,
                            CallSite site = CallSite::here());
/// With d = |x - target|: d^2 / 2 up to delta, delta * (d - delta / 2) beyond.
ACCY_EXPORT Tensor huber_loss(const Tensor& x, const Tensor& target, double delta = 1,
                              Reduction reduction = Reduction::mean,
                              CallSite site = CallSite::here());
/// The binary cross-entropy of sigmoid(x), without overflow.
ACCY_EXPORT Tensor bce_with_logits_loss(const Tensor& x, const Tensor& target,
                                        Reduction reduction = Reduction::mean,
                                        CallSite site = CallSite::here());
/// target * (log(target) - x), x being logarithms of probabilities; 0 where the target is 0.
ACCY_EXPORT Tensor kl_div_loss(const Tensor& x, const Tensor& target,
                               Reduction reduction = Reduction::mean,
                               CallSite site = CallSite::here());
/// max(0, margin - x * target), the target being -1 or 1.
ACCY_EXPORT Tensor hinge_loss(const Tensor& x, const Tensor& target, double margin = 1,
                              Reduction reduction = Reduction::mean,
                              CallSite site = CallSite::here());

struct LabelOptions {
  std::optional<Tensor> weights;             ///< one number a class
  std::optional<std::int64_t> ignore_index;  ///< label of elements that do not count
  double label_smoothing = 0;                ///< cross_entropy_loss only, 0 to 1
  Reduction reduction = Reduction::mean;     ///< the mean is by the sum of the weights
};
/// Minus the element of x [N, C, ...], logarithms of probabilities, at each label [N, ...].
ACCY_EXPORT Tensor nll_loss(const Tensor& x, const Tensor& labels, const LabelOptions& options = {},
                            CallSite site = CallSite::here());
/// nll_loss of the logarithm of x's softmax over the classes, axis 1.
ACCY_EXPORT Tensor cross_entropy_loss(const Tensor& x, const Tensor& labels,
                                      const LabelOptions& options = {},
                                      CallSite site = CallSite::here());

}  // namespace accy
