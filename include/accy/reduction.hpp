// Operations that make one element of many: reductions and the matrix product.
#pragma once

#include <string_view>
#include <vector>

#include "accy/tensor.hpp"

namespace accy {

struct ReduceOptions {
  bool keep_dimensions = false;  ///< reduced axes stay with size 1
};
/// Over axes, which the result drops; the graph's numeric contract says in what type and order. Of
/// no elements 0 and 1.
ACCY_EXPORT Tensor sum(const Tensor& x, const Axes& axes = {}, ReduceOptions options = {},
                       CallSite site = CallSite::here());
ACCY_EXPORT Tensor product(const Tensor& x, const Axes& axes = {}, ReduceOptions options = {},
                           CallSite site = CallSite::here());
/// Extrema over axes; NaN if any is. Of no elements the infinity, or the integer, at the other end.
ACCY_EXPORT Tensor max(const Tensor& x, const Axes& axes = {}, ReduceOptions options = {},
                       CallSite site = CallSite::here());
ACCY_EXPORT Tensor min(const Tensor& x, const Axes& axes = {}, ReduceOptions options = {},
                       CallSite site = CallSite::here());
/// Of floats; of no elements NaN.
ACCY_EXPORT Tensor mean(const Tensor& x, const Axes& axes = {}, ReduceOptions options = {},
                        CallSite site = CallSite::here());
/// Of floats: the squared differences from the mean, summed, by the element count less the
/// correction (1 for Bessel's).
ACCY_EXPORT Tensor variance(const Tensor& x, const Axes& axes = {}, double correction = 0,
                            ReduceOptions options = {}, CallSite site = CallSite::here());
/// log(sum(exp(x))) without overflow.
ACCY_EXPORT Tensor logsumexp(const Tensor& x, const Axes& axes = {}, ReduceOptions options = {},
                             CallSite site = CallSite::here());
/// The sum of magnitudes, and the root of the sum of squares.
ACCY_EXPORT Tensor norm_l1(const Tensor& x, const Axes& axes = {}, ReduceOptions options = {},
                           CallSite site = CallSite::here());
ACCY_EXPORT Tensor norm_l2(const Tensor& x, const Axes& axes = {}, ReduceOptions options = {},
                           CallSite site = CallSite::here());
// Of bool tensors.
ACCY_EXPORT Tensor any(const Tensor& x, const Axes& axes = {}, ReduceOptions options = {},
                       CallSite site = CallSite::here());
ACCY_EXPORT Tensor all(const Tensor& x, const Axes& axes = {}, ReduceOptions options = {},
                       CallSite site = CallSite::here());

struct ExtremumOptions {
  bool keep_dimensions = false;  ///< the axis stays with size 1
  bool last = false;             ///< the last of equals, not the first
  bool narrow = false;           ///< indices of i32, not i64
};
/// Where the extremum along an axis is; a NaN counts as one.
ACCY_EXPORT Tensor argmax(const Tensor& x, std::int64_t axis = -1, ExtremumOptions options = {},
                          CallSite site = CallSite::here());
ACCY_EXPORT Tensor argmin(const Tensor& x, std::int64_t axis = -1, ExtremumOptions options = {},
                          CallSite site = CallSite::here());

/// Matrix product [.., M, K] x [.., K, N]; batch axes broadcast. A tensor of rank 1 is a row on the
/// left and a column on the right, and its added axis is dropped again.
ACCY_EXPORT Tensor matmul(const Tensor& left, const Tensor& right,
                          CallSite site = CallSite::here());

/// The product of tensors summed over the indices that the result does not have, by an equation as
/// NumPy's ("ij,jk->ik"; a repeated letter in a term takes the diagonal, an ellipsis broadcasts).
ACCY_EXPORT Tensor einsum(std::string_view equation, const std::vector<Tensor>& tensors,
                          CallSite site = CallSite::here());

}  // namespace accy
