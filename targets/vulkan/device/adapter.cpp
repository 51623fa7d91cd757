#include "targets/vulkan/device/adapter.hpp"

#include <fmt/format.h>

#include "targets/vulkan/device/device.hpp"

namespace accy::vulkan {
namespace {

runtime::DeviceList enumerate() {
  runtime::DeviceList list;
  const auto instance = shared_instance();
  if (!instance) {
    list.unavailable.push_back({"vulkan", instance.error().message});
    return list;
  }
  const auto handles = (*instance)->physical_devices();
  if (!handles) {
    list.unavailable.push_back({"vulkan", handles.error().message});
    return list;
  }
  if (handles->empty()) list.unavailable.push_back({"vulkan", "the Vulkan loader lists no device"});
  for (std::size_t ordinal = 0; ordinal < handles->size(); ++ordinal) {
    const auto device = query_physical_device(**instance, (*handles)[ordinal], ordinal);
    if (device)
      list.devices.push_back(describe(*device));
    else
      list.unavailable.push_back({fmt::format("vulkan:{}", ordinal), device.error().message});
  }
  return list;
}

Result<std::unique_ptr<runtime::Device>> open(std::string_view name) {
  ACCY_TRY_ASSIGN(std::unique_ptr<runtime::Device> device, VulkanDevice::open(name, {}));
  return device;
}

}  // namespace

const runtime::Adapter& adapter() {
  static const runtime::Adapter instance{"vulkan", enumerate, open};
  return instance;
}

}  // namespace accy::vulkan
