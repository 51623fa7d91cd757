// From a target product's host function to kernels to load and a plan to record.
#pragma once

#include <string>
#include <vector>

#include "accy/host_tensor.hpp"
#include "choir/module.hpp"
#include "runtime/adapter.hpp"

namespace accy::runtime {

/// An input or output of a program.
struct Port {
  std::string name;
  ElementType element = ElementType::f32;
  std::vector<std::int64_t> shape;
  std::int64_t size_bytes = 0;
};

/// What an executable needs to know of a target product. Slots: inputs, outputs, constants, arena,
/// workspace, in this order. `code` borrows the module's bytes.
struct LaunchProgram {
  std::vector<Port> inputs;
  std::vector<Port> outputs;
  std::vector<KernelBinary> kernels;
  PlanDescription plan;  ///< with barriers, free of hazards
  std::int64_t constant_bytes = 0;
  std::int64_t arena_bytes = 0;
  std::int64_t workspace_bytes = 0;
  std::vector<const choir::Operation*> constants;  ///< the host.constant operations

  std::size_t constant_slot() const { return inputs.size() + outputs.size(); }
  std::size_t arena_slot() const { return constant_slot() + 1; }
  std::size_t workspace_slot() const { return constant_slot() + 2; }
};

/// Reads a sealed target product; the module must outlive the result.
Result<LaunchProgram> read_launch_program(const choir::Module& target_module);

}  // namespace accy::runtime
