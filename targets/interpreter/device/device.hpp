// The interpreter as a device: buffers in host memory, kernels decoded when they are loaded.
#pragma once

#include <memory>

#include "runtime/adapter.hpp"

namespace accy::interpreter {

std::unique_ptr<runtime::Device> make_device(runtime::DeviceInfo info);

}  // namespace accy::interpreter
