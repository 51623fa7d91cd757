// The CUDA devices of a driver, as profiles.
#pragma once

#include "runtime/adapter.hpp"
#include "targets/cuda/device/driver_api.hpp"

namespace accy::cuda {

/// Lists "cuda:N" of every device that accy has code for; the rest, or the whole adapter, is
/// unavailable with the reason.
runtime::DeviceList enumerate(const driver::Api& api);

/// Ordinal of "cuda:<ordinal>"; an error for any other name.
Result<driver::Ordinal> ordinal_of(std::string_view name);

/// Identity and profile of one device; the driver is initialized.
Result<runtime::DeviceInfo> describe_device(const driver::Api& api, driver::Ordinal ordinal);

/// Calls cuInit; the error says what it returned.
Status initialize(const driver::Api& api);

}  // namespace accy::cuda
