#include "targets/registry.hpp"

#include <array>
#include <vector>

#ifdef ACCY_TARGET_CUDA
#include "targets/cuda/device/adapter.hpp"
#include "targets/cuda/emit/backend.hpp"
#endif
#ifdef ACCY_TARGET_VULKAN
#include "targets/vulkan/device/adapter.hpp"
#include "targets/vulkan/emit/backend.hpp"
#endif
#ifdef ACCY_TARGET_INTERPRETER
#include "targets/interpreter/device/adapter.hpp"
#include "targets/interpreter/emit/backend.hpp"
#endif

namespace accy::targets {

std::span<const Target> all() {
  static const std::vector<Target> targets{
#ifdef ACCY_TARGET_CUDA
      {&cuda::backend(), &cuda::adapter()},
#endif
#ifdef ACCY_TARGET_VULKAN
      {&vulkan::backend(), &vulkan::adapter()},
#endif
#ifdef ACCY_TARGET_INTERPRETER
      {&interpreter::backend(), &interpreter::adapter()},
#endif
  };
  return targets;
}

const target::Backend* find_backend(std::string_view target) {
  for (const Target& candidate : all())
    if (candidate.backend->name == target) return candidate.backend;
  return nullptr;
}

Result<TargetProfile> find_profile(std::string_view id) {
  std::string known;
  for (const Target& target : all())
    for (const TargetProfile& profile : target.backend->profiles()) {
      if (profile.id() == id) return profile;
      known += (known.empty() ? "" : ", ") + profile.id();
    }
  return fail(ErrorCode::invalid_input,
              "unknown target profile '" + std::string(id) + "' (known: " + known + ")");
}

runtime::DeviceList enumerate() {
  runtime::DeviceList list;
  for (const Target& target : all()) {
    runtime::DeviceList part = target.adapter->enumerate();
    for (runtime::DeviceInfo& device : part.devices) list.devices.push_back(std::move(device));
    for (runtime::Unavailable& reason : part.unavailable)
      list.unavailable.push_back(std::move(reason));
  }
  return list;
}

namespace {

Failure no_such_device(std::string_view name) {
  std::string known;
  for (const runtime::DeviceInfo& device : enumerate().devices) known += device.name + ", ";
  return fail(ErrorCode::not_found, "no device named '" + std::string(name) + "' here (devices: " +
                                        known + std::string(reference_device) + ")");
}

}  // namespace

Result<std::unique_ptr<runtime::Device>> open(std::string_view name) {
  // Only the adapter that is meant: another's driver may be slow to load, or broken.
  const std::string_view adapter_name = name.substr(0, name.find(':'));
  for (const Target& target : all()) {
    if (target.adapter->name != adapter_name) continue;
    const runtime::DeviceList list = target.adapter->enumerate();
    for (const runtime::DeviceInfo& device : list.devices)
      if (device.name == name) return target.adapter->open(name);
    for (const runtime::Unavailable& missing : list.unavailable)
      return fail(ErrorCode::not_found,
                  "device '" + std::string(name) + "' is not available: " + missing.reason);
  }
  return no_such_device(name);
}

}  // namespace accy::targets
