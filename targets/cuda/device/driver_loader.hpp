// Finds the CUDA driver at run time.
#pragma once

#include "accy/result.hpp"
#include "targets/cuda/device/driver_api.hpp"

namespace accy::cuda::driver {

/// The entry points of libcuda.so.1, loaded once and kept for the life of the process (the driver
/// has threads of its own). The error, `not_found`, says what cannot be loaded and why.
const Result<Api>& installed_driver();

}  // namespace accy::cuda::driver
