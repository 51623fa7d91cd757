#include "accy/npy.hpp"

#include "frontend/npy.hpp"

namespace accy {

Result<HostTensor> read_npy(const std::string& path) { return frontend::read_npy(path); }

Status write_npy(const std::string& path, const HostTensor& tensor) {
  return frontend::write_npy(path, tensor);
}

}  // namespace accy
