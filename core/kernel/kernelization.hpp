// Kernelization: a query over a kernel product for its kernels and who launches them.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "choir/pass.hpp"
#include "dialect/host/host.hpp"

namespace accy::kernel {

/// One generated kernel.
struct GeneratedKernelSummary {
  std::string name;              ///< its symbol
  std::string kind;              ///< of the work item that it was generated for
  std::string schedule;          ///< class chosen for it
  std::uint64_t operations = 0;  ///< in its program, nested ones included
  std::array<std::int64_t, 3> workgroup{1, 1, 1};
  std::array<std::int64_t, 3> grid{1, 1, 1};  ///< of its first launch
  std::int64_t subgroup = 0;                  ///< required subgroup size; 0: any
  std::int64_t shared_bytes = 0;
  std::vector<std::int64_t> work_items;  ///< that launch it, ascending, each once
  std::uint64_t launches = 0;
  friend bool operator==(const GeneratedKernelSummary&, const GeneratedKernelSummary&) = default;
};

/// Kernels in the order of their first launch. Points into the module that it was computed from.
class Kernelization {
 public:
  /// The module must be of the kernel stage.
  explicit Kernelization(const choir::Module& module);

  std::size_t kernel_count() const { return summaries_.size(); }
  const std::vector<GeneratedKernelSummary>& summaries() const { return summaries_; }
  /// Errors: no kernel of that number, no work item of that number or one without launches.
  Result<GeneratedKernelSummary> summary(std::size_t kernel) const;
  Result<const choir::Operation*> program(std::size_t kernel) const;
  /// Of the first launch of a work item.
  Result<GeneratedKernelSummary> summary_for_work(std::int64_t item) const;
  Result<const choir::Operation*> program_for_work(std::int64_t item) const;

 private:
  Result<std::size_t> kernel_for_work(std::int64_t item) const;
  std::vector<GeneratedKernelSummary> summaries_;
  std::vector<const choir::Operation*> programs_;
};

/// The same as an analysis of the kernel stage's modules.
const choir::AnalysisDescriptor& kernelization_analysis();

}  // namespace accy::kernel
