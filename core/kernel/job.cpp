#include "kernel/job.hpp"

#include "dialect/host/host.hpp"
#include "dialect/kernel/kernel.hpp"

namespace accy::kernel {

namespace {

bool legal(const choir::Operation& operation) {
  const std::string_view name = operation.name();
  if (name.starts_with("kernel.")) return true;
  return name == "host.func" || name == "host.return" || name == "host.view" ||
         name == "host.block" || name == "host.constant" || name == "host.launch";
}

void verify_launch(const choir::Module& module, const choir::Operation& launch,
                   choir::Diagnostics& diagnostics) {
  const std::string_view name = launch.attribute("kernel").text();
  const choir::Operation* function = module.lookup(name);
  if (function == nullptr || function->name() != op::func)
    return diagnostics.report(launch, "launches unknown kernel @" + std::string(name));
  const choir::Block& body = function->body();
  if (body.argument_count() != launch.operand_count())
    return diagnostics.report(launch, "passes " + std::to_string(launch.operand_count()) +
                                          " blocks to a kernel of " +
                                          std::to_string(body.argument_count()) + " parameters");
  for (std::size_t index = 0; index < launch.operand_count(); ++index) {
    const auto buffer = as_buffer(body.argument(index)->type());
    const auto block = host::BlockType::from(launch.operand(index)->type());
    if (!buffer || buffer->element != block->element())
      diagnostics.report(launch, "block " + std::to_string(index) + " differs from the parameter");
    else if (can_write(buffer->access) && (block->space() == host::Space::input ||
                                           block->space() == host::Space::constant))
      diagnostics.report(launch, "block " + std::to_string(index) + " is written but read-only");
  }
}

void verify_kernel(const choir::Module& module, choir::Diagnostics& diagnostics) {
  const choir::Operation* function = host::find_function(module);
  if (function == nullptr) return diagnostics.report(module.operation(), "has no host.func");
  for (std::string_view size : {"arena_bytes", "constant_bytes", "workspace_bytes"})
    if (host::integer_or(*function, size, -1) < 0)
      diagnostics.report(*function, "has no '" + std::string(size) + "'");
  for (const choir::Operation* operation : function->body().operations())
    if (operation->name() == "host.launch") verify_launch(module, *operation, diagnostics);
}

}  // namespace

const choir::StageSpec& KernelStage::spec() {
  static const choir::StageSpec spec{
      .stage = "kernel", .version = 1, .legal = legal, .verify = verify_kernel};
  return spec;
}

}  // namespace accy::kernel
