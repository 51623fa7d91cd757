#include "tensor/passes/lower_activations.hpp"

#include "choir/builder.hpp"
#include "dialect/tensor/interfaces.hpp"

namespace accy::tensor {

using choir::Operation;

namespace {

std::vector<Operation*> composites(choir::Module& module) {
  std::vector<Operation*> found;
  module.operation().walk([&](Operation& operation) {
    if (operation.definition().interface<Expansion>() != nullptr) found.push_back(&operation);
  });
  return found;
}

/// An override of the options: it replaces what the operation declares.
void apply_options(Operation& operation, const ActivationOptions& options) {
  if (operation.name() != "tensor.gelu" || options.gelu == "declared") return;
  operation.set_attribute("approximation",
                          operation.context().word(options.gelu == "exact" ? "none" : "tanh"));
}

void record(choir::DecisionLog& log, const Operation& operation, const ActivationOptions& options) {
  if (!log.on()) return;
  std::string form;
  if (const choir::Attribute approximation = operation.attribute("approximation"))
    form = " (approximation " + std::string(approximation.text()) +
           (options.gelu == "declared" ? ", as declared)" : ", by option)");
  log.record({.kind = "expansion",
              .subject = choir::subject_of(operation),
              .choice = "its primitive operations" + form,
              .reason = "only primitive operations have kernels",
              .places = choir::places_of(operation.location())});
}

Result<choir::PassChange> run(choir::PassContext& context, const ActivationOptions& options) {
  bool changed = false;
  // An expansion may use composites of its own, so expand until none is left.
  for (auto found = composites(context.module); !found.empty();
       found = composites(context.module)) {
    for (Operation* operation : found) {
      apply_options(*operation, options);
      choir::Builder builder(operation);
      const auto* expansion = operation->definition().interface<Expansion>();
      ACCY_TRY_ASSIGN(choir::Value * value, expansion->expand(*operation, builder));
      record(context.decisions, *operation, options);
      if (value->name().empty()) value->set_name(operation->result()->name());
      operation->result()->replace_all_uses_with(value);
      operation->erase();
    }
    changed = true;
  }
  return changed ? choir::PassChange::changed : choir::PassChange::unchanged;
}

std::span<const choir::PassOptionSpec> option_specs() {
  static constexpr std::string_view gelu[] = {"declared", "exact", "tanh"};
  static const choir::PassOptionSpec specs[] = {
      {"gelu", "how every gelu is computed", std::string(gelu[0]), 0, 0, gelu}};
  return specs;
}

}  // namespace

choir::Pass lower_activations_pass(const ActivationOptions& options) {
  return {.name = "accy-choir-activation-lower",
          .description = "Replace composite operations by their primitive expansions",
          .options = choir::spell_options(option_specs(), {{"gelu", options.gelu}}),
          .run = [options](choir::PassContext& context) { return run(context, options); },
          .preserved = {}};
}

choir::PassRegistration lower_activations_registration(const ActivationOptions& options) {
  return choir::registration(
      lower_activations_pass(), option_specs(),
      [options](const choir::PassOptionValues& values) -> Result<choir::Pass> {
        ActivationOptions given{.gelu = values.text("gelu")};
        return lower_activations_pass(given == ActivationOptions{} ? options : given);
      });
}

}  // namespace accy::tensor
