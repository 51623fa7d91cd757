#include "evaluate/interpreter/frame.hpp"

namespace accy::evaluate::interpreter {
namespace {

std::string describe(const std::array<std::int64_t, 3>& position) {
  return "(" + std::to_string(position[0]) + ", " + std::to_string(position[1]) + ", " +
         std::to_string(position[2]) + ")";
}

template <class Unit>
void copy_active(const Frame& frame, const Move& move) {
  const Unit* from = frame.at<Unit>(move.from);
  Unit* to = frame.at<Unit>(move.to);
  for (const std::uint32_t lane : frame.active) to[lane] = from[lane];
}

}  // namespace

bool raise(Frame& frame, const Instruction& instruction, ErrorCode code, std::string message) {
  const Origin& origin = frame.program->origins[instruction.origin];
  frame.error = Error{code, std::move(message), origin.where, origin.op, 0, {}};
  return false;
}

std::string describe_lane(const Frame& frame, std::uint32_t lane) {
  const auto& size = frame.program->workgroup;
  const std::int64_t index = lane;
  const std::array<std::int64_t, 3> position{index % size[0], index / size[0] % size[1],
                                             index / size[0] / size[1]};
  return "invocation " + describe(position) + " of workgroup " + describe(frame.workgroup);
}

void move_lanes(const Frame& frame, const Move& move) {
  if (frame.is_full()) {
    std::memcpy(frame.registers + move.to, frame.registers + move.from,
                move.size_bytes * frame.lanes);
    return;
  }
  switch (move.size_bytes) {
    case 1: return copy_active<std::uint8_t>(frame, move);
    case 2: return copy_active<std::uint16_t>(frame, move);
    case 4: return copy_active<std::uint32_t>(frame, move);
    default: return copy_active<std::uint64_t>(frame, move);
  }
}

}  // namespace accy::evaluate::interpreter
