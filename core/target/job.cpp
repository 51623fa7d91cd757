#include "target/job.hpp"

#include "dialect/host/host.hpp"

namespace accy::target {

namespace {

bool legal(const choir::Operation& operation) {
  const std::string_view name = operation.name();
  return name == "target.code" || name == "host.func" || name == "host.return" ||
         name == "host.view" || name == "host.block" || name == "host.constant" ||
         name == "host.launch";
}

void verify_target(const choir::Module& module, choir::Diagnostics& diagnostics) {
  const choir::Operation* function = host::find_function(module);
  if (function == nullptr) return diagnostics.report(module.operation(), "has no host.func");
  for (const choir::Operation* operation : function->body().operations()) {
    if (operation->name() != "host.launch") continue;
    const choir::Operation* code = module.lookup(operation->attribute("kernel").text());
    if (code == nullptr || code->name() != "target.code")
      diagnostics.report(*operation, "launches a kernel without code");
    else if (code->attribute("arguments").array().size() != operation->operand_count())
      diagnostics.report(*operation, "passes another number of blocks than the code takes");
  }
}

}  // namespace

const choir::StageSpec& TargetStage::spec() {
  static const choir::StageSpec spec{
      .stage = "target", .version = 1, .legal = legal, .verify = verify_target};
  return spec;
}

}  // namespace accy::target
