#include "targets/vulkan/device/validation.hpp"

#include <cstdlib>
#include <mutex>
#include <string_view>

#include "targets/vulkan/device/messenger.hpp"

namespace accy::vulkan {
namespace {

constexpr std::size_t messages_kept_maximum = 1000;

struct MessageList {
  std::mutex mutex;
  std::vector<ValidationMessage> messages;
  std::size_t count = 0;
  bool active = false;
};

MessageList& list() {
  static MessageList messages;
  return messages;
}

VKAPI_ATTR VkBool32 VKAPI_CALL receive(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                       VkDebugUtilsMessageTypeFlagsEXT,
                                       const VkDebugUtilsMessengerCallbackDataEXT* data, void*) {
  MessageList& target = list();
  const std::lock_guard lock(target.mutex);
  ++target.count;
  if (target.messages.size() < messages_kept_maximum) {
    ValidationMessage message;
    if (data->pMessageIdName != nullptr) message.id = data->pMessageIdName;
    if (data->pMessage != nullptr) message.text = data->pMessage;
    message.error = (severity & VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT) != 0;
    target.messages.push_back(std::move(message));
  }
  return VK_FALSE;
}

}  // namespace

bool validation_requested() {
  const char* value = std::getenv("ACCY_VULKAN_VALIDATION");
  return value != nullptr && std::string_view(value) == "1";
}

bool validation_active() {
  MessageList& source = list();
  const std::lock_guard lock(source.mutex);
  return source.active;
}

std::vector<ValidationMessage> validation_messages() {
  MessageList& source = list();
  const std::lock_guard lock(source.mutex);
  return source.messages;
}

std::size_t validation_message_count() {
  MessageList& source = list();
  const std::lock_guard lock(source.mutex);
  return source.count;
}

void clear_validation_messages() {
  MessageList& target = list();
  const std::lock_guard lock(target.mutex);
  target.messages.clear();
  target.count = 0;
}

void set_validation_active(bool active) {
  MessageList& target = list();
  const std::lock_guard lock(target.mutex);
  target.active = active;
}

VkDebugUtilsMessengerCreateInfoEXT messenger_info() {
  VkDebugUtilsMessengerCreateInfoEXT info{};
  info.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT;
  info.messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT |
                         VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
  // Not "general": that is the loader's chatter about other drivers and manifests.
  info.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT |
                     VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT;
  info.pfnUserCallback = receive;
  return info;
}

}  // namespace accy::vulkan
