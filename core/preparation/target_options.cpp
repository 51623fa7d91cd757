#include "preparation/target_options.hpp"

namespace accy::preparation {

using choir::Attribute;
using choir::AttributeKind;

namespace {

constexpr std::string_view profile_name = "target_profile";
constexpr std::string_view rows_name = "row_pipeline_schedules";
constexpr std::string_view scans_name = "scan_schedules";

Failure malformed(const choir::Module& module, std::string_view name, std::string_view wanted) {
  return fail(ErrorCode::invalid_input,
              "module attribute " + std::string(name) + " is no list of " + std::string(wanted),
              module.operation().location().first());
}

bool has_entries(Attribute entry, std::initializer_list<std::string_view> integers) {
  if (!entry.is(AttributeKind::dictionary) || !entry.get("schedule").is(AttributeKind::word))
    return false;
  for (std::string_view name : integers)
    if (!entry.get(name).is(AttributeKind::integer)) return false;
  return true;
}

Status read_rows(const choir::Module& module, kernel::ScheduleDecisions& decisions) {
  const Attribute list = module.operation().attribute(rows_name);
  if (!list) return {};
  constexpr std::string_view wanted = "{item = N, schedule = CLASS, workgroup = N}";
  if (!list.is(AttributeKind::array)) return malformed(module, rows_name, wanted);
  for (Attribute entry : list.array()) {
    if (!has_entries(entry, {"item", "workgroup"})) return malformed(module, rows_name, wanted);
    ACCY_TRY_ASSIGN(const auto kind, kernel::schedule_class(entry.get("schedule").text()));
    decisions.row_pipelines.push_back(
        {entry.get("item").integer(), kind, entry.get("workgroup").integer()});
  }
  return {};
}

Status read_scans(const choir::Module& module, kernel::ScheduleDecisions& decisions) {
  const Attribute list = module.operation().attribute(scans_name);
  if (!list) return {};
  constexpr std::string_view wanted = "{item = N, schedule = CLASS}";
  if (!list.is(AttributeKind::array)) return malformed(module, scans_name, wanted);
  for (Attribute entry : list.array()) {
    if (!has_entries(entry, {"item"})) return malformed(module, scans_name, wanted);
    ACCY_TRY_ASSIGN(const auto kind, kernel::scan_schedule_class(entry.get("schedule").text()));
    decisions.scans.push_back({entry.get("item").integer(), kind});
  }
  return {};
}

}  // namespace

void apply_target_options(choir::Module& module, const TargetOptions& options) {
  remove_target_options(module);
  choir::Context& context = module.context();
  if (options.profile)
    module.operation().set_attribute(profile_name, context.string(to_json(*options.profile)));
  std::vector<Attribute> rows;
  for (const kernel::RowPipelineScheduleDecision& row : options.schedules.row_pipelines)
    rows.push_back(context.dictionary({{"item", context.integer(row.item)},
                                       {"schedule", context.word(kernel::to_string(row.kind))},
                                       {"workgroup", context.integer(row.workgroup)}}));
  if (!rows.empty()) module.operation().set_attribute(rows_name, context.array(rows));
  std::vector<Attribute> scans;
  for (const kernel::ScanScheduleDecision& scan : options.schedules.scans)
    scans.push_back(context.dictionary({{"item", context.integer(scan.item)},
                                        {"schedule", context.word(kernel::to_string(scan.kind))}}));
  if (!scans.empty()) module.operation().set_attribute(scans_name, context.array(scans));
}

void remove_target_options(choir::Module& module) {
  for (std::string_view name : {profile_name, rows_name, scans_name})
    module.operation().remove_attribute(name);
}

Result<TargetOptions> read_target_options(const choir::Module& module) {
  TargetOptions options;
  if (const Attribute profile = module.operation().attribute(profile_name)) {
    if (!profile.is(AttributeKind::string))
      return malformed(module, profile_name, "bytes in quotes");
    ACCY_TRY_ASSIGN(options.profile, profile_from_json(profile.text(), profile_name));
  }
  ACCY_TRY(read_rows(module, options.schedules));
  ACCY_TRY(read_scans(module, options.schedules));
  return options;
}

}  // namespace accy::preparation
