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

void unify(choir::Module& module, Operation& launch) {
  choir::Context& context = module.context();
  Operation* function = module.lookup(launch.attribute("kernel").text());
  const std::string name =
      std::string(launch.attribute("kind").text()) + "_" + content_of(*function);
  launch.set_attribute("kernel", context.symbol(name));
  if (Operation* same = module.lookup(name); same != nullptr && same != function) {
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
    if (operation->name() == "host.launch") unify(context.module, *operation);
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
