#include "memory/liveness.hpp"

#include <unordered_map>

#include "dialect/host/host.hpp"

namespace accy::memory {

using choir::Operation;
using choir::Value;

std::vector<LiveBlock> live_blocks(const Operation& function) {
  std::vector<LiveBlock> blocks;
  std::unordered_map<const Value*, std::size_t> index_of;  // look-up only
  std::size_t step = 0;
  for (Operation* operation : function.body().operations()) {
    for (const Value* operand : operation->operands()) {
      const auto known = index_of.find(operand);
      if (known == index_of.end()) continue;
      if (operation->name() == "host.view")
        index_of[operation->result()] = known->second;
      else
        blocks[known->second].last_step = step;
    }
    if (operation->name() == "host.block") {
      const host::Place place = host::place_of(*operation->result());
      if (place.space == host::Space::arena) {
        index_of[operation->result()] = blocks.size();
        blocks.push_back({operation, place.offset_bytes, place.size_bytes, step, step});
      }
    }
    ++step;
  }
  return blocks;
}

}  // namespace accy::memory
