// The evaluation interface of an op: written once for both kinds of tensor, HostTensor for typed
// and WideTensor for error-bound evaluation.
#pragma once

#include <span>
#include <vector>

#include "accy/host_tensor.hpp"
#include "choir/operation.hpp"
#include "dialect/tensor/numeric.hpp"
#include "dialect/tensor/weight_source.hpp"
#include "dialect/tensor/wide_tensor.hpp"

namespace accy::tensor {

/// One evaluation of an operation whose types are verified and whose operands fit them.
template <class Tensor>
struct Call {
  const choir::Operation& operation;
  std::span<const Tensor* const> operands;
  ElementType element;                  ///< of the result
  std::span<const std::int64_t> shape;  ///< of the result, symbols bound
  NumericMode mode;
  const WeightSource& weights;
};

/// Offered by every primitive op.
struct Evaluation {
  static const char key;
  Result<HostTensor> (*typed)(const Call<HostTensor>& call);
  Result<WideTensor> (*wide)(const Call<WideTensor>& call);
};

/// All zero bits, as a tensor of either kind.
template <class Tensor>
Result<Tensor> make_zeros(ElementType element, std::span<const std::int64_t> shape);
template <>
inline Result<HostTensor> make_zeros(ElementType element, std::span<const std::int64_t> shape) {
  return HostTensor::zeros(element, shape);
}
template <>
inline Result<WideTensor> make_zeros(ElementType element, std::span<const std::int64_t> shape) {
  return wide_zeros(element, shape);
}

}  // namespace accy::tensor
