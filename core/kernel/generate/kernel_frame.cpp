#include "dialect/host/host.hpp"
#include "kernel/generate/generator.hpp"
#include "support/checked.hpp"

namespace accy::kernel {

using choir::Operation;
using choir::Value;

namespace {

/// i32 where every element index of every block fits, else i64.
Result<ElementType> choose_index_type(const GenerateRequest& request) {
  constexpr std::int64_t limit = (std::int64_t{1} << 31) - 1;
  std::int64_t largest = 0;
  for (const Value* operand : request.item.operands())
    largest = std::max(largest, host::BlockType::from(operand->type())->element_count());
  // Indices may overrun the end by less than one workgroup's share before the guard stops them.
  if (largest <= limit - (std::int64_t{1} << 20)) return ElementType::i32;
  if (!request.profile.read(&TargetProfile::arithmetic_i64))
    return fail(ErrorCode::unsupported,
                "a block of " + std::to_string(largest) +
                    " elements needs 64-bit indices, the profile lacks arithmetic_i64");
  return ElementType::i64;
}

/// Loops count in i32, and so do the elements of one reduction or contraction.
Status check_loops(const GenerateRequest& request) {
  constexpr std::int64_t limit = (std::int64_t{1} << 31) - 1;
  for (const Operation* anchor : request.form.anchors) {
    std::int64_t count = 1;
    const auto shape = shape_of_tensor(*anchor->operand(0));
    if (const choir::Attribute axes = anchor->attribute("axes"))
      for (choir::Attribute axis : axes.array())
        count *= shape[static_cast<std::size_t>(axis.integer())];
    else
      count = shape.back();
    if (count > limit)
      return fail(ErrorCode::unsupported,
                  "reduces " + std::to_string(count) + " elements to one, the limit is " +
                      std::to_string(limit),
                  anchor->location().first(), std::string(anchor->name()));
  }
  return {};
}

}  // namespace

Result<KernelFrame> KernelFrame::create(const GenerateRequest& request, std::int64_t groups,
                                        std::int64_t subgroup) {
  KernelFrame frame;
  ACCY_TRY_ASSIGN(frame.index_type_, choose_index_type(request));
  ACCY_TRY(check_loops(request));
  ACCY_TRY_ASSIGN(frame.grid_, fold_grid(groups, request.profile));
  frame.groups_ = groups;
  frame.yield_ = request.item.body().terminator();
  frame.builder_ = std::make_unique<KernelBuilder>(
      request.module_body, FunctionOptions{.name = "kernel",
                                           .workgroup = {request.schedule.workgroup, 1, 1},
                                           .subgroup = subgroup,
                                           .exact = request.exact});
  KernelBuilder& builder = *frame.builder_;
  builder.set_location(request.item.location());
  builder.function().set_location(request.item.location());
  const auto reads = static_cast<std::size_t>(host::integer_or(request.item, "reads", 0));
  std::vector<Value*> inputs;
  for (std::size_t index = 0; index < request.item.operand_count(); ++index) {
    const Value* block = request.item.operand(index);
    const ElementType element = host::BlockType::from(block->type())->element();
    const bool read = index < reads;
    Value* buffer = builder.add_buffer(element, read ? Access::read : Access::write, block->name());
    (read ? inputs : frame.outputs_).push_back(buffer);
  }
  frame.emitter_ = std::make_unique<RegionEmitter>(builder, request.item.body(), std::move(inputs),
                                                   frame.index_type_, request.round_each);
  Value* group = builder.workgroup_id(0);
  if (frame.grid_.size[1] > 1 || frame.grid_.size[2] > 1) {
    Value* outer = builder.workgroup_id(1);
    if (frame.grid_.size[2] > 1)
      outer = builder.add(outer, builder.mul(builder.workgroup_id(2), frame.grid_.size[1]));
    group = builder.add(group, builder.mul(outer, frame.grid_.size[0]));
  }
  frame.group_ = builder.cast(group, frame.index_type_);
  return frame;
}

void KernelFrame::in_group(const std::function<void()>& body) {
  if (grid_.size[0] * grid_.size[1] * grid_.size[2] == groups_) return body();
  builder_->if_then(builder_->less(group_, groups_), [&] {
    const RegionEmitter::Scope scope(*emitter_);
    body();
  });
}

Value* KernelFrame::local() { return builder_->cast(builder_->local_id(0), index_type_); }

std::vector<Value*> KernelFrame::loop(Value* lower, std::int64_t upper, std::int64_t step,
                                      const std::vector<Value*>& init,
                                      const KernelBuilder::LoopBody& body,
                                      std::int64_t maximum_trips) {
  if (index_type_ == ElementType::i32)
    return builder_->for_loop(lower, index_constant(upper), index_constant(step), init, body,
                              maximum_trips);
  // Loops count in i32: count the trips, and find the index from the trip's number.
  Value* rest = builder_->add(builder_->sub(index_constant(upper), lower), step - 1);
  Value* trips = builder_->index_div(builder_->max(rest, index_constant(0)), step);
  return builder_->for_loop(
      builder_->constant_i32(0), builder_->cast(trips, ElementType::i32),
      builder_->constant_i32(1), init,
      [&](Value* trip, const std::vector<Value*>& carried) {
        Value* offset = builder_->mul(builder_->cast(trip, index_type_), step);
        return body(builder_->add(lower, offset), carried);
      },
      maximum_trips);
}

const Value& KernelFrame::yielded(std::size_t index) const { return *yield_->operand(index); }

void KernelFrame::store_output(std::size_t index, Value* value, Value* at) {
  const ElementType element = element_of_tensor(yielded(index));
  builder_->store(emitter_->to_storage(value, element), outputs_[index], at);
}

GeneratedLaunch KernelFrame::finish() { return {builder_->finish(), grid_}; }

}  // namespace accy::kernel
