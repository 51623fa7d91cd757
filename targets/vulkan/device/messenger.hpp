// The debug messenger behind validation.hpp.
#pragma once

#include <volk.h>

namespace accy::vulkan {

/// Reports warnings and errors of the layers into the process's list.
VkDebugUtilsMessengerCreateInfoEXT messenger_info();

/// Says whether the validation layer reports; the instance calls it once.
void set_validation_active(bool active);

}  // namespace accy::vulkan
