#include "targets/interpreter/device/adapter.hpp"

#include "targets/interpreter/device/device.hpp"
#include "targets/interpreter/profile/profiles.hpp"

namespace accy::interpreter {
namespace {

constexpr std::string_view device_name = "interpreter";

runtime::DeviceInfo device_info() {
  runtime::DeviceInfo info;
  info.name = device_name;
  info.adapter = device_name;
  info.kind = runtime::DeviceKind::interpreter;
  info.description = "kernel interpreter on the CPU";
  info.driver = "accy";
  info.profile = profiles().front();
  return info;
}

runtime::DeviceList enumerate() { return {{device_info()}, {}}; }

Result<std::unique_ptr<runtime::Device>> open(std::string_view name) {
  if (name != device_name)
    return fail(ErrorCode::not_found, "no device '" + std::string(name) +
                                          "' here (the only one is " + std::string(device_name) +
                                          ")");
  return make_device(device_info());
}

}  // namespace

const runtime::Adapter& adapter() {
  static constexpr runtime::Adapter instance{device_name, enumerate, open};
  return instance;
}

}  // namespace accy::interpreter
