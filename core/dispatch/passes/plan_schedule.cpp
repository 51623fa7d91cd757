#include "dispatch/passes/plan_schedule.hpp"

#include "dialect/host/host.hpp"

namespace accy::dispatch {

using host::ItemKind;

namespace {

std::vector<std::string_view> schedule_classes(ItemKind kind) {
  switch (kind) {
    case ItemKind::elementwise:
    case ItemKind::copy: return {"flat"};
    case ItemKind::row_pipeline: return {"workgroup_row", "invocation_row"};
    case ItemKind::reduction: return {"invocation_column", "workgroup_row"};
    case ItemKind::contraction: return {"tiled", "direct"};
  }
  return {};
}

void record(choir::DecisionLog& log, const choir::Operation& item) {
  if (!log.on()) return;
  std::string classes;
  for (std::string_view name : host::strings(item, "schedules"))
    classes += (classes.empty() ? "" : " or ") + std::string(name);
  std::string results;
  for (std::size_t index = 0; index < item.result_count(); ++index) {
    const std::string_view name = item.result(index)->name();
    results += (index == 0 ? "" : ", ") + (name.empty() ? "a value" : "%" + std::string(name));
  }
  const std::string kind(item.attribute("kind").text());
  log.record({.kind = "item",
              .subject = "item " + std::to_string(host::integer_or(item, "order", 0)),
              .choice = kind + " that gives " + results + ", schedule " + classes,
              .reason = "launched in program order; the schedules that the kind " + kind + " has",
              .places = choir::places_within(item)});
}

Result<choir::PassChange> run(choir::PassContext& context) {
  choir::Operation* function = host::find_function(context.module);
  if (function == nullptr) return fail(ErrorCode::invalid_input, "module has no host.func");
  choir::Context& ir = context.module.context();
  std::int64_t order = 0;
  for (choir::Operation* operation : function->body().operations()) {
    if (operation->name() != "host.item") continue;
    std::vector<choir::Attribute> classes;
    for (std::string_view name :
         schedule_classes(*host::item_kind_from(operation->attribute("kind").text())))
      classes.push_back(ir.string(name));
    operation->set_attribute("order", ir.integer(order++));
    operation->set_attribute("schedules", ir.array(classes));
    record(context.decisions, *operation);
  }
  return choir::PassChange::changed;
}

}  // namespace

choir::Pass plan_schedule_pass() {
  return {.name = "accy-choir-plan-schedule",
          .description = "Give every work item its launch order and legal schedule classes",
          .options = {},
          .run = run,
          .preserved = {}};
}

}  // namespace accy::dispatch
