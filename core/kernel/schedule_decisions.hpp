// Schedule decisions: what a caller fixed, by measurement, instead of what the model would choose.
#pragma once

#include <string>
#include <vector>

#include "kernel/schedule.hpp"

namespace accy::kernel {

/// For a work item that reduces rows or columns.
struct RowPipelineScheduleDecision {
  std::int64_t item = 0;  ///< the item's `order`
  ScheduleClass kind = ScheduleClass::workgroup_row;
  std::int64_t workgroup = 64;  ///< invocations: a power of two; all share a row in workgroup_row
  friend bool operator==(const RowPipelineScheduleDecision&,
                         const RowPipelineScheduleDecision&) = default;
};

enum class ScanScheduleClass : std::uint8_t { reduce_then_scan, single_pass };
std::string_view to_string(ScanScheduleClass schedule);

/// For a work item that scans.
struct ScanScheduleDecision {
  std::int64_t item = 0;  ///< the item's `order`
  ScanScheduleClass kind = ScanScheduleClass::reduce_then_scan;
  friend bool operator==(const ScanScheduleDecision&, const ScanScheduleDecision&) = default;
};

struct ScheduleDecisions {
  std::vector<RowPipelineScheduleDecision> row_pipelines;
  std::vector<ScanScheduleDecision> scans;
  friend bool operator==(const ScheduleDecisions&, const ScheduleDecisions&) = default;
  bool empty() const { return row_pipelines.empty() && scans.empty(); }
  /// "row_pipeline 3 workgroup_row 64;scan 4 single_pass": part of a product's recipe.
  std::string to_string() const;
};

/// The class of that name; an error names the known ones.
Result<ScheduleClass> schedule_class(std::string_view name);
Result<ScanScheduleClass> scan_schedule_class(std::string_view name);

/// The schedule with what was decided for the item. Errors: a decision for another kind of item, a
/// class that is not legal for it, a workgroup outside the profile's limits.
Result<Schedule> apply_decisions(Schedule chosen, const ScheduleDecisions& decisions,
                                 const dispatch::RegionForm& form, const choir::Operation& item,
                                 const TracedProfile& profile);

}  // namespace accy::kernel
