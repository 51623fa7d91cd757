#include "memory/job.hpp"

#include "dialect/host/host.hpp"
#include "memory/liveness.hpp"

namespace accy::memory {

namespace {

bool legal(const choir::Operation& operation) {
  const std::string_view name = operation.name();
  if (name == "host.func" || name == "host.return" || name == "host.item_into" ||
      name == "host.yield" || name == "host.view" || name == "host.block" ||
      name == "host.constant")
    return true;
  const choir::Operation* parent = operation.parent();
  return parent != nullptr && parent->name() == "host.item_into" && name.starts_with("tensor.");
}

/// Blocks lie inside the arena, and no two that are live at one time overlap.
void verify_memory(const choir::Module& module, choir::Diagnostics& diagnostics) {
  const choir::Operation* function = host::find_function(module);
  if (function == nullptr) return diagnostics.report(module.operation(), "has no host.func");
  const std::int64_t arena = host::integer_or(*function, "arena_bytes", -1);
  if (arena < 0) return diagnostics.report(*function, "has no 'arena_bytes'");
  const std::vector<LiveBlock> blocks = live_blocks(*function);
  for (std::size_t index = 0; index < blocks.size(); ++index) {
    const LiveBlock& block = blocks[index];
    if (block.end_bytes() > arena)
      diagnostics.report(*block.operation, "ends at byte " + std::to_string(block.end_bytes()) +
                                               " of an arena of " + std::to_string(arena));
    for (std::size_t other = 0; other < index; ++other)
      if (block.conflicts_with(blocks[other]))
        diagnostics.report(*block.operation, "overlaps another live block at byte " +
                                                 std::to_string(blocks[other].offset_bytes));
  }
}

}  // namespace

const choir::StageSpec& MemoryStage::spec() {
  static const choir::StageSpec spec{
      .stage = "memory", .version = 1, .legal = legal, .verify = verify_memory};
  return spec;
}

}  // namespace accy::memory
