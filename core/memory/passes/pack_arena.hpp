// pack_arena: gives every arena block an offset in one arena.
#pragma once

#include "choir/pass.hpp"

namespace accy::memory {

/// Places blocks by falling size at the lowest offset that no block living at the same time uses,
/// aligned to host::block_alignment; sets `offset` and the function's `arena_bytes`.
choir::Pass pack_arena_pass();

}  // namespace accy::memory
