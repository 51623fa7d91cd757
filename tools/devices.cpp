#include "tools/devices.hpp"

#include <algorithm>
#include <fmt/core.h>

#include "targets/registry.hpp"
#include "tools/json_output.hpp"

namespace accy::tools {
namespace {

using nlohmann::json;

void print_for_people(const runtime::DeviceList& list, std::ostream& output) {
  std::size_t name_width = targets::reference_device.size();
  for (const auto& device : list.devices) name_width = std::max(name_width, device.name.size());
  for (const auto& entry : list.unavailable) name_width = std::max(name_width, entry.name.size());
  for (const runtime::DeviceInfo& device : list.devices)
    output << fmt::format("{:<{}}  {:<11}  {}; {}\n", device.name, name_width,
                          runtime::to_string(device.kind), device.description, device.driver);
  for (const runtime::Unavailable& entry : list.unavailable)
    output << fmt::format("{:<{}}  {:<11}  {}\n", entry.name, name_width, "unavailable",
                          entry.reason);
  output << fmt::format("{:<{}}  {:<11}  {}\n", targets::reference_device, name_width, "evaluator",
                        targets::reference_description);
}

json to_document(const runtime::DeviceList& list) {
  json devices = json::array();
  for (const runtime::DeviceInfo& device : list.devices)
    devices.push_back({{"name", device.name},
                       {"adapter", device.adapter},
                       {"kind", runtime::to_string(device.kind)},
                       {"description", device.description},
                       {"driver", device.driver},
                       {"uuid", device.uuid},
                       {"profile", json_of(device.profile)}});
  json unavailable = json::array();
  for (const runtime::Unavailable& entry : list.unavailable)
    unavailable.push_back({{"name", entry.name}, {"reason", entry.reason}});
  json document = json_document("devices");
  document["devices"] = std::move(devices);
  document["unavailable"] = std::move(unavailable);
  // No device with a profile, but a name that `accy run --device` takes.
  document["evaluators"] = json::array(
      {{{"name", targets::reference_device}, {"description", targets::reference_description}}});
  return document;
}

}  // namespace

ExitCode run_devices(const DevicesOptions& options, const runtime::DeviceList& list,
                     std::ostream& output) {
  if (options.json)
    print_json(output, to_document(list));
  else
    print_for_people(list, output);
  return list.devices.empty() ? ExitCode::no_such_device : ExitCode::done;
}

}  // namespace accy::tools
