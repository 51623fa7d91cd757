// Row kernels: reductions along any axes with what comes before and after them. A row is one index
// of the kept axes, a column one index of the reduced axes. Lanes share a row; each pass over the
// columns computes one reduction, the last one the outputs.
#include <algorithm>
#include <limits>

#include "dialect/tensor/numeric.hpp"
#include "dialect/tensor/reduction.hpp"
#include "dialect/tensor/type.hpp"
#include "kernel/generate/generator.hpp"
#include "support/checked.hpp"

namespace accy::kernel {

using choir::Operation;
using choir::Value;

namespace {

/// Columns of one lane that are written out instead of looped over, so that what one pass computed
/// is still at hand in the next.
constexpr std::int64_t unrolled_columns_maximum = 8;

class RowGenerator {
 public:
  RowGenerator(const GenerateRequest& request, KernelFrame& frame)
      : request_(request), frame_(frame), builder_(frame.builder()), emitter_(frame.emitter()) {
    const auto& domain = request.form.domain;
    std::vector<bool> reduced(domain.size(), false);
    for (choir::Attribute axis : request.form.anchors.front()->attribute("axes").array())
      reduced[static_cast<std::size_t>(axis.integer())] = true;
    for (std::size_t axis = 0; axis < domain.size(); ++axis) {
      (reduced[axis] ? reduced_axes_ : kept_axes_).push_back(axis);
      (reduced[axis] ? reduced_shape_ : kept_shape_).push_back(domain[axis]);
    }
    columns_ = *element_count(reduced_shape_);
    lanes_ = request.schedule.lanes_per_row;
    fixed_ =
        tensor::reduction_order(*request.form.anchors.front()) == tensor::ReductionOrder::fixed;
  }

  /// Writes the program of one row; `row` is its number, `lane` this invocation's among the lanes.
  void write(Value* row, Value* lane) {
    row_ = row;
    lane_ = lane;
    row_axes_ = emitter_.axes({kept_shape_, row, {}});
    const std::int64_t per_lane = ceil_divide(columns_, lanes_);
    if (per_lane <= unrolled_columns_maximum && columns_ > 0) {
      for (std::int64_t step = 0; step < per_lane; ++step)
        unrolled_.push_back(unrolled_point(step));
    }
    for (const Operation* anchor : request_.form.anchors) write_reduction(*anchor);
    write_outputs();
  }

 private:
  /// One column of this lane: where it is, and whether it exists.
  struct Column {
    Point point;
    Value* inside = nullptr;  ///< null: always
  };

  Point point_of(Value* column) {
    const std::vector<Value*> reduced = emitter_.axes({reduced_shape_, column, {}});
    Point point{request_.form.domain, nullptr, std::vector<Value*>(request_.form.domain.size())};
    for (std::size_t index = 0; index < kept_axes_.size(); ++index)
      point.axes[kept_axes_[index]] = row_axes_[index];
    for (std::size_t index = 0; index < reduced_axes_.size(); ++index)
      point.axes[reduced_axes_[index]] = reduced[index];
    return point;
  }

  /// The lane's column of that step. Where it lies outside, the last column stands in, so that
  /// loads stay in bounds; the value is then left out by `inside`.
  Column unrolled_point(std::int64_t step) {
    Value* column = builder_.add(lane_, step * lanes_);
    if ((step + 1) * lanes_ <= columns_) return {point_of(column), nullptr};
    Value* inside = builder_.less(column, columns_);
    return {point_of(builder_.select(inside, column, frame_.index_constant(columns_ - 1))), inside};
  }

  struct Reduction {
    ElementType accumulate;
    tensor::ReduceFunction function;
    Value* identity;
  };

  Reduction describe(const Operation& anchor) {
    const tensor::ReduceFunction function = *tensor::reduce_function(anchor);
    const ElementType element = element_of_tensor(*anchor.result());
    const ElementType accumulate = tensor::accumulates(function)
                                       ? tensor::accumulate_type(anchor, element)
                                       : compute_type(element);
    return {accumulate, function, identity_of(function, element, accumulate)};
  }

  /// The identity of the function on `element`, in the type that it accumulates in.
  Value* identity_of(tensor::ReduceFunction function, ElementType element, ElementType type) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    switch (function) {
      case tensor::ReduceFunction::sum: return builder_.constant_of(type, 0);
      case tensor::ReduceFunction::product: return builder_.constant_of(type, 1);
      case tensor::ReduceFunction::max:
        if (is_float(type)) return builder_.constant_float(type, -infinity);
        return builder_.constant_integer(type, lowest_integer(element));
      case tensor::ReduceFunction::min: break;
    }
    if (is_float(type)) return builder_.constant_float(type, infinity);
    if (element == ElementType::u64) return builder_.bit_not(builder_.constant_of(type, 0));
    return builder_.constant_integer(type, highest_integer(element));
  }

  static std::int64_t lowest_integer(ElementType type) {
    return is_signed(type) ? std::numeric_limits<std::int64_t>::min() >> (64 - bit_width(type)) : 0;
  }
  /// Of any integer type but u64.
  static std::int64_t highest_integer(ElementType type) {
    return is_signed(type) ? ~lowest_integer(type) : (std::int64_t{1} << bit_width(type)) - 1;
  }

  Value* combine(const Reduction& reduction, Value* a, Value* b) {
    switch (reduction.function) {
      case tensor::ReduceFunction::sum: return builder_.add(a, b);
      case tensor::ReduceFunction::product: return builder_.mul(a, b);
      case tensor::ReduceFunction::max: return builder_.max(a, b);
      case tensor::ReduceFunction::min: break;
    }
    return builder_.min(a, b);
  }

  void write_reduction(const Operation& anchor) {
    const Reduction reduction = describe(anchor);
    Value* total = columns_ == 0 ? reduction.identity : lane_total(anchor, reduction);
    if (columns_ != 0 && lanes_ > 1)
      total = fixed_                      ? fold_fixed(reduction, total)
              : request_.schedule.shuffle ? fold_shuffle(reduction, total)
                                          : fold_shared(reduction, total);
    const ElementType element = element_of_tensor(*anchor.result());
    Value* result = builder_.cast(total, compute_type(element));
    if (request_.round_each && compute_type(element) != element)
      result = builder_.cast(builder_.cast(result, element), compute_type(element));
    emitter_.bind(*anchor.result(), result);
  }

  /// This lane's share: its columns in rising order. The lane starts from its first element, since
  /// adding an identity would turn -0 into +0.
  Value* lane_total(const Operation& anchor, const Reduction& reduction) {
    const Value& operand = *anchor.operand(0);
    auto element = [&](const Point& point) {
      return builder_.cast(emitter_.emit(operand, point), reduction.accumulate);
    };
    if (!unrolled_.empty()) {
      Value* total = reduction.identity;
      for (std::size_t step = 0; step < unrolled_.size(); ++step) {
        const Column& column = unrolled_[step];
        Value* value = element(column.point);
        Value* next = step == 0 ? value : combine(reduction, total, value);
        total = column.inside == nullptr ? next : builder_.select(column.inside, next, total);
      }
      return total;
    }
    Value* first = builder_.select(builder_.less(lane_, columns_), lane_,
                                   frame_.index_constant(columns_ - 1));
    Value* start = element(point_of(first));
    return frame_.loop(
        builder_.add(lane_, lanes_), columns_, lanes_, {start},
        [&](Value* column, const std::vector<Value*>& carried) {
          const RegionEmitter::Scope scope(emitter_);
          return std::vector<Value*>{combine(reduction, carried[0], element(point_of(column)))};
        },
        ceil_divide(columns_, lanes_))[0];
  }

  /// Every lane that has a column takes part; the others hold what must not count.
  std::int64_t active_lanes() const { return std::min(columns_, lanes_); }

  /// The fixed order of docs/numerics.md: halves fold while both lanes exist.
  Value* fold_fixed(const Reduction& reduction, Value* total) {
    Value* memory = builder_.shared(reduction.accumulate, lanes_);
    builder_.store(total, memory, lane_);
    for (std::int64_t half = lanes_ / 2; half >= 1; half /= 2) {
      builder_.barrier();
      const std::int64_t pairs = std::min(half, active_lanes() - half);
      if (pairs <= 0) continue;
      builder_.if_then(builder_.less(lane_, pairs), [&] {
        Value* a = builder_.load(memory, lane_);
        Value* b = builder_.load(memory, builder_.add(lane_, half));
        builder_.store(combine(reduction, a, b), memory, lane_);
      });
    }
    return broadcast_first(memory);
  }

  Value* fold_shared(const Reduction& reduction, Value* total) {
    Value* memory = builder_.shared(reduction.accumulate, lanes_);
    builder_.store(without_inactive(reduction, total), memory, lane_);
    for (std::int64_t half = lanes_ / 2; half >= 1; half /= 2) {
      builder_.barrier();
      builder_.if_then(builder_.less(lane_, half), [&] {
        Value* a = builder_.load(memory, lane_);
        Value* b = builder_.load(memory, builder_.add(lane_, half));
        builder_.store(combine(reduction, a, b), memory, lane_);
      });
    }
    return broadcast_first(memory);
  }

  Value* broadcast_first(Value* memory) {
    builder_.barrier();
    Value* first = builder_.load(memory, frame_.index_constant(0));
    // The next reduction has memory of its own, so no barrier is needed behind the read.
    return first;
  }

  Value* fold_shuffle(const Reduction& reduction, Value* total) {
    Value* value = without_inactive(reduction, total);
    for (std::int64_t mask = lanes_ / 2; mask >= 1; mask /= 2)
      value = combine(reduction, value, builder_.shuffle_xor(value, mask));
    return value;
  }

  /// The identity in lanes beyond the columns. Unrolled columns have done that already.
  Value* without_inactive(const Reduction& reduction, Value* total) {
    if (columns_ >= lanes_ || !unrolled_.empty()) return total;
    return builder_.select(builder_.less(lane_, columns_), total, reduction.identity);
  }

  /// Outputs of the domain's shape are stored by column, the others once a row.
  void write_outputs() {
    std::vector<std::size_t> by_column;
    std::vector<std::size_t> by_row;
    for (std::size_t output = 0; output < frame_.output_count(); ++output) {
      const bool whole = request_.form.kind == host::ItemKind::row_pipeline &&
                         shape_of_tensor(frame_.yielded(output)) == request_.form.domain;
      (whole ? by_column : by_row).push_back(output);
    }
    if (!by_row.empty()) {
      auto store = [&] {
        const RegionEmitter::Scope scope(emitter_);
        for (std::size_t output : by_row)
          frame_.store_output(
              output, emitter_.emit(frame_.yielded(output), {kept_shape_, nullptr, row_axes_}),
              row_);
      };
      if (lanes_ == 1) store();
      else builder_.if_then(builder_.equal(lane_, frame_.index_constant(0)), store);
    }
    if (!by_column.empty() && columns_ != 0) write_columns(by_column);
  }

  void store_columns(const std::vector<std::size_t>& outputs, const Point& point) {
    for (std::size_t output : outputs)
      frame_.store_output(output, emitter_.emit(frame_.yielded(output), point),
                          emitter_.linear(point));
  }

  void write_columns(const std::vector<std::size_t>& outputs) {
    for (const Column& column : unrolled_) {
      if (column.inside == nullptr) {
        store_columns(outputs, column.point);
        continue;
      }
      builder_.if_then(column.inside, [&] {
        const RegionEmitter::Scope scope(emitter_);
        store_columns(outputs, column.point);
      });
    }
    if (!unrolled_.empty()) return;
    frame_.loop(
        lane_, columns_, lanes_, {},
        [&](Value* column, const std::vector<Value*>&) {
          const RegionEmitter::Scope scope(emitter_);
          store_columns(outputs, point_of(column));
          return std::vector<Value*>{};
        },
        ceil_divide(columns_, lanes_));
  }

  const GenerateRequest& request_;
  KernelFrame& frame_;
  KernelBuilder& builder_;
  RegionEmitter& emitter_;
  std::vector<std::size_t> kept_axes_, reduced_axes_;
  std::vector<std::int64_t> kept_shape_, reduced_shape_;
  std::int64_t columns_ = 0;
  std::int64_t lanes_ = 1;
  bool fixed_ = false;
  Value* row_ = nullptr;
  Value* lane_ = nullptr;
  std::vector<Value*> row_axes_;
  std::vector<Column> unrolled_;
};

}  // namespace

Result<Generated> generate_rows(const GenerateRequest& request) {
  const Operation& anchor = *request.form.anchors.front();
  ACCY_TRY_ASSIGN(const std::int64_t rows, element_count(shape_of_tensor(*anchor.result())));
  if (rows == 0) return Generated{};
  const std::int64_t lanes = request.schedule.lanes_per_row;
  const std::int64_t rows_per_group = lanes == 1 ? request.schedule.workgroup : 1;
  ACCY_TRY_ASSIGN(KernelFrame frame,
                  KernelFrame::create(request, ceil_divide(rows, rows_per_group),
                                      request.schedule.shuffle ? lanes : 0));
  KernelBuilder& builder = frame.builder();
  RowGenerator generator(request, frame);
  frame.in_group([&] {
    if (lanes != 1) return generator.write(frame.group(), frame.local());
    Value* row = builder.add(builder.mul(frame.group(), rows_per_group), frame.local());
    builder.if_then(builder.less(row, rows), [&] {
      const RegionEmitter::Scope scope(frame.emitter());
      generator.write(row, frame.index_constant(0));
    });
  });
  return Generated{frame.finish()};
}

}  // namespace accy::kernel
