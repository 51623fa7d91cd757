// fold_constants: evaluates what depends on constants alone.
#pragma once

#include "choir/pass_registry.hpp"

namespace accy::contract {

/// Budgets, so that a small program cannot fold into a large one.
struct FoldOptions {
  std::int64_t result_bytes_maximum = std::int64_t{1} << 20;  ///< one folded value
  std::int64_t total_bytes_maximum = std::int64_t{1} << 26;   ///< all values folded by one run
};

/// Replaces pure operations whose operands are all constants by their typed evaluation, to the bit.
/// Movements of constants are left to the kernels, which read through them for nothing. Weights
/// are never read here, so that no product depends on their content.
choir::Pass fold_constants_pass(FoldOptions options);
choir::PassRegistration fold_constants_registration();

}  // namespace accy::contract
