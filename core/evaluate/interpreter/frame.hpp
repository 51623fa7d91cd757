// The state of a running workgroup, and how handlers see its registers.
#pragma once

#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "evaluate/interpreter/program.hpp"
#include "evaluate/interpreter/shadow.hpp"

namespace accy::evaluate::interpreter {

/// Memory bound for a run.
struct MemoryView {
  std::byte* data = nullptr;
  std::int64_t count = 0;  ///< elements
  std::int64_t element_bytes = 0;
  Shadow* shadow = nullptr;        ///< null: not tracked
  std::int64_t shadow_offset = 0;  ///< of the first byte, in the shadow's region
  bool is_shared = false;
};

struct Frame {
  const Program* program = nullptr;
  std::byte* registers = nullptr;
  std::size_t lanes = 0;
  std::span<const std::uint32_t> active;  ///< ascending
  std::vector<MemoryView> memories;
  Clock clock;
  std::array<std::int64_t, 3> workgroup{};  ///< position in the grid
  Error error;

  bool is_full() const { return active.size() == lanes; }
  template <class T>
  T* at(Register offset) const {
    return reinterpret_cast<T*>(registers + offset);
  }
};

/// Sets the error of an instruction; returns false, so that a handler can return it.
bool raise(Frame& frame, const Instruction& instruction, ErrorCode code, std::string message);
inline bool raise(Frame& frame, const Instruction& instruction, std::string message) {
  return raise(frame, instruction, ErrorCode::invalid_input, std::move(message));
}

/// "invocation (3, 0, 0) of workgroup (1, 0, 0)".
std::string describe_lane(const Frame& frame, std::uint32_t lane);

/// Copies a lane's value from register to register for the active lanes.
void move_lanes(const Frame& frame, const Move& move);

// A handler of one pure function over lanes.
template <class In, class Out, Out (*function)(In)>
bool map_unary(Frame& frame, const Instruction& instruction) {
  const In* a = frame.at<In>(instruction.operands[0]);
  Out* result = frame.at<Out>(instruction.result);
  for (std::size_t lane = 0; lane < frame.lanes; ++lane) result[lane] = function(a[lane]);
  return true;
}

template <class In, class Out, Out (*function)(In, In)>
bool map_binary(Frame& frame, const Instruction& instruction) {
  const In* a = frame.at<In>(instruction.operands[0]);
  const In* b = frame.at<In>(instruction.operands[1]);
  Out* result = frame.at<Out>(instruction.result);
  for (std::size_t lane = 0; lane < frame.lanes; ++lane) result[lane] = function(a[lane], b[lane]);
  return true;
}

}  // namespace accy::evaluate::interpreter
