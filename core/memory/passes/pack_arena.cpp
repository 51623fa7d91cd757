#include "memory/passes/pack_arena.hpp"

#include <algorithm>
#include <numeric>

#include "dialect/host/host.hpp"
#include "memory/liveness.hpp"
#include "support/checked.hpp"

namespace accy::memory {

namespace {

/// Lowest aligned offset at which `block` fits among the placed ones that live with it.
Result<std::int64_t> lowest_offset(const LiveBlock& block, std::span<const LiveBlock> placed) {
  std::vector<const LiveBlock*> neighbours;
  for (const LiveBlock& other : placed)
    if (other.size_bytes != 0 && block.lives_with(other)) neighbours.push_back(&other);
  std::sort(neighbours.begin(), neighbours.end(), [](const LiveBlock* a, const LiveBlock* b) {
    return a->offset_bytes < b->offset_bytes;
  });
  std::int64_t offset = 0;
  for (const LiveBlock* other : neighbours) {
    if (other->offset_bytes - offset >= block.size_bytes) break;
    ACCY_TRY_ASSIGN(const std::int64_t end,
                    checked_align(other->end_bytes(), host::block_alignment));
    offset = std::max(offset, end);
  }
  return offset;
}

void record(choir::DecisionLog& log, const LiveBlock& block, std::span<const LiveBlock> placed) {
  if (!log.on()) return;
  std::string shared;
  for (const LiveBlock& other : placed)
    if (other.offset_bytes < block.end_bytes() && block.offset_bytes < other.end_bytes())
      shared += (shared.empty() ? " " : ", ") + choir::subject_of(*other.operation);
  log.record({.kind = "buffer",
              .subject = choir::subject_of(*block.operation),
              .choice = std::to_string(block.size_bytes) + " bytes at " +
                        std::to_string(block.offset_bytes) + " of the arena",
              .reason = "alive in steps " + std::to_string(block.first_step) + " to " +
                        std::to_string(block.last_step) +
                        (shared.empty() ? ": the lowest offset that is free, memory of its own"
                                        : ", where" + shared + " of the same memory is not"),
              .places = choir::places_of(block.operation->location())});
}

Result<choir::PassChange> run(choir::PassContext& context) {
  choir::Operation* function = host::find_function(context.module);
  if (function == nullptr) return fail(ErrorCode::invalid_input, "module has no host.func");
  std::vector<LiveBlock> blocks = live_blocks(*function);
  // Stable: equal sizes keep program order, so that the plan is the same in every run.
  std::stable_sort(blocks.begin(), blocks.end(), [](const LiveBlock& a, const LiveBlock& b) {
    return a.size_bytes > b.size_bytes;
  });
  choir::Context& ir = context.module.context();
  std::int64_t arena_bytes = 0;
  for (std::size_t index = 0; index < blocks.size(); ++index) {
    LiveBlock& block = blocks[index];
    ACCY_TRY_ASSIGN(block.offset_bytes, lowest_offset(block, std::span(blocks).first(index)));
    ACCY_TRY_ASSIGN(const std::int64_t end, checked_add(block.offset_bytes, block.size_bytes));
    arena_bytes = std::max(arena_bytes, end);
    block.operation->set_attribute("offset", ir.integer(block.offset_bytes));
    record(context.decisions, block, std::span(blocks).first(index));
  }
  function->set_attribute("arena_bytes", ir.integer(arena_bytes));
  return choir::PassChange::changed;
}

}  // namespace

choir::Pass pack_arena_pass() {
  return {.name = "accy-choir-pack-arena",
          .description = "Give every arena block an offset in one arena",
          .options = {},
          .run = run,
          .preserved = {}};
}

}  // namespace accy::memory
