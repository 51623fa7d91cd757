#include "targets/device_choice.hpp"

#include <algorithm>

namespace accy::targets {

Result<DeviceChoice> choose_device(const runtime::DeviceList& list) {
  // The enumerators of DeviceKind stand in falling order of rank.
  const auto best = std::min_element(
      list.devices.begin(), list.devices.end(),
      [](const runtime::DeviceInfo& a, const runtime::DeviceInfo& b) { return a.kind < b.kind; });
  if (best == list.devices.end()) return fail(ErrorCode::not_found, "no device is available here");
  std::string reason = "highest-ranked kind present (" + std::string(to_string(best->kind)) +
                       ") of " + std::to_string(list.devices.size()) + " devices";
  return DeviceChoice{best->name, std::move(reason)};
}

}  // namespace accy::targets
