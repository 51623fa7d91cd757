// Structured control flow: counted loops and selections, with phis for the values they carry.
#include <array>

#include "targets/vulkan/emit/emitter.hpp"

namespace accy::vulkan {

namespace {

using choir::Block;
using choir::Operation;

struct OpenPhi {
  Id id = 0;
  std::size_t place = 0;
};

OpenPhi open_phi(Emitter& emitter, const choir::Value* value, Id initial, Id before, Id after) {
  const Id type = emitter.type(kernel::element_of(value->type()));
  const auto [id, place] = emitter.builder().open_phi(type, initial, before, after);
  return {id, place};
}

Status emit_for(Emitter& emitter, const Operation& operation) {
  ModuleBuilder& builder = emitter.builder();
  WordMath math(emitter);
  const Block& body = operation.body();
  const Id before = builder.current_block();
  const Id header = builder.new_id();
  const Id start = builder.new_id();
  const Id proceed = builder.new_id();
  const Id merge = builder.new_id();
  builder.emit_void(spv::Op::OpBranch, {header});

  builder.label(header);
  std::vector<OpenPhi> phis;
  for (std::size_t index = 0; index < body.argument_count(); ++index) {
    const Id initial = emitter.operand(operation, index == 0 ? 0 : index + 2);
    phis.push_back(open_phi(emitter, body.argument(index), initial, before, proceed));
    emitter.bind(body.argument(index), phis.back().id);
  }
  const Id more = math.less_signed(phis.front().id, emitter.operand(operation, 1));
  builder.emit_void(spv::Op::OpLoopMerge, {merge, proceed, 0});
  builder.emit_void(spv::Op::OpBranchConditional, {more, start, merge});

  builder.label(start);
  ACCY_TRY_ASSIGN(const Words next, emitter.emit_block(body));
  builder.emit_void(spv::Op::OpBranch, {proceed});

  builder.label(proceed);
  builder.patch_phi(phis.front().place,
                    math.add(phis.front().id, emitter.operand(operation, 2)));
  for (std::size_t index = 0; index < next.size(); ++index)
    builder.patch_phi(phis[index + 1].place, next[index]);
  builder.emit_void(spv::Op::OpBranch, {header});

  builder.label(merge);
  for (std::size_t index = 0; index < operation.result_count(); ++index)
    emitter.bind(operation.result(index), phis[index + 1].id);
  return {};
}

Status emit_if(Emitter& emitter, const Operation& operation) {
  ModuleBuilder& builder = emitter.builder();
  const std::array sides{builder.new_id(), builder.new_id()};
  const Id merge = builder.new_id();
  builder.emit_void(spv::Op::OpSelectionMerge, {merge, 0});
  builder.emit_void(spv::Op::OpBranchConditional,
                    {emitter.operand(operation, 0), sides[0], sides[1]});
  std::array<Words, 2> values;
  std::array<Id, 2> ends{};
  for (std::size_t side = 0; side < 2; ++side) {
    builder.label(sides[side]);
    ACCY_TRY_ASSIGN(values[side], emitter.emit_block(operation.body(side)));
    ends[side] = builder.current_block();
    builder.emit_void(spv::Op::OpBranch, {merge});
  }
  builder.label(merge);
  for (std::size_t index = 0; index < operation.result_count(); ++index) {
    const choir::Value* result = operation.result(index);
    const Id type = emitter.type(kernel::element_of(result->type()));
    emitter.bind(result, builder.emit(spv::Op::OpPhi, type,
                                      {values[0][index], ends[0], values[1][index], ends[1]}));
  }
  return {};
}

constexpr std::array rules{
    OpRule{kernel::op::for_op, emit_for},
    OpRule{kernel::op::if_op, emit_if},
};

}  // namespace

std::span<const OpRule> control_rules() { return rules; }

}  // namespace accy::vulkan
