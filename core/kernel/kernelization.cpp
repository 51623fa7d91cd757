#include "kernel/kernelization.hpp"

#include <algorithm>
#include <unordered_map>

#include "dialect/kernel/kernel.hpp"

namespace accy::kernel {

using choir::Operation;

namespace {

GeneratedKernelSummary describe(const Operation& function, const Operation& launch) {
  return {.name = std::string(function.symbol()),
          .kind = std::string(launch.attribute("kind").text()),
          .schedule = std::string(launch.attribute("schedule").text()),
          .operations = choir::count_operations(function),
          .workgroup = workgroup_size(function),
          .grid = host::triple(launch, "grid"),
          .subgroup = subgroup_size(function),
          .shared_bytes = shared_memory_bytes(function),
          .work_items = {},
          .launches = 0};
}

}  // namespace

Kernelization::Kernelization(const choir::Module& module) {
  std::unordered_map<std::string_view, const Operation*> functions;
  for (const Operation* operation : module.body().operations())
    if (operation->name() == op::func) functions.emplace(operation->symbol(), operation);
  const Operation* host_function = host::find_function(module);
  ACCY_ASSERT(host_function != nullptr, "kernel product has no host.func");
  std::unordered_map<std::string_view, std::size_t> numbers;
  for (const Operation* launch : host_function->body().operations()) {
    if (launch->name() != "host.launch") continue;
    const std::string_view name = launch->attribute("kernel").text();
    const auto found = functions.find(name);
    ACCY_ASSERT(found != functions.end(), "launch without a kernel");
    const auto [entry, fresh] = numbers.emplace(name, summaries_.size());
    if (fresh) {
      summaries_.push_back(describe(*found->second, *launch));
      programs_.push_back(found->second);
    }
    GeneratedKernelSummary& summary = summaries_[entry->second];
    const std::int64_t item = host::integer_or(*launch, "item", -1);
    ++summary.launches;
    if (std::ranges::find(summary.work_items, item) == summary.work_items.end())
      summary.work_items.push_back(item);
  }
  for (GeneratedKernelSummary& summary : summaries_) std::ranges::sort(summary.work_items);
}

Result<GeneratedKernelSummary> Kernelization::summary(std::size_t kernel) const {
  if (kernel < summaries_.size()) return summaries_[kernel];
  return fail(ErrorCode::invalid_input, "no generated kernel " + std::to_string(kernel) +
                                            " (there are " + std::to_string(kernel_count()) + ")");
}

Result<const Operation*> Kernelization::program(std::size_t kernel) const {
  ACCY_TRY(summary(kernel));
  return programs_[kernel];
}

Result<std::size_t> Kernelization::kernel_for_work(std::int64_t item) const {
  for (std::size_t kernel = 0; kernel < summaries_.size(); ++kernel)
    if (std::ranges::binary_search(summaries_[kernel].work_items, item)) return kernel;
  return fail(ErrorCode::invalid_input, "no kernel is launched for a work item " +
                                            std::to_string(item) + " (" +
                                            std::to_string(kernel_count()) + " kernels)");
}

Result<GeneratedKernelSummary> Kernelization::summary_for_work(std::int64_t item) const {
  ACCY_TRY_ASSIGN(const std::size_t kernel, kernel_for_work(item));
  return summaries_[kernel];
}

Result<const Operation*> Kernelization::program_for_work(std::int64_t item) const {
  ACCY_TRY_ASSIGN(const std::size_t kernel, kernel_for_work(item));
  return programs_[kernel];
}

const choir::AnalysisDescriptor& kernelization_analysis() {
  static const choir::AnalysisDescriptor descriptor{
      "accy-choir-kernelization",
      [](const choir::Module& module) { return std::any(Kernelization(module)); }};
  return descriptor;
}

}  // namespace accy::kernel
