#include "kernel/schedule_decisions.hpp"

#include <algorithm>
#include <bit>

#include "dialect/host/host.hpp"

namespace accy::kernel {

using host::ItemKind;

namespace {

constexpr ScheduleClass row_classes[] = {
    ScheduleClass::workgroup_row, ScheduleClass::invocation_row, ScheduleClass::invocation_column};
constexpr ScanScheduleClass scan_classes[] = {ScanScheduleClass::reduce_then_scan,
                                              ScanScheduleClass::single_pass};

template <class Class>
Result<Class> class_of_name(std::span<const Class> classes, std::string_view name) {
  std::string known;
  for (Class each : classes) {
    if (to_string(each) == name) return each;
    known += (known.empty() ? "" : ", ") + std::string(to_string(each));
  }
  return fail(ErrorCode::invalid_input,
              "unknown schedule '" + std::string(name) + "' (known: " + known + ")");
}

Error refuse(std::int64_t item, std::string why) {
  return {.code = ErrorCode::invalid_input,
          .message =
              "schedule decision for work item " + std::to_string(item) + ": " + std::move(why)};
}

Status check_workgroup(const RowPipelineScheduleDecision& decision, const TracedProfile& profile) {
  const std::int64_t limit = std::min(profile.read(&TargetProfile::workgroup_invocations_maximum),
                                      profile.read(&TargetProfile::workgroup_size_maximum)[0]);
  const std::int64_t size = decision.workgroup;
  if (size >= 1 && size <= limit && std::has_single_bit(static_cast<std::uint64_t>(size)))
    return {};
  return fail(refuse(decision.item, "workgroup " + std::to_string(size) +
                                        " is no power of two from 1 to the profile's " +
                                        std::to_string(limit)));
}

Result<Schedule> apply(const RowPipelineScheduleDecision& decision, Schedule chosen,
                       const dispatch::RegionForm& form, const choir::Operation& item,
                       const TracedProfile& profile) {
  if (form.kind != ItemKind::row_pipeline && form.kind != ItemKind::reduction)
    return fail(refuse(decision.item, "the item is of kind " +
                                          std::string(host::to_string(form.kind)) +
                                          ", not row_pipeline or reduction"));
  const auto legal = host::strings(item, "schedules");
  if (std::ranges::find(legal, to_string(decision.kind)) == legal.end())
    return fail(refuse(decision.item, std::string(to_string(decision.kind)) +
                                          " is not among the item's legal schedules"));
  ACCY_TRY(check_workgroup(decision, profile));
  // Shuffles stay only where the lanes of a row are the subgroup that the model chose.
  const bool same_lanes =
      chosen.kind == ScheduleClass::workgroup_row && chosen.lanes_per_row == decision.workgroup;
  chosen.shuffle = chosen.shuffle && same_lanes;
  chosen.kind = decision.kind;
  chosen.workgroup = decision.workgroup;
  chosen.lanes_per_row = decision.kind == ScheduleClass::workgroup_row ? decision.workgroup : 1;
  return chosen;
}

}  // namespace

std::string_view to_string(ScanScheduleClass schedule) {
  return schedule == ScanScheduleClass::single_pass ? "single_pass" : "reduce_then_scan";
}

Result<ScheduleClass> schedule_class(std::string_view name) {
  return class_of_name<ScheduleClass>(row_classes, name);
}

Result<ScanScheduleClass> scan_schedule_class(std::string_view name) {
  return class_of_name<ScanScheduleClass>(scan_classes, name);
}

std::string ScheduleDecisions::to_string() const {
  std::string text;
  for (const RowPipelineScheduleDecision& row : row_pipelines)
    text += "row_pipeline " + std::to_string(row.item) + " " +
            std::string(kernel::to_string(row.kind)) + " " + std::to_string(row.workgroup) + ";";
  for (const ScanScheduleDecision& scan : scans)
    text +=
        "scan " + std::to_string(scan.item) + " " + std::string(kernel::to_string(scan.kind)) + ";";
  return text;
}

Result<Schedule> apply_decisions(Schedule chosen, const ScheduleDecisions& decisions,
                                 const dispatch::RegionForm& form, const choir::Operation& item,
                                 const TracedProfile& profile) {
  const std::int64_t order = host::integer_or(item, "order", -1);
  for (const ScanScheduleDecision& scan : decisions.scans)
    if (scan.item == order)
      return fail(refuse(order, "the item is of kind " + std::string(host::to_string(form.kind)) +
                                    ", not a scan"));
  for (const RowPipelineScheduleDecision& row : decisions.row_pipelines)
    if (row.item == order) return apply(row, chosen, form, item, profile);
  return chosen;
}

}  // namespace accy::kernel
