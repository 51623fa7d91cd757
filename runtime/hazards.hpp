// Hazards between the steps of a plan, over the byte ranges that each step reads and writes. The
// validation layers are blind to accesses by buffer address, so this is the check that counts.
#pragma once

#include <string>
#include <vector>

#include "runtime/adapter.hpp"

namespace accy::runtime {

/// Two steps with no barrier between them of which one writes what the other touches.
struct Hazard {
  std::size_t first_step = 0;
  std::size_t second_step = 0;
  std::string reason;  ///< "write after read of slot 2, bytes 256 to 512"
};

/// Every pair of steps in one barrier-free run that conflicts. Different slots never overlap: the
/// executable binds each to memory of its own.
std::vector<Hazard> find_hazards(const PlanDescription& plan);

/// An error that names the first hazard and the number of all.
Status check_hazards(const PlanDescription& plan);

/// The same steps with the fewest barriers that leave no hazard: one right before the first step
/// that conflicts with any since the last barrier.
PlanDescription with_barriers(PlanDescription plan);

}  // namespace accy::runtime
