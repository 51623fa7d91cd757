#include "kernel/passes/deduplicate_kernels.hpp"

#include "choir/product.hpp"
#include "dialect/host/host.hpp"

namespace accy::kernel {

using choir::Operation;

namespace {

/// Digest of a kernel's program without its name.
std::string content_of(Operation& function) {
  const choir::Attribute symbol = function.attribute("symbol");
  function.set_attribute("symbol", function.context().symbol("kernel"));
  const Digest digest = choir::content_digest(function);
  function.set_attribute("symbol", symbol);
  return digest.to_string().substr(0, 16);
}

void record(choir::DecisionLog& log, const Operation& launch, const Operation& function,
            const std::string& name, bool merged) {
  if (!log.on()) return;
  log.record({.kind = "kernel",
              .subject = "item " + std::to_string(host::integer_or(launch, "item", 0)),
              .choice = "launches @" + name,
              .reason = merged ? "an earlier launch has the same program"
                               : "named by the digest of its program",
              .places = choir::places_within(function)});
}

void unify(choir::Module& module, Operation& launch, choir::DecisionLog& log) {
  choir::Context& context = module.context();
  Operation* function = module.lookup(launch.attribute("kernel").text());
  const std::string name =
      std::string(launch.attribute("kind").text()) + "_" + content_of(*function);
  launch.set_attribute("kernel", context.symbol(name));
  Operation* same = module.lookup(name);
  const bool merged = same != nullptr && same != function;
  record(log, launch, *function, name, merged);
  if (merged) {
    same->set_location(context.fused(same->location(), function->location()));
    function->erase();
    return;
  }
  function->set_attribute("symbol", context.symbol(name));
}

Result<choir::PassChange> run(choir::PassContext& context) {
  Operation* function = host::find_function(context.module);
  if (function == nullptr) return fail(ErrorCode::invalid_input, "module has no host.func");
  for (Operation* operation : function->body().operations())
    if (operation->name() == "host.launch") unify(context.module, *operation, context.decisions);
  return choir::PassChange::changed;
}

}  // namespace

choir::Pass deduplicate_kernels_pass() {
  return {.name = "accy-choir-deduplicate-kernels",
          .description = "Give launches of equal kernel programs one kernel",
          .options = {},
          .run = run,
          .preserved = {}};
}

}  // namespace accy::kernel
