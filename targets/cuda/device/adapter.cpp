#include "targets/cuda/device/adapter.hpp"

#include "targets/cuda/device/device.hpp"
#include "targets/cuda/device/driver_loader.hpp"
#include "targets/cuda/device/enumerate.hpp"

namespace accy::cuda {

namespace {

runtime::DeviceList enumerate_installed() {
  const Result<driver::Api>& installed = driver::installed_driver();
  if (installed) return enumerate(*installed);
  runtime::DeviceList list;
  list.unavailable.push_back({"cuda", installed.error().message});
  return list;
}

Result<std::unique_ptr<runtime::Device>> open_installed(std::string_view name) {
  const Result<driver::Api>& installed = driver::installed_driver();
  if (!installed) return fail(Error(installed.error()));
  return open_device(*installed, name);
}

}  // namespace

const runtime::Adapter& adapter() {
  static constexpr runtime::Adapter instance{"cuda", enumerate_installed, open_installed};
  return instance;
}

}  // namespace accy::cuda
