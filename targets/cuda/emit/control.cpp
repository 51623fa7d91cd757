// for and if. Carried values and results are registers that the branches move into.
#include <algorithm>
#include <limits>

#include "targets/cuda/emit/emitter.hpp"

namespace accy::cuda {

namespace {

/// Registers of the operands from `first` on; carried values and results are scalars.
std::vector<Register> operand_registers(const Emitter& emitter, const choir::Operation& operation,
                                        std::size_t first) {
  std::vector<Register> all;
  for (std::size_t i = first; i < operation.operand_count(); ++i)
    all.push_back(emitter.scalar(operation.operand(i)));
  return all;
}

/// Moves as if all at once: a source that an earlier move overwrites is saved first.
void move_together(Emitter& emitter, std::span<const Register> destinations,
                   std::vector<Register> sources) {
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const auto written = destinations.first(i);
    if (std::find(written.begin(), written.end(), sources[i]) == written.end()) continue;
    const Register saved = emitter.writer().make_register(sources[i].kind);
    emitter.move(saved, sources[i]);
    sources[i] = saved;
  }
  for (std::size_t i = 0; i < sources.size(); ++i)
    if (!(destinations[i] == sources[i])) emitter.move(destinations[i], sources[i]);
}

Register define_new(Emitter& emitter, const choir::Value* value) {
  const Register made = emitter.writer().make_register(class_of(kernel::element_of(value->type())));
  emitter.define(value, made);
  return made;
}

/// Whether index + step, index < upper, can pass the end of i32.
bool may_overflow(const choir::Operation& operation) {
  const auto upper = kernel::constant_integer(operation.operand(1));
  const auto step = kernel::constant_integer(operation.operand(2));
  if (step && *step == 1) return false;
  return !upper || !step || *upper > std::numeric_limits<std::int32_t>::max() - *step;
}

/// Advances the index and branches back while it stays below `upper`.
void emit_loop_end(Emitter& emitter, const choir::Operation& operation, Register index, Label begin,
                   Label end) {
  PtxWriter& writer = emitter.writer();
  const Register upper = emitter.scalar(operation.operand(1));
  const Register step = emitter.scalar(operation.operand(2));
  if (may_overflow(operation)) {
    // As index < upper, upper - index fits u32; the loop is done when it is no more than a step.
    const Register left = writer.value(RegisterClass::b32, "sub.s32", {upper, index});
    const Register done = writer.value(RegisterClass::predicate, "setp.le.u32", {left, step});
    writer.instruction(Guard{done, false}, "bra", {end});
    writer.instruction("add.s32", {index, index, step});
    writer.instruction("bra", {begin});
    return;
  }
  writer.instruction("add.s32", {index, index, step});
  const Register more = writer.value(RegisterClass::predicate, "setp.lt.s32", {index, upper});
  writer.instruction(Guard{more, false}, "bra", {begin});
}

Status emit_for(Emitter& emitter, const choir::Operation& operation) {
  PtxWriter& writer = emitter.writer();
  const choir::Block& body = operation.body();
  const Register index = define_new(emitter, body.argument(0));
  std::vector<Register> carried;
  for (std::size_t i = 0; i < operation.result_count(); ++i) {
    carried.push_back(define_new(emitter, body.argument(i + 1)));
    emitter.define(operation.result(i), carried.back());
  }
  emitter.move(index, emitter.scalar(operation.operand(0)));
  move_together(emitter, carried, operand_registers(emitter, operation, 3));

  const Label begin = writer.make_label();
  const Label end = writer.make_label();
  const Register none = writer.value(RegisterClass::predicate, "setp.ge.s32",
                                     {index, emitter.scalar(operation.operand(1))});
  writer.instruction(Guard{none, false}, "bra", {end});
  writer.place(begin);
  ACCY_TRY(emitter.emit_block(body));
  ACCY_ASSERT(body.terminator() != nullptr, "loop body has no terminator");
  // A next value may be the index itself, so they are moved before it advances.
  move_together(emitter, carried, operand_registers(emitter, *body.terminator(), 0));
  emit_loop_end(emitter, operation, index, begin, end);
  writer.place(end);
  return {};
}

Status emit_branch(Emitter& emitter, const choir::Block& block, std::span<const Register> results) {
  ACCY_TRY(emitter.emit_block(block));
  ACCY_ASSERT(block.terminator() != nullptr, "branch has no terminator");
  move_together(emitter, results, operand_registers(emitter, *block.terminator(), 0));
  return {};
}

Status emit_if(Emitter& emitter, const choir::Operation& operation) {
  PtxWriter& writer = emitter.writer();
  std::vector<Register> results;
  for (std::size_t i = 0; i < operation.result_count(); ++i)
    results.push_back(define_new(emitter, operation.result(i)));
  const Register condition = emitter.scalar(operation.operand(0));
  const Label otherwise = writer.make_label();
  writer.instruction(Guard{condition, true}, "bra", {otherwise});
  ACCY_TRY(emit_branch(emitter, operation.body(0), results));
  if (operation.body(1).size() <= 1 && results.empty()) {  // nothing but its yield
    writer.place(otherwise);
    return {};
  }
  const Label end = writer.make_label();
  writer.instruction("bra", {end});
  writer.place(otherwise);
  ACCY_TRY(emit_branch(emitter, operation.body(1), results));
  writer.place(end);
  return {};
}

constexpr OperationEntry table[] = {
    {kernel::op::for_op, emit_for},
    {kernel::op::if_op, emit_if},
};

}  // namespace

std::span<const OperationEntry> control_operations() { return table; }

}  // namespace accy::cuda
