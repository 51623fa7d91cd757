#include "tensor/passes/lower_einsum.hpp"

#include "tensor/passes/expand_family.hpp"

namespace accy::tensor {

using choir::Operation;

namespace {

Result<choir::PassChange> run(choir::PassContext& context, const EinsumOptions& options) {
  return expand_family(context, Family::einsum, [&options](Operation& operation) {
    const bool overridden = options.path != "declared";
    if (overridden) operation.set_attribute("path", operation.context().word(options.path));
    const choir::Attribute path = operation.attribute("path");
    return " (path " + std::string(path ? path.text() : "optimal") +
           (overridden ? ", by option)" : ", as declared)");
  });
}

std::span<const choir::PassOptionSpec> option_specs() {
  static constexpr std::string_view paths[] = {"declared", "optimal", "given"};
  static const choir::PassOptionSpec specs[] = {
      {"path", "in which order operands are contracted", std::string(paths[0]), 0, 0, paths}};
  return specs;
}

}  // namespace

choir::Pass lower_einsum_pass(const EinsumOptions& options) {
  return {.name = "accy-choir-einsum-lower",
          .description = "Replace einsums by matrix products, in a good order",
          .options = choir::spell_options(option_specs(), {{"path", options.path}}),
          .run = [options](choir::PassContext& context) { return run(context, options); },
          .preserved = {}};
}

choir::PassRegistration lower_einsum_registration(const EinsumOptions& options) {
  return choir::registration(
      lower_einsum_pass(), option_specs(),
      [options](const choir::PassOptionValues& values) -> Result<choir::Pass> {
        EinsumOptions given{.path = values.text("path")};
        return lower_einsum_pass(given == EinsumOptions{} ? options : given);
      });
}

}  // namespace accy::tensor
