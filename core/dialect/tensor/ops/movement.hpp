// What the ops that move the elements of one operand are declared with. Included by ops/*.cpp only.
#pragma once

#include "dialect/tensor/arithmetic/dispatch.hpp"
#include "dialect/tensor/define.hpp"
#include "dialect/tensor/strides.hpp"
#include "support/checked.hpp"

namespace accy::tensor {

/// out[i] = in[offset + sum over axes of i * stride], `strides` being by out's axes.
template <class Tensor>
void copy_strided(const Tensor& in, Tensor& out, std::span<const std::int64_t> strides,
                  std::int64_t offset) {
  const std::int64_t inner = out.shape.empty() ? 1 : out.shape.back();
  const std::int64_t step = strides.empty() ? 0 : strides.back();
  const std::size_t outer = out.shape.empty() ? 0 : out.shape.size() - 1;
  const std::int64_t count = out.count();
  for_planes(in, out, [&](const auto* from, auto* to) {
    StridedCounter counter(std::span(out.shape).first(outer), strides.first(outer));
    for (std::int64_t start = 0; start < count; start += inner, counter.advance())
      for (std::int64_t index = 0; index < inner; ++index)
        to[start + index] = from[offset + counter.offset() + index * step];
  });
}

/// An op that `Op::sources` describes wholly.
template <class Op>
struct Movement : Operator {
  template <class Tensor>
  static Result<Tensor> evaluate(const Call<Tensor>& call) {
    const Tensor& in = *call.operands[0];
    ACCY_TRY_ASSIGN(Tensor out, make_zeros<Tensor>(call.element, call.shape));
    if (out.count() == 0) return out;
    const std::vector<std::int64_t> own = row_major_strides(in.shape);
    const std::vector<AxisSource> sources = Op::sources(call.operation, in.shape, call.shape);
    std::vector<std::int64_t> strides(call.shape.size(), 0);
    std::int64_t offset = 0;
    for (std::size_t axis = 0; axis < sources.size(); ++axis) {
      offset += sources[axis].offset * own[axis];
      if (sources[axis].axis != AxisSource::none)
        strides[static_cast<std::size_t>(sources[axis].axis)] += sources[axis].scale * own[axis];
    }
    copy_strided(in, out, strides, offset);
    return out;
  }
};

}  // namespace accy::tensor
