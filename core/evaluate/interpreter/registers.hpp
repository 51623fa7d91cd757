// Register allocation: values that are not live together share memory, so that a workgroup's
// registers stay in the cache.
#pragma once

#include <map>
#include <vector>

#include "choir/operation.hpp"
#include "evaluate/interpreter/program.hpp"

namespace accy::evaluate::interpreter {

/// Hands out register memory, one array of lanes at a time.
class RegisterFile {
 public:
  explicit RegisterFile(std::size_t lanes) : lanes_(lanes) {}
  /// A register of that many bytes a lane, aligned for vector instructions.
  Register allocate(std::uint32_t lane_bytes);
  /// One that was never another value's: its content may be set before the program runs.
  Register allocate_fresh(std::uint32_t lane_bytes);
  /// Gives a register back; the next of its size may take it.
  void release(Register place, std::uint32_t lane_bytes);
  std::size_t size_bytes() const { return size_bytes_; }

 private:
  std::size_t lanes_;
  std::size_t size_bytes_ = 0;
  std::map<std::uint32_t, std::vector<Register>> free_;  // by bytes a lane
};

/// For each operation of a block, the values to release after it.
using DeathList = std::vector<std::vector<const choir::Value*>>;

/// Last uses of the block's own results; a use in a nested region counts as one by the operation
/// around it. Values without a register of their own (presets, memory) are never listed, nor are
/// those that the terminator takes.
DeathList find_deaths(const choir::Block& block, const std::vector<choir::Operation*>& operations);

}  // namespace accy::evaluate::interpreter
