// Liveness of arena blocks over the steps of a host function.
#pragma once

#include <cstdint>
#include <vector>

#include "choir/operation.hpp"

namespace accy::memory {

/// An arena block and the steps of the host function from its definition to its last use, both
/// included. Steps count the operations of the function's body.
struct LiveBlock {
  choir::Operation* operation = nullptr;  ///< the host.block
  std::int64_t offset_bytes = 0;
  std::int64_t size_bytes = 0;
  std::size_t first_step = 0;  ///< where it is defined, right before its first write
  std::size_t last_step = 0;

  std::int64_t end_bytes() const { return offset_bytes + size_bytes; }
  bool lives_with(const LiveBlock& other) const {
    return first_step <= other.last_step && other.first_step <= last_step;
  }
  bool conflicts_with(const LiveBlock& other) const {
    return size_bytes != 0 && other.size_bytes != 0 && lives_with(other) &&
           offset_bytes < other.end_bytes() && other.offset_bytes < end_bytes();
  }
};

/// Every arena block of the function in program order. A block that nothing uses lives at its own
/// step only. Uses through views count.
std::vector<LiveBlock> live_blocks(const choir::Operation& function);

}  // namespace accy::memory
