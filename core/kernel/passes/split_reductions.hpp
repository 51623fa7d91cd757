// split_reductions: two launches for a long reduction with few results.
#pragma once

#include "choir/pass_registry.hpp"

namespace accy::kernel {

struct SplitOptions {
  std::int64_t columns_minimum = 32768;  ///< elements of one result below which one launch does
  std::int64_t rows_maximum = 32;        ///< results above which one launch fills the device
  std::int64_t segments_maximum = 256;   ///< partial results of one result
  std::int64_t segment_minimum = 512;    ///< elements of one partial result
};

/// A work item that reduces trailing axes to few results, in free order, becomes two: the first
/// reduces segments into a block of the workspace, the second reduces the partial results and does
/// what stood behind. Partial results keep the accumulate type. Lengths that no number of segments
/// divides stay whole. Sets the function's `workspace_bytes`; items run one after the other, so
/// each item's workspace starts at offset 0.
choir::Pass split_reductions_pass(SplitOptions options);
choir::PassRegistration split_reductions_registration();

}  // namespace accy::kernel
