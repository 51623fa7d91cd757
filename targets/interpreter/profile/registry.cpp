#include "targets/interpreter/profile/registry.hpp"

#include "dialect/kernel/kernel.hpp"

namespace accy::interpreter {

const choir::Registry& kernel_registry() {
  static const choir::Registry registry = [] {
    choir::Registry made;
    kernel::register_kernel_dialect(made);
    return made;
  }();
  return registry;
}

}  // namespace accy::interpreter
