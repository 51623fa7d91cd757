// The built-in CUDA profiles: one a compute capability that PTX is written for.
#pragma once

#include <cstdint>
#include <span>

#include "profile/profile.hpp"

namespace accy::cuda {

/// All built-in profiles, the portable floor (sm_75) first. `code_version` of each is the lowest
/// PTX ISA that knows the architecture, so that the oldest driver possible loads the code.
std::span<const TargetProfile> profiles();

/// The highest built-in profile whose PTX a device of that compute capability runs and whose PTX
/// ISA a driver takes that accepts `ptx_version` (78 is 7.8). Null when there is none.
const TargetProfile* profile_for(int major, int minor, std::int64_t ptx_version);

/// The same for a driver that takes every PTX ISA; null below compute capability 7.5.
const TargetProfile* profile_for(int major, int minor);

/// Highest PTX ISA (times 10) that a driver of that `cuDriverGetVersion` (12040 is CUDA 12.4)
/// takes; 0 for a driver older than CUDA 10.0, which takes none that we write.
std::int64_t ptx_version_of_driver(int driver_version);

}  // namespace accy::cuda
