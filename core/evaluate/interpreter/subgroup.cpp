// What invocations do together: the barrier, shuffles and reductions.
#include "evaluate/interpreter/frame.hpp"
#include "evaluate/interpreter/native.hpp"

namespace accy::evaluate::interpreter {
namespace {

bool barrier(Frame& frame, const Instruction& instruction) {
  if (!frame.is_full())
    return raise(frame, instruction,
                 "barrier in divergent control flow (" + std::to_string(frame.active.size()) +
                     " of " + std::to_string(frame.lanes) + " invocations arrive)");
  ++frame.clock.epoch;
  return true;
}

/// Active lanes come in whole subgroups; false after an error.
bool check_subgroups(Frame& frame, const Instruction& instruction) {
  if (frame.is_full()) return true;
  const auto size = static_cast<std::uint32_t>(frame.program->subgroup);
  for (std::size_t position = 0; position < frame.active.size(); position += size) {
    const std::uint32_t first = frame.active[position];
    const bool whole = first % size == 0 && position + size <= frame.active.size() &&
                       frame.active[position + size - 1] == first + size - 1;
    if (!whole)
      return raise(frame, instruction,
                   "not all lanes of the subgroup are active (" + describe_lane(frame, first) +
                       " is, subgroup size " + std::to_string(size) + ")");
  }
  return true;
}

bool shuffle(Frame& frame, const Instruction& instruction) {
  if (!check_subgroups(frame, instruction)) return false;
  const auto* value = frame.at<std::uint32_t>(instruction.operands[0]);
  auto* result = frame.at<std::uint32_t>(instruction.result);
  const auto mask = static_cast<std::uint32_t>(instruction.immediate);
  // A subgroup starts at a multiple of its size, so the position in the workgroup serves as lane.
  for (const std::uint32_t lane : frame.active) result[lane] = value[lane ^ mask];
  return true;
}

/// Pairs at distance 1, 2, 4, ...: any order is allowed; this one is what a butterfly gives.
template <class T, T (*combine)(T, T)>
bool reduce(Frame& frame, const Instruction& instruction) {
  if (!check_subgroups(frame, instruction)) return false;
  const T* value = frame.at<T>(instruction.operands[0]);
  T* result = frame.at<T>(instruction.result);
  const auto size = static_cast<std::size_t>(frame.program->subgroup);
  for (std::size_t position = 0; position < frame.active.size(); position += size) {
    const std::uint32_t first = frame.active[position];
    std::array<T, static_cast<std::size_t>(kernel::subgroup_size_maximum)> part{};
    for (std::size_t lane = 0; lane < size; ++lane) part[lane] = value[first + lane];
    for (std::size_t count = size / 2; count > 0; count /= 2)
      for (std::size_t lane = 0; lane < count; ++lane)
        part[lane] = combine(part[2 * lane], part[2 * lane + 1]);
    for (std::size_t lane = 0; lane < size; ++lane) result[first + lane] = part[0];
  }
  return true;
}

template <class T>
Handler reduce_handler(kernel::ReduceFunction function) {
  switch (function) {
    case kernel::ReduceFunction::add: return reduce<T, sum<T>>;
    case kernel::ReduceFunction::min: return reduce<T, minimum<T>>;
    case kernel::ReduceFunction::max: return reduce<T, maximum<T>>;
  }
  return nullptr;
}

}  // namespace

Handler subgroup_handler(const choir::Operation& operation) {
  namespace op = kernel::op;
  if (operation.name() == op::barrier) return barrier;
  if (operation.name() == op::shuffle_xor) return shuffle;
  if (operation.name() != op::subgroup_reduce) return nullptr;
  const kernel::ReduceFunction function = kernel::reduce_function(operation);
  switch (*kernel::as_scalar(operation.result()->type())) {
    case ElementType::i32: return reduce_handler<std::int32_t>(function);
    case ElementType::u32: return reduce_handler<std::uint32_t>(function);
    case ElementType::f32: return reduce_handler<float>(function);
    default: return nullptr;
  }
}

}  // namespace accy::evaluate::interpreter
