// The Vulkan adapter: what the runtime's registry names.
#pragma once

#include "runtime/adapter.hpp"

namespace accy::vulkan {

/// Devices "vulkan:0", "vulkan:1", ...: the loader's ordinals; DeviceInfo::uuid is the identity
/// that survives a change of their order. Environment: see shared_instance().
const runtime::Adapter& adapter();

}  // namespace accy::vulkan
