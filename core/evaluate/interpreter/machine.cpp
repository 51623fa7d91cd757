#include "evaluate/interpreter/machine.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "support/checked.hpp"

namespace accy::evaluate::interpreter {
namespace {

constexpr std::byte poison{0xcb};

}  // namespace

Machine::Machine(const Program& program, const InterpreterOptions& options)
    : program_(program), options_(options), registers_(program.register_bytes / 64 + 1),
      all_lanes_(program.lanes), masks_(program.depth + 1) {
  std::iota(all_lanes_.begin(), all_lanes_.end(), 0U);
  for (auto& mask : masks_) mask.resize(program.lanes);
  frame_.program = &program;
  frame_.registers = registers_.front().bytes.data();
  frame_.lanes = program.lanes;
  frame_.active = all_lanes_;
}

Status Machine::run(const std::array<std::int64_t, 3>& grid) {
  for (const std::int64_t extent : grid)
    if (extent < 0 || extent > std::numeric_limits<std::int32_t>::max())
      return fail(ErrorCode::invalid_input,
                  "grid extent out of range (" + std::to_string(extent) + ", limit 2147483647)");
  auto& [x, y, z] = frame_.workgroup;
  for (z = 0; z < grid[2]; ++z)
    for (y = 0; y < grid[1]; ++y)
      for (x = 0; x < grid[0]; ++x)
        if (!start_workgroup())
          return fail(std::move(frame_.error).with("running kernel @" + program_.name));
  return {};
}

bool Machine::start_workgroup() {
  if (frame_.clock.epoch > std::numeric_limits<std::uint32_t>::max() / 2) {
    frame_.error =
        Error{ErrorCode::timeout, "too many workgroups and barriers to tell apart", {}, {}, 0, {}};
    return false;
  }
  frame_.clock.workgroup_start = ++frame_.clock.epoch;
  fill_workgroup_ids();
  if (!options_.detect_races)
    for (auto& memory : shared_)
      for (CacheLine& line : memory) line.bytes.fill(poison);
  frame_.active = all_lanes_;
  return execute(0, 0, nullptr);
}

void Machine::fill_workgroup_ids() {
  for (const Preset& preset : program_.presets) {
    if (preset.kind != Preset::Kind::workgroup_id) continue;
    const auto position = static_cast<std::int32_t>(frame_.workgroup[preset.value]);
    std::fill_n(frame_.at<std::int32_t>(preset.to), frame_.lanes, position);
  }
}

bool Machine::execute(std::uint32_t block, std::size_t depth, const Instruction* around) {
  const std::vector<Instruction>& code = program_.blocks[block];
  steps_ += (code.size() + 1) * frame_.active.size();
  if (steps_ > options_.maximum_steps) {
    const std::string message =
        "too many steps (limit " + std::to_string(options_.maximum_steps) + ")";
    if (around != nullptr) return raise(frame_, *around, ErrorCode::timeout, message);
    frame_.error = Error{ErrorCode::timeout, message, {}, {}, 0, {}};
    return false;
  }
  for (const Instruction& instruction : code) {
    bool done = false;
    switch (instruction.kind) {
      case InstructionKind::operation: done = instruction.handler(frame_, instruction); break;
      case InstructionKind::loop: done = execute_loop(instruction, depth); break;
      case InstructionKind::branch: done = execute_branch(instruction, depth); break;
    }
    if (!done) return false;
  }
  return true;
}

bool Machine::execute_branch(const Instruction& instruction, std::size_t depth) {
  const Branch& branch = program_.branches[instruction.memory];
  const auto* condition = frame_.at<std::uint8_t>(branch.condition);
  const std::span<const std::uint32_t> outer = frame_.active;
  std::vector<std::uint32_t>& mask = masks_[depth];
  for (std::size_t region = 0; region < 2; ++region) {
    std::size_t count = 0;
    for (const std::uint32_t lane : outer)
      if ((condition[lane] != 0) == (region == 0)) mask[count++] = lane;
    if (count == 0) continue;
    frame_.active = std::span(mask.data(), count);
    if (!execute(branch.bodies[region], depth + 1, &instruction)) return false;
    for (const Move& move : branch.results[region]) move_lanes(frame_, move);
  }
  frame_.active = outer;
  return true;
}

bool Machine::check_loop(const Instruction& instruction, const Loop& loop) {
  const auto* lower = frame_.at<std::int32_t>(loop.bounds[0]);
  const auto* upper = frame_.at<std::int32_t>(loop.bounds[1]);
  const auto* step = frame_.at<std::int32_t>(loop.bounds[2]);
  for (const std::uint32_t lane : frame_.active) {
    if (step[lane] <= 0)
      return raise(frame_, instruction,
                   "loop step is not positive (" + std::to_string(step[lane]) + ", " +
                       describe_lane(frame_, lane) + ")");
    if (loop.maximum_trips == 0 || lower[lane] >= upper[lane]) continue;
    const std::int64_t trips =
        ceil_divide(std::int64_t{upper[lane]} - lower[lane], std::int64_t{step[lane]});
    if (trips > loop.maximum_trips)
      return raise(frame_, instruction,
                   "loop makes more trips than it promises (" + std::to_string(trips) +
                       ", maximum_trips " + std::to_string(loop.maximum_trips) + ")");
  }
  return true;
}

bool Machine::is_uniform(const Loop& loop) const {
  return std::all_of(loop.bounds.begin(), loop.bounds.end(), [&](Register bound) {
    const auto* values = frame_.at<std::int32_t>(bound);
    const std::int32_t first = values[frame_.active.front()];
    return std::all_of(frame_.active.begin(), frame_.active.end(),
                       [&](std::uint32_t lane) { return values[lane] == first; });
  });
}

bool Machine::execute_loop(const Instruction& instruction, std::size_t depth) {
  const Loop& loop = program_.loops[instruction.memory];
  if (!check_loop(instruction, loop)) return false;
  for (const Move& move : loop.enter) move_lanes(frame_, move);
  return is_uniform(loop) ? execute_uniform_loop(instruction, loop, depth)
                          : execute_divergent_loop(instruction, loop, depth);
}

bool Machine::execute_uniform_loop(const Instruction& instruction, const Loop& loop,
                                   std::size_t depth) {
  const std::uint32_t lane = frame_.active.front();
  std::int64_t index = frame_.at<std::int32_t>(loop.bounds[0])[lane];
  const std::int64_t upper = frame_.at<std::int32_t>(loop.bounds[1])[lane];
  const std::int64_t step = frame_.at<std::int32_t>(loop.bounds[2])[lane];
  for (; index < upper; index += step) {
    std::fill_n(frame_.at<std::int32_t>(loop.index), frame_.lanes,
                static_cast<std::int32_t>(index));
    if (!execute(loop.body, depth + 1, &instruction)) return false;
    for (const Move& move : loop.next) move_lanes(frame_, move);
  }
  return true;
}

bool Machine::execute_divergent_loop(const Instruction& instruction, const Loop& loop,
                                     std::size_t depth) {
  const auto* lower = frame_.at<std::int32_t>(loop.bounds[0]);
  const auto* upper = frame_.at<std::int32_t>(loop.bounds[1]);
  const auto* step = frame_.at<std::int32_t>(loop.bounds[2]);
  auto* index = frame_.at<std::int32_t>(loop.index);
  const std::span<const std::uint32_t> outer = frame_.active;
  std::vector<std::uint32_t>& mask = masks_[depth];
  std::size_t count = 0;
  for (const std::uint32_t lane : outer) {
    index[lane] = lower[lane];
    if (lower[lane] < upper[lane]) mask[count++] = lane;
  }
  while (count > 0) {
    frame_.active = std::span(mask.data(), count);
    if (!execute(loop.body, depth + 1, &instruction)) return false;
    for (const Move& move : loop.next) move_lanes(frame_, move);
    std::size_t kept = 0;
    for (const std::uint32_t lane : frame_.active) {
      const std::int64_t next = std::int64_t{index[lane]} + step[lane];
      if (next >= upper[lane]) continue;
      index[lane] = static_cast<std::int32_t>(next);
      mask[kept++] = lane;
    }
    count = kept;
  }
  frame_.active = outer;
  return true;
}

}  // namespace accy::evaluate::interpreter
