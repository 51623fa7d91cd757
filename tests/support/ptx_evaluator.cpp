#include "support/ptx_evaluator.hpp"

#include <algorithm>
#include <sstream>

namespace accy::test {

namespace {

constexpr std::size_t warp = 32;

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::uint64_t type_bytes(const std::string& type) {
  return std::stoull(type.substr(type.find_first_of("0123456789"))) / 8;
}

/// Operands split at commas outside of braces and brackets.
std::vector<std::string> split_operands(const std::string& text) {
  std::vector<std::string> operands;
  std::string current;
  int depth = 0;
  for (const char character : text) {
    if (character == '{' || character == '[') ++depth;
    if (character == '}' || character == ']') --depth;
    if (character == ',' && depth == 0) {
      operands.push_back(trimmed(current));
      current.clear();
    } else {
      current += character;
    }
  }
  if (!trimmed(current).empty()) operands.push_back(trimmed(current));
  return operands;
}

}  // namespace

PtxProgram::PtxProgram(const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) read_line(trimmed(line));
}

void PtxProgram::read_line(std::string line) {
  if (line.empty() || line == "{" || line == "}") return;
  if (line.front() == '.') {
    read_directive(line);
  } else if (line.back() == ':') {
    labels_[line.substr(0, line.size() - 1)] = instructions_.size();
  } else {
    read_instruction(line);
  }
}

void PtxProgram::read_directive(const std::string& line) {
  std::istringstream words(line);
  std::string first, second, third, fourth, fifth;
  words >> first >> second >> third >> fourth >> fifth;
  if (first == ".param") {
    const std::uint64_t size = type_bytes(second);
    const auto end = third.find_first_of(",)");
    parameter_bytes_ = (parameter_bytes_ + size - 1) / size * size;
    symbols_[third.substr(0, end)] = parameter_bytes_;
    parameter_bytes_ += size;
  } else if (first == ".shared") {  // .shared .align 16 .b8 name[bytes];
    const auto bracket = fifth.find('[');
    shared_bytes_ = (shared_bytes_ + 15) / 16 * 16;
    symbols_[fifth.substr(0, bracket)] = shared_bytes_;
    shared_bytes_ += std::stoull(fifth.substr(bracket + 1));
  } else if (first == ".reqntid") {
    char comma = 0;
    std::istringstream sizes(line.substr(first.size()));
    sizes >> block_[0] >> comma >> block_[1] >> comma >> block_[2];
  }
}

void PtxProgram::read_instruction(std::string line) {
  if (line.back() != ';') throw PtxError("no semicolon: " + line);
  line.pop_back();
  int guard = -1;
  bool negated = false;
  const std::string text = line;
  if (line.front() == '@') {
    const auto space = line.find(' ');
    negated = line[1] == '!';
    guard = register_index(line.substr(negated ? 2 : 1, space - (negated ? 2 : 1)));
    line = trimmed(line.substr(space));
  }
  const auto space = std::min(line.find(' '), line.size());
  Instruction instruction =
      decode_ptx(*this, line.substr(0, space), split_operands(line.substr(space)));
  instruction.guard = guard;
  instruction.negated = negated;
  instruction.text = text;
  instructions_.push_back(std::move(instruction));
}

int PtxProgram::register_index(const std::string& name) {
  if (name.empty() || name.front() != '%') throw PtxError("no register: " + name);
  return registers_.emplace(name, static_cast<int>(registers_.size())).first->second;
}

std::byte* PtxProgram::locate(std::string_view space, std::uint64_t address, std::size_t size) {
  if (space == "shared") address &= 0xffffffffU;  // base and offset are added in 32 bits
  if (address % size != 0) throw PtxError("misaligned access");
  if (space == "shared") {
    if (address + size > shared_.size()) throw PtxError("access outside shared memory");
    return shared_.data() + address;
  }
  if (space == "param") {
    if (address + size > arguments_.size()) throw PtxError("access outside the parameters");
    return const_cast<std::byte*>(arguments_.data()) + address;
  }
  auto* pointer = reinterpret_cast<std::byte*>(address);
  for (const std::span<std::byte> range : memory_)
    if (pointer >= range.data() && pointer + size <= range.data() + range.size()) return pointer;
  throw PtxError("access outside global memory");
}

void PtxProgram::run(std::array<std::uint32_t, 3> grid, std::span<const std::byte> arguments,
                     const std::vector<std::span<std::byte>>& memory) {
  if (arguments.size() != parameter_bytes_)
    throw PtxError("argument block of " + std::to_string(arguments.size()) + " bytes, entry has " +
                   std::to_string(parameter_bytes_));
  arguments_ = arguments;
  memory_ = memory;
  for (std::uint32_t z = 0; z < grid[2]; ++z)
    for (std::uint32_t y = 0; y < grid[1]; ++y)
      for (std::uint32_t x = 0; x < grid[0]; ++x) run_block({x, y, z});
}

void PtxProgram::run_block(std::array<std::uint32_t, 3> group) {
  shared_.assign(shared_bytes_, std::byte{0xcd});
  std::vector<PtxThread> threads(std::size_t{block_[0]} * block_[1] * block_[2]);
  for (std::size_t i = 0; i < threads.size(); ++i) {
    threads[i].registers.assign(registers_.size(), 0xcdcdcdcdcdcdcdcdULL);
    threads[i].group = group;
    const auto index = static_cast<std::uint32_t>(i);
    threads[i].local = {index % block_[0], index / block_[0] % block_[1],
                        index / (block_[0] * block_[1])};
  }
  const auto done = [](const PtxThread& thread) { return thread.finished; };
  while (true) {
    for (PtxThread& thread : threads) run_thread(thread);
    if (std::all_of(threads.begin(), threads.end(), done)) return;
    if (!release(threads)) throw PtxError("threads wait for each other");
  }
}

/// Runs until the end or a collective.
void PtxProgram::run_thread(PtxThread& thread) {
  for (std::uint64_t steps = 0; !thread.finished; ++steps) {
    if (steps > 10'000'000) throw PtxError("too many steps");
    const Instruction& instruction = instructions_.at(thread.next);
    if (!instruction.collective.empty()) return;
    ++thread.next;
    if (instruction.guard >= 0) {
      const bool taken = thread.registers[static_cast<std::size_t>(instruction.guard)] != 0;
      if (taken == instruction.negated) continue;
    }
    try {
      instruction.run(*this, thread);
    } catch (const PtxError& error) {
      throw PtxError(std::string(error.what()) + " in '" + instruction.text + "'");
    }
  }
}

/// Lets threads pass the collectives that all of them have reached.
bool PtxProgram::release(std::vector<PtxThread>& threads) {
  bool progress = false;
  const auto same = [&](std::span<const PtxThread> some) {
    return std::all_of(some.begin(), some.end(), [&](const PtxThread& thread) {
      return !thread.finished && thread.next == some.front().next;
    });
  };
  for (std::size_t first = 0; first < threads.size(); first += warp) {
    const std::span<PtxThread> lanes(threads.data() + first,
                                     std::min(warp, threads.size() - first));
    if (!same(lanes)) continue;
    const Instruction& instruction = instructions_[lanes.front().next];
    if (instruction.collective == "bar") continue;
    if (lanes.size() != warp) throw PtxError("partial warp in " + instruction.text);
    instruction.exchange(lanes);
    for (PtxThread& thread : lanes) ++thread.next;
    progress = true;
  }
  if (progress) return true;
  if (!same(threads)) return false;
  for (PtxThread& thread : threads) ++thread.next;
  return true;
}

}  // namespace accy::test
