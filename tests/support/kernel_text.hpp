// Kernel programs for tests: one kernel.func from the text of its body.
#pragma once

#include <string>

#include "choir/text.hpp"
#include "dialect/kernel/kernel.hpp"

namespace accy {

/// A registry with the kernel dialect alone.
inline const choir::Registry& kernel_registry() {
  static const choir::Registry shared = [] {
    choir::Registry made;
    kernel::register_kernel_dialect(made);
    return made;
  }();
  return shared;
}

struct KernelText {
  std::string parameters;
  std::string body;  ///< without kernel.return
  bool exact = false;
  int subgroup = 0;
  std::string workgroup = "[64, 1, 1]";
};

inline std::string to_text(const KernelText& kernel) {
  return "choir kernel v1\nkernel.func @test {exact = " +
         std::string(kernel.exact ? "true" : "false") +
         ", subgroup = " + std::to_string(kernel.subgroup) + ", workgroup = " + kernel.workgroup +
         "} (" + kernel.parameters + ") {\n" + kernel.body + "  kernel.return\n}\n";
}

inline Result<choir::Module> parse_kernel(const KernelText& kernel) {
  return choir::parse_and_verify(to_text(kernel), "test.choir", kernel_registry());
}

}  // namespace accy
