// The registry: the only place that names all targets. A target is a compiler half and a runtime
// half; adding one is a folder and a line in registry.cpp.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "runtime/adapter.hpp"
#include "target/backend.hpp"

namespace accy::targets {

struct Target {
  const target::Backend* backend;
  const runtime::Adapter* adapter;
};

/// Every target of this build, in order of preference.
std::span<const Target> all();

/// The backend that emits for profiles of that target; null when this build has none.
const target::Backend* find_backend(std::string_view target);

/// The built-in profile "target:name", or an error that lists the known ones.
Result<TargetProfile> find_profile(std::string_view id);

/// Devices of every adapter, and what is not available with the reason.
runtime::DeviceList enumerate();
/// The device that needs no adapter and no driver: the typed evaluator on the contract product.
inline constexpr std::string_view reference_device = "reference";
inline constexpr std::string_view reference_description = "typed tensor evaluator on the host";

/// Opens a device by its name. An unknown or unavailable one is an error of code not_found that
/// lists the devices here, or says why it is not.
Result<std::unique_ptr<runtime::Device>> open(std::string_view name);

}  // namespace accy::targets
