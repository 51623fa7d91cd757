// Messages of the Vulkan validation layer, kept so that tests can demand that there are none.
// Active when the environment variable ACCY_VULKAN_VALIDATION is 1 at the first use of the adapter.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace accy::vulkan {

struct ValidationMessage {
  std::string id;  ///< "VUID-vkCmdDispatch-None-02697"
  std::string text;
  bool error = false;  ///< else a warning
};

/// Whether ACCY_VULKAN_VALIDATION=1 asks for the layer.
bool validation_requested();
/// Whether the layer is loaded and reports into this list.
bool validation_active();
/// Copies of the first 1000 warnings and errors since the start or the last clear.
std::vector<ValidationMessage> validation_messages();
/// How many there were, kept or not.
std::size_t validation_message_count();
void clear_validation_messages();

}  // namespace accy::vulkan
