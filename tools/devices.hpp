// accy devices: what can run programs here.
#pragma once

#include <ostream>

#include "runtime/adapter.hpp"
#include "tools/exit_code.hpp"

namespace accy::tools {

struct DevicesOptions {
  bool json = false;
};

/// Prints the devices and what is unavailable: one line each, or one JSON document. no_such_device
/// when there is no device at all.
ExitCode run_devices(const DevicesOptions& options, const runtime::DeviceList& list,
                     std::ostream& output);

}  // namespace accy::tools
