// One open CUDA device.
#pragma once

#include <memory>

#include "runtime/adapter.hpp"
#include "targets/cuda/device/session.hpp"

namespace accy::cuda {

/// Opens a device by name through a driver, which must outlive it; cuInit is called here.
Result<std::unique_ptr<runtime::Device>> open_device(const driver::Api& api, std::string_view name,
                                                     SessionOptions options = {});

}  // namespace accy::cuda
