// Every VkResult as an accy error: which code it becomes, and its name in the message.
#pragma once

#include <string_view>
#include <volk.h>

#include "accy/result.hpp"

namespace accy::vulkan {

/// "VK_ERROR_DEVICE_LOST"; a result this file does not know is "unknown VkResult".
std::string_view result_name(VkResult result);

/// The error for a driver call that did not succeed: out_of_memory for exhausted host or device
/// memory, device_lost, timeout, else device. `call` is the function's name; the raw VkResult is
/// in driver_code.
Failure driver_failure(VkResult result, std::string_view call);

}  // namespace accy::vulkan
