#include "runtime/adapter.hpp"

namespace accy::runtime {

std::string_view to_string(DeviceKind kind) {
  switch (kind) {
    case DeviceKind::discrete: return "discrete";
    case DeviceKind::integrated: return "integrated";
    case DeviceKind::virtual_gpu: return "virtual";
    case DeviceKind::cpu: return "cpu";
    case DeviceKind::interpreter: return "interpreter";
  }
  return "unknown";
}

}  // namespace accy::runtime
