// fuse_regions: merges producers into consumers where one kernel can do the work of both.
#pragma once

#include "choir/pass_registry.hpp"

namespace accy::dispatch {

struct FuseOptions {
  std::size_t operations_maximum = 96;  ///< operations in one region
  std::size_t operands_maximum = 16;    ///< buffers that one item reads
};

/// Takes every legal merge (see classify) in program order, contractions first, unless it would
/// recompute expensive operations or break an order. A merged value that others read too becomes
/// another output.
choir::Pass fuse_regions_pass(FuseOptions options);
choir::PassRegistration fuse_regions_registration();

}  // namespace accy::dispatch
