// Loads, stores and vectors.
#include "evaluate/interpreter/frame.hpp"
#include "evaluate/interpreter/native.hpp"

namespace accy::evaluate::interpreter {
namespace {

std::string name_of(const Frame& frame, const Instruction& instruction) {
  return frame.program->memories[instruction.memory].name;
}

bool report_bounds(Frame& frame, const Instruction& instruction, std::uint32_t lane,
                   std::int64_t index) {
  const std::string width =
      instruction.width == 1 ? "" : " of " + std::to_string(instruction.width) + " elements";
  return raise(frame, instruction,
               "access" + width + " out of bounds of " + name_of(frame, instruction) + " (index " +
                   std::to_string(index) + ", size " +
                   std::to_string(frame.memories[instruction.memory].count) + " elements, " +
                   describe_lane(frame, lane) + ")");
}

bool report_alignment(Frame& frame, const Instruction& instruction, std::uint32_t lane,
                      std::int64_t index, std::size_t size) {
  return raise(frame, instruction,
               "vector access to " + name_of(frame, instruction) + " is not aligned to its " +
                   std::to_string(size) + " bytes (index " + std::to_string(index) + ", " +
                   describe_lane(frame, lane) + ")");
}

std::string describe(Finding finding) {
  const std::string lane =
      finding.lane == Shadow::many ? "several others" : "lane " + std::to_string(finding.lane);
  switch (finding.conflict) {
    case Conflict::written_by_lane: return "written by " + lane + " since the last barrier";
    case Conflict::read_by_lane: return "read by " + lane + " since the last barrier";
    case Conflict::written_by_workgroup: return "written by another workgroup of the launch";
    case Conflict::read_by_workgroup: return "read by another workgroup of the launch";
    default: return "never written by this workgroup";
  }
}

bool report_finding(Frame& frame, const Instruction& instruction, std::uint32_t lane,
                    std::int64_t index, bool is_write, Finding finding) {
  const bool uninitialized = finding.conflict == Conflict::uninitialized;
  return raise(frame, instruction,
               std::string(uninitialized ? "uninitialized " : "race on ") +
                   name_of(frame, instruction) + ": " + (is_write ? "writes" : "reads") +
                   " element " + std::to_string(index) + ", " + describe(finding) + " (" +
                   describe_lane(frame, lane) + ")");
}

/// Calls access(lane, address) for every active lane with a checked address; false after an error.
template <class Index, bool is_write, class Access>
bool for_each_address(Frame& frame, const Instruction& instruction, const Index* indices,
                      const Access& access) {
  const MemoryView& memory = frame.memories[instruction.memory];
  const std::int64_t width = instruction.width;
  const std::int64_t last = memory.count - width;
  const auto size = static_cast<std::size_t>(width * memory.element_bytes);
  for (const std::uint32_t lane : frame.active) {
    const std::int64_t index = indices[lane];
    if (index < 0 || index > last) return report_bounds(frame, instruction, lane, index);
    std::byte* address = memory.data + index * memory.element_bytes;
    if (width > 1 && reinterpret_cast<std::uintptr_t>(address) % size != 0)
      return report_alignment(frame, instruction, lane, index, size);
    if (memory.shadow != nullptr) {
      const std::int64_t offset = memory.shadow_offset + index * memory.element_bytes;
      const auto bytes = static_cast<std::int64_t>(size);
      const Finding finding = is_write ? memory.shadow->write(frame.clock, offset, bytes, lane)
                                       : memory.shadow->read(frame.clock, offset, bytes, lane);
      if (finding.conflict != Conflict::none)
        return report_finding(frame, instruction, lane, index, is_write, finding);
    }
    access(lane, address);
  }
  return true;
}

template <class Unit, class Index>
bool load(Frame& frame, const Instruction& instruction) {
  Unit* result = frame.at<Unit>(instruction.result);
  const auto* indices = frame.at<Index>(instruction.operands[1]);
  const std::size_t width = instruction.width;
  const std::size_t lanes = frame.lanes;
  return for_each_address<Index, false>(
      frame, instruction, indices, [=](std::uint32_t lane, const std::byte* address) {
        for (std::size_t element = 0; element < width; ++element)
          std::memcpy(&result[element * lanes + lane], address + element * sizeof(Unit),
                      sizeof(Unit));
      });
}

/// Any byte but 0 is true.
template <class Index>
bool load_bool(Frame& frame, const Instruction& instruction) {
  auto* result = frame.at<std::uint8_t>(instruction.result);
  const auto* indices = frame.at<Index>(instruction.operands[1]);
  const std::size_t width = instruction.width;
  const std::size_t lanes = frame.lanes;
  return for_each_address<Index, false>(
      frame, instruction, indices, [=](std::uint32_t lane, const std::byte* address) {
        for (std::size_t element = 0; element < width; ++element)
          result[element * lanes + lane] = address[element] != std::byte{0};
      });
}

template <class Unit, class Index>
bool store(Frame& frame, const Instruction& instruction) {
  const Unit* value = frame.at<Unit>(instruction.operands[0]);
  const auto* indices = frame.at<Index>(instruction.operands[2]);
  const std::size_t width = instruction.width;
  const std::size_t lanes = frame.lanes;
  return for_each_address<Index, true>(
      frame, instruction, indices, [=](std::uint32_t lane, std::byte* address) {
        for (std::size_t element = 0; element < width; ++element)
          std::memcpy(address + element * sizeof(Unit), &value[element * lanes + lane],
                      sizeof(Unit));
      });
}

template <class Unit>
bool extract(Frame& frame, const Instruction& instruction) {
  const Unit* vector = frame.at<Unit>(instruction.operands[0]);
  const Unit* source = vector + static_cast<std::size_t>(instruction.immediate) * frame.lanes;
  std::memcpy(frame.at<Unit>(instruction.result), source, frame.lanes * sizeof(Unit));
  return true;
}

template <class Unit>
bool compose(Frame& frame, const Instruction& instruction) {
  Unit* result = frame.at<Unit>(instruction.result);
  for (const Register element : instruction.elements) {
    std::memcpy(result, frame.at<Unit>(element), frame.lanes * sizeof(Unit));
    result += frame.lanes;
  }
  return true;
}

template <class Unit>
Handler handler_of(std::string_view name, bool wide_index) {
  namespace op = kernel::op;
  if (name == op::load) return wide_index ? load<Unit, std::int64_t> : load<Unit, std::int32_t>;
  if (name == op::store) return wide_index ? store<Unit, std::int64_t> : store<Unit, std::int32_t>;
  if (name == op::extract) return extract<Unit>;
  if (name == op::compose) return compose<Unit>;
  return nullptr;
}

}  // namespace

Handler memory_handler(const choir::Operation& operation) {
  namespace op = kernel::op;
  const std::string_view name = operation.name();
  const bool accesses = name == op::load || name == op::store;
  if (!accesses && name != op::extract && name != op::compose) return nullptr;
  const choir::Value* index = accesses ? operation.operand(name == op::load ? 1 : 2) : nullptr;
  const bool wide_index = accesses && kernel::as_scalar(index->type()) == ElementType::i64;
  const choir::Value* value = name == op::store ? operation.operand(0) : operation.result();
  const ElementType element = kernel::element_of(value->type());
  if (name == op::load && element == ElementType::boolean)
    return wide_index ? load_bool<std::int64_t> : load_bool<std::int32_t>;
  switch (size_bytes(element)) {
    case 1: return handler_of<std::uint8_t>(name, wide_index);
    case 2: return handler_of<std::uint16_t>(name, wide_index);
    case 4: return handler_of<std::uint32_t>(name, wide_index);
    default: return handler_of<std::uint64_t>(name, wide_index);
  }
}

}  // namespace accy::evaluate::interpreter
