#include "dialect/dialects.hpp"

#include "dialect/host/host.hpp"
#include "dialect/kernel/kernel.hpp"
#include "dialect/tensor/tensor.hpp"

namespace accy {

const choir::Registry& registry() {
  static const choir::Registry all = [] {
    choir::Registry registry;
    tensor::register_tensor_dialect(registry);
    host::register_host_dialect(registry);
    kernel::register_kernel_dialect(registry);
    return registry;
  }();
  return all;
}

}  // namespace accy
