#include "targets/vulkan/device/instance.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <string_view>

#include "targets/vulkan/device/errors.hpp"
#include "targets/vulkan/device/messenger.hpp"
#include "targets/vulkan/device/validation.hpp"

namespace accy::vulkan {
namespace {

constexpr const char* validation_layer = "VK_LAYER_KHRONOS_validation";

bool environment_is_one(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && std::string_view(value) == "1";
}

bool has_extension(const char* layer, const char* extension) {
  std::uint32_t count = 0;
  if (vkEnumerateInstanceExtensionProperties(layer, &count, nullptr) != VK_SUCCESS) return false;
  std::vector<VkExtensionProperties> properties(count);
  if (vkEnumerateInstanceExtensionProperties(layer, &count, properties.data()) < VK_SUCCESS)
    return false;
  return std::any_of(properties.begin(), properties.begin() + count, [&](const auto& property) {
    return std::strcmp(property.extensionName, extension) == 0;
  });
}

Result<bool> has_layer(const char* name) {
  std::uint32_t count = 0;
  VkResult result = vkEnumerateInstanceLayerProperties(&count, nullptr);
  if (result != VK_SUCCESS) return driver_failure(result, "vkEnumerateInstanceLayerProperties");
  std::vector<VkLayerProperties> layers(count);
  result = vkEnumerateInstanceLayerProperties(&count, layers.data());
  if (result < VK_SUCCESS) return driver_failure(result, "vkEnumerateInstanceLayerProperties");
  return std::any_of(layers.begin(), layers.begin() + count,
                     [&](const auto& layer) { return std::strcmp(layer.layerName, name) == 0; });
}

/// Layers and extensions for the instance, from the environment.
struct Selection {
  std::vector<const char*> layers;
  std::vector<const char*> extensions;
};

Result<Selection> select() {
  Selection selection;
  if (validation_requested()) {
    ACCY_TRY_ASSIGN(const bool present, has_layer(validation_layer));
    if (!present)
      return fail(ErrorCode::not_found,
                  fmt::format("ACCY_VULKAN_VALIDATION is 1, but the layer {} is not installed",
                              validation_layer));
    selection.layers.push_back(validation_layer);
    selection.extensions.push_back(VK_EXT_DEBUG_UTILS_EXTENSION_NAME);
    if (has_extension(validation_layer, VK_EXT_VALIDATION_FEATURES_EXTENSION_NAME))
      selection.extensions.push_back(VK_EXT_VALIDATION_FEATURES_EXTENSION_NAME);
  } else if (environment_is_one("ACCY_VULKAN_LABELS") &&
             has_extension(nullptr, VK_EXT_DEBUG_UTILS_EXTENSION_NAME)) {
    selection.extensions.push_back(VK_EXT_DEBUG_UTILS_EXTENSION_NAME);
  }
  return selection;
}

}  // namespace

Result<std::unique_ptr<Instance>> Instance::create() {
  if (volkInitialize() != VK_SUCCESS)
    return fail(ErrorCode::not_found, "the Vulkan loader (libvulkan.so.1) cannot be opened");
  const std::uint32_t loader_version = volkGetInstanceVersion();
  if (loader_version < VK_API_VERSION_1_2)
    return fail(ErrorCode::unsupported,
                fmt::format("the Vulkan loader is of version {}.{}, at least 1.2 is needed",
                            VK_API_VERSION_MAJOR(loader_version),
                            VK_API_VERSION_MINOR(loader_version)));
  ACCY_TRY_ASSIGN(const Selection selection, select());

  std::unique_ptr<Instance> instance(new Instance);
  instance->api_version_ = std::min<std::uint32_t>(loader_version, VK_API_VERSION_1_3);
  instance->labels_ = !selection.extensions.empty();

  VkApplicationInfo application{};
  application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  application.pEngineName = "accy";
  application.apiVersion = instance->api_version_;

  VkDebugUtilsMessengerCreateInfoEXT messenger = messenger_info();
  const VkValidationFeatureEnableEXT enabled =
      VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT;
  VkValidationFeaturesEXT features{};
  features.sType = VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT;
  features.pNext = &messenger;
  features.enabledValidationFeatureCount = 1;
  features.pEnabledValidationFeatures = &enabled;

  VkInstanceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  info.pApplicationInfo = &application;
  info.enabledLayerCount = static_cast<std::uint32_t>(selection.layers.size());
  info.ppEnabledLayerNames = selection.layers.data();
  info.enabledExtensionCount = static_cast<std::uint32_t>(selection.extensions.size());
  info.ppEnabledExtensionNames = selection.extensions.data();
  const bool validate = !selection.layers.empty();
  if (validate) info.pNext = &features;

  const VkResult result = vkCreateInstance(&info, nullptr, &instance->handle_);
  if (result != VK_SUCCESS) return driver_failure(result, "vkCreateInstance");
  volkLoadInstanceOnly(instance->handle_);
  if (validate) {
    const VkResult made = vkCreateDebugUtilsMessengerEXT(instance->handle_, &messenger, nullptr,
                                                         &instance->messenger_);
    if (made != VK_SUCCESS) return driver_failure(made, "vkCreateDebugUtilsMessengerEXT");
    set_validation_active(true);
  }
  return instance;
}

Instance::~Instance() {
  if (handle_ == VK_NULL_HANDLE) return;
  if (messenger_ != VK_NULL_HANDLE) vkDestroyDebugUtilsMessengerEXT(handle_, messenger_, nullptr);
  vkDestroyInstance(handle_, nullptr);
}

Result<std::vector<VkPhysicalDevice>> Instance::physical_devices() const {
  std::uint32_t count = 0;
  VkResult result = vkEnumeratePhysicalDevices(handle_, &count, nullptr);
  if (result != VK_SUCCESS) return driver_failure(result, "vkEnumeratePhysicalDevices");
  std::vector<VkPhysicalDevice> devices(count);
  result = vkEnumeratePhysicalDevices(handle_, &count, devices.data());
  if (result < VK_SUCCESS) return driver_failure(result, "vkEnumeratePhysicalDevices");
  devices.resize(count);
  return devices;
}

Result<const Instance*> shared_instance() {
  // The message list must outlive the instance, whose destruction may still report.
  static const bool list_exists = (validation_active(), true);
  static_cast<void>(list_exists);
  static const Result<std::unique_ptr<Instance>> shared = Instance::create();
  if (!shared) return fail(shared.error());
  return shared->get();
}

}  // namespace accy::vulkan
