// Plans of the interpreter: the steps with each argument resolved to its parameter.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "evaluate/kernel_interpreter.hpp"
#include "runtime/adapter.hpp"

namespace accy::interpreter {

struct InterpreterKernels final : runtime::LoadedKernels {
  std::vector<evaluate::KernelProgram> programs;
};

/// Resolves the steps; fails where the arguments of a launch do not fill its kernel's layout or a
/// slot does not exist. The kernels must outlive the plan.
Result<std::unique_ptr<runtime::Plan>> record_plan(const InterpreterKernels& kernels,
                                                   const runtime::PlanDescription& description);

/// Runs a plan that record_plan made. Times are of the steady clock.
Result<runtime::RunTiming> run_plan(const runtime::Plan& plan,
                                    std::span<const runtime::BufferRange> slots);

}  // namespace accy::interpreter
