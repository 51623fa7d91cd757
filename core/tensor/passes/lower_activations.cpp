#include "tensor/passes/lower_activations.hpp"

#include "tensor/passes/expand_family.hpp"

namespace accy::tensor {

using choir::Operation;

namespace {

/// An override of the options: it replaces what the operation declares.
std::string apply_options(Operation& operation, const ActivationOptions& options) {
  const bool overridden = operation.name() == "tensor.gelu" && options.gelu != "declared";
  if (overridden)
    operation.set_attribute("approximation",
                            operation.context().word(options.gelu == "exact" ? "none" : "tanh"));
  const choir::Attribute approximation = operation.attribute("approximation");
  if (!approximation) return {};
  return " (approximation " + std::string(approximation.text()) +
         (overridden ? ", by option)" : ", as declared)");
}

Result<choir::PassChange> run(choir::PassContext& context, const ActivationOptions& options) {
  return expand_family(context, Family::function, [&options](Operation& operation) {
    return apply_options(operation, options);
  });
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
          .description = "Replace composite functions by their primitive expansions",
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
