// Contraction kernels: matmul with batch axes, what comes before its operands and behind its
// result.
#include "dialect/tensor/numeric.hpp"
#include "kernel/generate/generator.hpp"
#include "support/checked.hpp"

namespace accy::kernel {

using choir::Operation;
using choir::Value;

namespace {

/// Accumulators of one invocation, row by row.
using Accumulators = std::vector<Value*>;

class ContractionGenerator {
 public:
  ContractionGenerator(const GenerateRequest& request, KernelFrame& frame)
      : request_(request), frame_(frame), builder_(frame.builder()), emitter_(frame.emitter()),
        schedule_(request.schedule), anchor_(*request.form.anchors.front()) {
    const auto a = shape_of_tensor(*anchor_.operand(0));
    depth_ = a.back();
    const auto& domain = request.form.domain;
    m_ = domain[domain.size() - 2];
    n_ = domain[domain.size() - 1];
    accumulate_ = tensor::accumulate_type(anchor_, element_of_tensor(*anchor_.result()));
  }

  /// Work of an invocation by itself: register_m x register_n outputs from row m0, column n0.
  void write_direct(std::vector<Value*> batch, Value* m0, Value* n0) {
    batch_ = std::move(batch);
    place_outputs(m0, n0, 1, 1);
    const std::int64_t unroll = schedule_.unroll_k;
    const std::int64_t whole = depth_ - depth_ % unroll;
    Accumulators sums = frame_.loop(
        frame_.index_constant(0), whole, unroll, start(),
        [&](Value* k, const Accumulators& carried) {
          const RegionEmitter::Scope scope(emitter_);
          Accumulators next = carried;
          for (std::int64_t step = 0; step < unroll; ++step)
            next = multiply_outer(next, builder_.add(k, step));
          return next;
        },
        whole / unroll);
    for (std::int64_t k = whole; k < depth_; ++k)
      sums = multiply_outer(sums, frame_.index_constant(k));
    write_results(sums);
  }

  /// Work of a workgroup: a tile_m x tile_n tile from row m0, column n0, through workgroup memory.
  void write_tiled(std::vector<Value*> batch, Value* m0, Value* n0) {
    batch_ = std::move(batch);
    const std::int64_t across = schedule_.tile_n / schedule_.register_n;
    Value* thread_m = builder_.index_div(frame_.local(), across);
    Value* thread_n = builder_.index_rem(frame_.local(), across);
    // Strided by the invocations, so that neighbours read neighbouring words of workgroup memory.
    const std::int64_t stride_m = schedule_.tile_m / schedule_.register_m;
    place_outputs(builder_.add(m0, thread_m), builder_.add(n0, thread_n), stride_m, across);
    tile_a_ = builder_.shared(accumulate_, schedule_.tile_m * schedule_.tile_k);
    tile_b_ = builder_.shared(accumulate_, schedule_.tile_k * schedule_.tile_n);
    Accumulators sums = frame_.loop(
        frame_.index_constant(0), depth_, schedule_.tile_k, start(),
        [&](Value* k0, const Accumulators& carried) {
          const RegionEmitter::Scope scope(emitter_);
          fill_tiles(m0, n0, k0);
          builder_.barrier();
          Accumulators next = multiply_tile(carried, thread_m, thread_n, stride_m, across, k0);
          builder_.barrier();
          return next;
        },
        ceil_divide(depth_, schedule_.tile_k));
    write_results(sums);
  }

 private:
  /// -0 is the exact identity of addition, so that the first product stands as it is.
  Accumulators start() {
    Value* zero = is_float(accumulate_) ? builder_.constant_float(accumulate_, -0.0)
                                        : builder_.constant_integer(accumulate_, 0);
    return Accumulators(
        static_cast<std::size_t>(schedule_.register_m * schedule_.register_n), zero);
  }

  /// Rows m0 + i * stride_m and columns n0 + j * stride_n, clamped into the product for loads.
  void place_outputs(Value* m0, Value* n0, std::int64_t stride_m, std::int64_t stride_n) {
    for (std::int64_t i = 0; i < schedule_.register_m; ++i)
      rows_.push_back(builder_.add(m0, i * stride_m));
    for (std::int64_t j = 0; j < schedule_.register_n; ++j)
      columns_.push_back(builder_.add(n0, j * stride_n));
    for (Value* row : rows_) clamped_rows_.push_back(clamp(row, m_));
    for (Value* column : columns_) clamped_columns_.push_back(clamp(column, n_));
  }

  Value* clamp(Value* index, std::int64_t size) {
    return builder_.min(index, frame_.index_constant(size - 1));
  }

  Value* load(const Value& operand, Value* row, Value* column) {
    Point point{shape_of_tensor(operand), nullptr, {}};
    // An operand of rank two is shared by all batches.
    if (point.shape.size() > 2) point.axes = batch_;
    point.axes.push_back(row);
    point.axes.push_back(column);
    return builder_.cast(emitter_.emit(operand, point), accumulate_);
  }
  Value* load_a(Value* row, Value* k) { return load(*anchor_.operand(0), row, k); }
  Value* load_b(Value* k, Value* column) { return load(*anchor_.operand(1), k, column); }

  Accumulators multiply(const Accumulators& sums, const std::vector<Value*>& a,
                        const std::vector<Value*>& b) {
    Accumulators next;
    for (std::size_t i = 0; i < a.size(); ++i)
      for (std::size_t j = 0; j < b.size(); ++j)
        next.push_back(builder_.multiply_add(a[i], b[j], sums[i * b.size() + j]));
    return next;
  }

  /// Adds the products of column k of A and row k of B, read where they are.
  Accumulators multiply_outer(const Accumulators& sums, Value* k) {
    std::vector<Value*> a, b;
    for (Value* row : clamped_rows_) a.push_back(load_a(row, k));
    for (Value* column : clamped_columns_) b.push_back(load_b(k, column));
    return multiply(sums, a, b);
  }

  void fill_tiles(Value* m0, Value* n0, Value* k0) {
    fill(tile_a_, schedule_.tile_m * schedule_.tile_k, [&](Value* slot) {
      Value* row = builder_.add(m0, builder_.index_div(slot, schedule_.tile_k));
      Value* k = builder_.add(k0, builder_.index_rem(slot, schedule_.tile_k));
      return load_a(clamp(row, m_), clamp(k, depth_));
    });
    fill(tile_b_, schedule_.tile_k * schedule_.tile_n, [&](Value* slot) {
      Value* k = builder_.add(k0, builder_.index_div(slot, schedule_.tile_n));
      Value* column = builder_.add(n0, builder_.index_rem(slot, schedule_.tile_n));
      return load_b(clamp(k, depth_), clamp(column, n_));
    });
  }

  /// Every invocation fills slots local, local + workgroup, ...; the schedule makes it come out
  /// even.
  void fill(Value* tile, std::int64_t slots, const std::function<Value*(Value*)>& element) {
    for (std::int64_t first = 0; first < slots; first += schedule_.workgroup) {
      Value* slot = builder_.add(frame_.local(), first);
      builder_.store(element(slot), tile, slot);
    }
  }

  /// One step of the tile's depth: products of a column of A's tile and a row of B's.
  Accumulators multiply_step(const Accumulators& sums, Value* thread_m, Value* thread_n,
                             std::int64_t stride_m, std::int64_t stride_n, Value* k) {
    std::vector<Value*> a, b;
    for (std::int64_t i = 0; i < schedule_.register_m; ++i)
      a.push_back(builder_.load(
          tile_a_,
          builder_.add(builder_.mul(builder_.add(thread_m, i * stride_m), schedule_.tile_k), k)));
    for (std::int64_t j = 0; j < schedule_.register_n; ++j)
      b.push_back(builder_.load(
          tile_b_,
          builder_.add(builder_.mul(k, schedule_.tile_n), builder_.add(thread_n, j * stride_n))));
    return multiply(sums, a, b);
  }

  /// All of the tile's depth where it divides the product's; else a loop that ends with it, because
  /// a product with a padding zero would not be neutral (-0, infinity, NaN).
  Accumulators multiply_tile(const Accumulators& carried, Value* thread_m, Value* thread_n,
                             std::int64_t stride_m, std::int64_t stride_n, Value* k0) {
    if (depth_ % schedule_.tile_k == 0) {
      Accumulators sums = carried;
      for (std::int64_t k = 0; k < schedule_.tile_k; ++k)
        sums = multiply_step(sums, thread_m, thread_n, stride_m, stride_n,
                             frame_.index_constant(k));
      return sums;
    }
    Value* rest = builder_.sub(frame_.index_constant(depth_), k0);
    Value* end = builder_.min(rest, frame_.index_constant(schedule_.tile_k));
    return builder_.for_loop(
        builder_.constant_i32(0), builder_.cast(end, ElementType::i32), builder_.constant_i32(1),
        carried,
        [&](Value* k, const Accumulators& sums) {
          return multiply_step(sums, thread_m, thread_n, stride_m, stride_n,
                               builder_.cast(k, frame_.index_type()));
        },
        schedule_.tile_k);
  }

  void write_results(const Accumulators& sums) {
    for (std::size_t i = 0; i < rows_.size(); ++i)
      for (std::size_t j = 0; j < columns_.size(); ++j) {
        Value* inside =
            builder_.bit_and(builder_.less(rows_[i], m_), builder_.less(columns_[j], n_));
        builder_.if_then(inside, [&] {
          write_result(rows_[i], columns_[j], sums[i * columns_.size() + j]);
        });
      }
  }

  void write_result(Value* row, Value* column, Value* sum) {
    const RegionEmitter::Scope scope(emitter_);
    const ElementType element = element_of_tensor(*anchor_.result());
    Value* result = depth_ == 0 ? builder_.constant_of(compute_type(element), 0)
                                : builder_.cast(sum, compute_type(element));
    if (request_.round_each && compute_type(element) != element)
      result = builder_.cast(builder_.cast(result, element), compute_type(element));
    emitter_.bind(*anchor_.result(), result);
    Point point{request_.form.domain, nullptr, batch_};
    point.axes.push_back(row);
    point.axes.push_back(column);
    Value* at = emitter_.linear(point);
    for (std::size_t output = 0; output < frame_.output_count(); ++output)
      frame_.store_output(output, emitter_.emit(frame_.yielded(output), point), at);
  }

  const GenerateRequest& request_;
  KernelFrame& frame_;
  KernelBuilder& builder_;
  RegionEmitter& emitter_;
  const Schedule& schedule_;
  const Operation& anchor_;
  std::int64_t depth_ = 0, m_ = 0, n_ = 0;
  ElementType accumulate_ = ElementType::f32;
  std::vector<Value*> batch_, rows_, columns_, clamped_rows_, clamped_columns_;
  Value* tile_a_ = nullptr;
  Value* tile_b_ = nullptr;
};

}  // namespace

Result<Generated> generate_contraction(const GenerateRequest& request) {
  const auto& domain = request.form.domain;
  ACCY_TRY_ASSIGN(const std::int64_t count, element_count(domain));
  if (count == 0) return Generated{};
  const Schedule& schedule = request.schedule;
  const bool tiled = schedule.kind == ScheduleClass::tiled;
  const std::int64_t step_m = tiled ? schedule.tile_m : schedule.register_m;
  const std::int64_t step_n = tiled ? schedule.tile_n : schedule.register_n;
  const std::int64_t tiles_m = ceil_divide(domain[domain.size() - 2], step_m);
  const std::int64_t tiles_n = ceil_divide(domain[domain.size() - 1], step_n);
  const std::vector<std::int64_t> batch_shape(domain.begin(), domain.end() - 2);
  ACCY_TRY_ASSIGN(const std::int64_t batches, element_count(batch_shape));
  const std::int64_t tiles = batches * tiles_m * tiles_n;
  const std::int64_t tiles_per_group = tiled ? 1 : schedule.workgroup;
  ACCY_TRY_ASSIGN(KernelFrame frame,
                  KernelFrame::create(request, ceil_divide(tiles, tiles_per_group), 0));
  KernelBuilder& builder = frame.builder();
  ContractionGenerator generator(request, frame);
  auto write_tile = [&](Value* tile) {
    Value* n0 = builder.mul(builder.index_rem(tile, tiles_n), step_n);
    Value* rest = builder.index_div(tile, tiles_n);
    Value* m0 = builder.mul(builder.index_rem(rest, tiles_m), step_m);
    const auto batch = frame.emitter().axes({batch_shape, builder.index_div(rest, tiles_m), {}});
    tiled ? generator.write_tiled(batch, m0, n0) : generator.write_direct(batch, m0, n0);
  };
  frame.in_group([&] {
    if (tiled) return write_tile(frame.group());
    Value* tile = builder.add(builder.mul(frame.group(), tiles_per_group), frame.local());
    builder.if_then(builder.less(tile, tiles), [&] {
      const RegionEmitter::Scope scope(frame.emitter());
      write_tile(tile);
    });
  });
  return Generated{frame.finish()};
}

}  // namespace accy::kernel
