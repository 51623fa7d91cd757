// Which device "auto" means.
#pragma once

#include "runtime/adapter.hpp"

namespace accy::targets {

struct DeviceChoice {
  std::string name;
  std::string reason;  ///< why this one and not another
};

/// Ranks by kind: discrete, integrated, virtual, cpu, interpreter; equals keep the adapters' order.
/// Never by name. An error when the list is empty.
Result<DeviceChoice> choose_device(const runtime::DeviceList& list);

}  // namespace accy::targets
