#include "kernel/passes/generate_kernels.hpp"

#include <algorithm>

#include "choir/builder.hpp"
#include "dialect/host/host.hpp"
#include "dialect/tensor/interfaces.hpp"
#include "kernel/generate/generator.hpp"
#include "kernel/memory_limits.hpp"
#include "semantic/numeric.hpp"

namespace accy::kernel {

using choir::Operation;

namespace {

Result<Generated> generate(const GenerateRequest& request) {
  switch (request.schedule.kind) {
    case ScheduleClass::flat: return generate_flat(request);
    case ScheduleClass::workgroup_row:
    case ScheduleClass::invocation_row:
    case ScheduleClass::invocation_column: return generate_rows(request);
    case ScheduleClass::tiled:
    case ScheduleClass::direct: return generate_contraction(request);
  }
  return fail(ErrorCode::internal, "unknown schedule class");
}

/// Functions whose bits are not fixed yet: strict programs may not use them until accy has its own.
bool is_approximate(const Operation& operation) {
  const auto* effort = operation.definition().interface<tensor::Effort>();
  return effort != nullptr && effort->approximate;
}

Status check_strict(const Operation& item) {
  for (const Operation* operation : item.body().operations())
    if (is_approximate(*operation))
      return fail(ErrorCode::unsupported,
                  "has no strict form yet: its result would differ between devices",
                  operation->location().first(), std::string(operation->name()));
  return {};
}

void record(choir::DecisionLog& log, const Operation& item, const Schedule& schedule,
            const Schedule& modelled, const ScheduleNotes& notes) {
  const std::string subject = "item " + std::to_string(host::integer_or(item, "order", 0));
  const std::vector<SourceLocation> places = choir::places_within(item);
  for (const ScheduleNotes::Refusal& refusal : notes.refused)
    log.record({.kind = "schedule",
                .accepted = false,
                .subject = subject,
                .choice = refusal.choice,
                .reason = refusal.reason,
                .places = places});
  const bool decided = describe(schedule) != describe(modelled);
  log.record({.kind = "schedule",
              .subject = subject,
              .choice = describe(schedule),
              .reason = decided ? "decided beforehand; the model takes " + describe(modelled)
                                : std::string(schedule.reason) + " (" + notes.figures + ")",
              .places = places});
}

Status generate_item(Operation& item, std::size_t number, semantic::NumericMode mode,
                     choir::Block& module_body, const TracedProfile& profile,
                     const ScheduleDecisions& decisions, choir::DecisionLog& log) {
  const bool strict = mode == semantic::NumericMode::strict;
  if (strict) ACCY_TRY(check_strict(item));
  const auto form = dispatch::classify(item.body());
  ACCY_ASSERT(form.has_value(), "item of no form reached the kernel stage");
  ScheduleNotes notes;
  ACCY_TRY_ASSIGN(const Schedule modelled,
                  choose_schedule(*form, item, profile, log.on() ? &notes : nullptr));
  ACCY_TRY_ASSIGN(const Schedule schedule,
                  apply_decisions(modelled, decisions, *form, item, profile));
  if (log.on()) record(log, item, schedule, modelled, notes);
  const GenerateRequest request{.item = item,
                                .form = *form,
                                .schedule = schedule,
                                .exact = must_be_exact(*form, mode),
                                .round_each = strict,
                                .module_body = module_body,
                                .profile = profile};
  ACCY_TRY_ASSIGN(const Generated launches, generate(request));
  choir::Context& context = item.context();
  choir::Builder builder(&item);
  std::size_t part = 0;
  for (const GeneratedLaunch& launch : launches) {
    // Unique for now; deduplication names kernels by their content.
    launch.function->set_attribute(
        "symbol",
        context.symbol("item" + std::to_string(number) + "_" + std::to_string(part++)));
    builder.create("host.launch", item.operands(), {},
                   {{"kernel", context.symbol(launch.function->symbol())},
                    {"grid", context.integers(launch.grid.size)},
                    {"item", item.attribute("order")},
                    {"kind", item.attribute("kind")},
                    {"schedule", context.word(to_string(schedule.kind))}});
  }
  return {};
}

Result<choir::PassChange> run(choir::PassContext& context, const TracedProfile& profile,
                              const ScheduleDecisions& decisions) {
  Operation* function = host::find_function(context.module);
  if (function == nullptr) return fail(ErrorCode::invalid_input, "module has no host.func");
  ACCY_TRY(check_memory_limits(*function, profile));
  ACCY_TRY_ASSIGN(const semantic::NumericContract contract,
                  semantic::numeric_contract(context.module));
  std::size_t number = 0;
  for (Operation* operation : function->body().operations()) {
    if (operation->name() != "host.item_into") continue;
    Status status = generate_item(*operation, number++, contract.mode, context.module.body(),
                                  profile, decisions, context.decisions);
    if (!status)
      return fail(std::move(status.error())
                      .with("generating the kernel of work item " +
                            std::to_string(host::integer_or(*operation, "order", 0))));
    operation->erase();
  }
  return choir::PassChange::changed;
}

}  // namespace

choir::Pass generate_kernels_pass(const TargetProfile* profile, ScheduleDecisions decisions) {
  return {.name = "accy-choir-generate-kernels",
          .description = "Replace work items by launches and kernel programs for a profile",
          .options = {},
          .run = [profile, decisions = std::move(decisions)](
                     choir::PassContext& context) -> Result<choir::PassChange> {
            const TracedProfile traced(*profile);
            Result<choir::PassChange> change = run(context, traced, decisions);
            for (ProfileRead& read : traced.reads())
              context.facts.add(read.field, std::move(read.value));
            return change;
          },
          .preserved = {}};
}

}  // namespace accy::kernel
