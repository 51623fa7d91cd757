// Binding: arguments to parameters, and which memory is watched for races.
#include <algorithm>
#include <numeric>

#include "evaluate/interpreter/machine.hpp"

namespace accy::evaluate::interpreter {
namespace {

/// A buffer argument as an interval of host addresses.
struct Interval {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  std::size_t memory = 0;  ///< index into the program's memories
};

/// Fills a register of a lane-independent value.
void fill(const Frame& frame, const Preset& preset, std::uint64_t bits) {
  std::byte* place = frame.registers + preset.to;
  for (std::size_t lane = 0; lane < frame.lanes; ++lane)
    std::memcpy(place + lane * preset.size_bytes, &bits, preset.size_bytes);
}

}  // namespace

Status Machine::bind(std::span<const KernelArgument> arguments) {
  const auto& slots = program_.layout.slots;
  if (arguments.size() != slots.size())
    return fail(ErrorCode::invalid_input, "kernel @" + program_.name + " takes " +
                                              std::to_string(slots.size()) + " arguments (got " +
                                              std::to_string(arguments.size()) + ")");
  for (std::size_t index = 0; index < slots.size(); ++index)
    if (arguments[index].is_buffer() != slots[index].is_buffer)
      return fail(ErrorCode::invalid_input,
                  "argument " + std::to_string(index) + " of kernel @" + program_.name + " is a " +
                      (slots[index].is_buffer ? "buffer" : "scalar") + " (got the other)");
  frame_.memories.resize(program_.memories.size());
  for (std::size_t index = 0; index < program_.memories.size(); ++index) {
    const Memory& memory = program_.memories[index];
    MemoryView& view = frame_.memories[index];
    view.element_bytes = accy::size_bytes(memory.element);
    view.is_shared = memory.is_shared;
    if (!memory.is_shared) ACCY_TRY(bind_buffer(view, memory, arguments[memory.parameter]));
  }
  // Views keep pointers into it.
  shadows_.reserve(program_.memories.size());
  ACCY_TRY(bind_shared());
  if (options_.detect_races) ACCY_TRY(track_buffers(arguments));
  fill_presets(arguments);
  return {};
}

Status Machine::bind_buffer(MemoryView& view, const Memory& memory,
                            const KernelArgument& argument) {
  if (kernel::can_write(memory.access) && !argument.is_writable())
    return fail(ErrorCode::invalid_input, "argument " + std::to_string(memory.parameter) +
                                              " of kernel @" + program_.name +
                                              " is written, but the buffer given is read-only");
  if (reinterpret_cast<std::uintptr_t>(argument.data()) %
          static_cast<std::uintptr_t>(view.element_bytes) !=
      0)
    return fail(ErrorCode::invalid_input, "argument " + std::to_string(memory.parameter) +
                                              " of kernel @" + program_.name +
                                              " is not aligned to its element (" +
                                              std::to_string(view.element_bytes) + " bytes)");
  view.data = argument.data();
  view.count = argument.size_bytes() / view.element_bytes;
  return {};
}

Status Machine::bind_shared() {
  shared_.reserve(program_.memories.size());
  for (std::size_t index = 0; index < program_.memories.size(); ++index) {
    const Memory& memory = program_.memories[index];
    if (!memory.is_shared) continue;
    MemoryView& view = frame_.memories[index];
    const std::int64_t bytes = memory.count * view.element_bytes;
    shared_.emplace_back(static_cast<std::size_t>((bytes + 63) / 64));
    view.data = shared_.back().front().bytes.data();
    view.count = memory.count;
    if (!options_.detect_races) continue;
    ACCY_TRY_ASSIGN(Shadow shadow, Shadow::create(bytes, view.element_bytes, true));
    shadows_.push_back(std::move(shadow));
    view.shadow = &shadows_.back();
  }
  return {};
}

/// Buffers that overlap share one shadow; a group that nothing writes needs none.
Status Machine::track_buffers(std::span<const KernelArgument> arguments) {
  std::vector<Interval> intervals;
  for (std::size_t index = 0; index < program_.memories.size(); ++index) {
    const Memory& memory = program_.memories[index];
    if (memory.is_shared) continue;
    const KernelArgument& argument = arguments[memory.parameter];
    const auto begin = reinterpret_cast<std::uintptr_t>(argument.data());
    if (argument.size_bytes() > 0)
      intervals.push_back(
          {begin, begin + static_cast<std::uintptr_t>(argument.size_bytes()), index});
  }
  std::sort(intervals.begin(), intervals.end(),
            [](const Interval& a, const Interval& b) { return a.begin < b.begin; });
  for (std::size_t first = 0; first < intervals.size();) {
    std::size_t last = first;
    std::uintptr_t end = intervals[first].end;
    while (last + 1 < intervals.size() && intervals[last + 1].begin < end)
      end = std::max(end, intervals[++last].end);
    const std::span<const Interval> group(&intervals[first], last - first + 1);
    const std::uintptr_t begin = intervals[first].begin;
    std::uintptr_t granule = 8;
    bool is_written = false;
    for (const Interval& member : group) {
      const Memory& memory = program_.memories[member.memory];
      const auto element = static_cast<std::uintptr_t>(accy::size_bytes(memory.element));
      granule = std::gcd(std::gcd(granule, element), member.begin - begin);
      is_written |= kernel::can_write(memory.access);
    }
    if (is_written) {
      ACCY_TRY_ASSIGN(Shadow shadow, Shadow::create(static_cast<std::int64_t>(end - begin),
                                                    static_cast<std::int64_t>(granule), false));
      shadows_.push_back(std::move(shadow));
      for (const Interval& member : group) {
        frame_.memories[member.memory].shadow = &shadows_.back();
        frame_.memories[member.memory].shadow_offset =
            static_cast<std::int64_t>(member.begin - begin);
      }
    }
    first = last + 1;
  }
  return {};
}

void Machine::fill_presets(std::span<const KernelArgument> arguments) {
  const auto& size = program_.workgroup;
  for (const Preset& preset : program_.presets) {
    switch (preset.kind) {
      case Preset::Kind::constant: fill(frame_, preset, preset.value); break;
      case Preset::Kind::parameter: {
        const bool is_bool = program_.layout.slots[preset.value].element == ElementType::boolean;
        const std::uint64_t bits = arguments[preset.value].bits();
        fill(frame_, preset, is_bool ? std::uint64_t{bits != 0} : bits);
        break;
      }
      case Preset::Kind::workgroup_id: break;  // at the start of each workgroup
      case Preset::Kind::lane:
        for (std::size_t lane = 0; lane < frame_.lanes; ++lane)
          frame_.at<std::int32_t>(preset.to)[lane] =
              static_cast<std::int32_t>(lane % static_cast<std::size_t>(program_.subgroup));
        break;
      case Preset::Kind::local_id:
        for (std::size_t lane = 0; lane < frame_.lanes; ++lane) {
          const auto index = static_cast<std::int64_t>(lane);
          const std::array<std::int64_t, 3> position{index % size[0], index / size[0] % size[1],
                                                     index / size[0] / size[1]};
          frame_.at<std::int32_t>(preset.to)[lane] =
              static_cast<std::int32_t>(position[preset.value]);
        }
        break;
    }
  }
}

}  // namespace accy::evaluate::interpreter
