// Operations that move elements: shapes, parts, and elements chosen by indices.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "accy/tensor.hpp"

namespace accy {

/// Axes of size 1 repeat, and new axes come first.
ACCY_EXPORT Tensor broadcast_to(const Tensor& x, const Shape& shape,
                                CallSite site = CallSite::here());
/// The same elements, row major; one size may be -1: what is left of the element count.
ACCY_EXPORT Tensor reshape(const Tensor& x, const Shape& shape, CallSite site = CallSite::here());
/// Axis i of the result is axis permutation[i] of x; by default in reverse order.
ACCY_EXPORT Tensor transpose(const Tensor& x, const Axes& permutation = {},
                             CallSite site = CallSite::here());
/// New axes of size 1, at their places in the result.
ACCY_EXPORT Tensor expand_dims(const Tensor& x, const Axes& axes, CallSite site = CallSite::here());
/// Without axes of size 1; by default all of those.
ACCY_EXPORT Tensor squeeze(const Tensor& x, const Axes& axes = {},
                           CallSite site = CallSite::here());

/// start:stop:step of an axis as Python has it: negative places count from the end, ends beyond the
/// axis are cut to it, a negative step goes backwards. By default all of the axis.
struct Range {
  std::optional<std::int64_t> start;
  std::optional<std::int64_t> stop;
  std::int64_t step = 1;
};
/// A range of each of the first axes, the others whole. An axis of a named dimension stays whole,
/// or is reversed.
ACCY_EXPORT Tensor slice(const Tensor& x, const std::vector<Range>& ranges,
                         CallSite site = CallSite::here());
/// The elements from last to first along axes.
ACCY_EXPORT Tensor flip(const Tensor& x, const Axes& axes = {}, CallSite site = CallSite::here());
/// Elements moved on along an axis by a number of places, the last ones back to the front.
ACCY_EXPORT Tensor roll(const Tensor& x, std::int64_t shift, std::int64_t axis,
                        CallSite site = CallSite::here());
/// The elements with one index along two axes, as the last axis of the result.
ACCY_EXPORT Tensor diagonal(const Tensor& x, std::int64_t first = 0, std::int64_t second = 1,
                            CallSite site = CallSite::here());

/// Tensors one after the other along an axis; of no tensors a failed one that belongs to no graph.
ACCY_EXPORT Tensor concat(const std::vector<Tensor>& tensors, std::int64_t axis = 0,
                          CallSite site = CallSite::here());
/// The same along a new axis.
ACCY_EXPORT Tensor stack(const std::vector<Tensor>& tensors, std::int64_t axis = 0,
                         CallSite site = CallSite::here());
/// Parts of these sizes, which add up to the axis.
ACCY_EXPORT std::vector<Tensor> split(const Tensor& x, const std::vector<std::int64_t>& sizes,
                                      std::int64_t axis = 0, CallSite site = CallSite::here());
/// So many elements of a value before and after each axis.
ACCY_EXPORT Tensor pad(const Tensor& x,
                       const std::vector<std::pair<std::int64_t, std::int64_t>>& widths,
                       const Operand& value = 0, CallSite site = CallSite::here());
/// The tensor repeated along each axis.
ACCY_EXPORT Tensor tile(const Tensor& x, const std::vector<std::int64_t>& counts,
                        CallSite site = CallSite::here());

/// Slices along an axis at indices, integers, whose axes replace it. An index below 0 counts from
/// the end, one that is still outside stands for the nearest element.
ACCY_EXPORT Tensor take(const Tensor& x, const Tensor& indices, std::int64_t axis = 0,
                        CallSite site = CallSite::here());
/// For each index the element of x at its place, with the place along the axis replaced by it; the
/// same rule for indices outside.
ACCY_EXPORT Tensor take_along(const Tensor& x, const Tensor& indices, std::int64_t axis,
                              CallSite site = CallSite::here());

struct OneHotOptions {
  ElementType element = ElementType::f32;
  std::int64_t axis = -1;  ///< the new axis, in the result
};
/// 1 at each index along a new axis of size `depth`, 0 elsewhere. An index below 0 counts from the
/// end, one outside is nowhere.
ACCY_EXPORT Tensor one_hot(const Tensor& indices, std::int64_t depth, OneHotOptions options = {},
                           CallSite site = CallSite::here());

}  // namespace accy
