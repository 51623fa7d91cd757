#include "dispatch/job.hpp"

#include "dialect/host/host.hpp"
#include "dispatch/region.hpp"

namespace accy::dispatch {

namespace {

/// Whether the operation stands inside a work item's body.
bool inside_item(const choir::Operation& operation) {
  const choir::Operation* parent = operation.parent();
  return parent != nullptr && parent->name() == "host.item";
}

bool legal(const choir::Operation& operation) {
  const std::string_view name = operation.name();
  if (name == "host.func" || name == "host.return" || name == "host.item" ||
      name == "host.yield" || name == "host.view")
    return true;
  if (name == "tensor.constant" || name == "tensor.weight") return true;
  return inside_item(operation) && name.starts_with("tensor.") && name != "tensor.func" &&
         name != "tensor.return";
}

/// Every item's body has the form that its kind promises, and a schedule class.
void verify_dispatch(const choir::Module& module, choir::Diagnostics& diagnostics) {
  const choir::Operation& top = module.operation();
  top.walk([&](const choir::Operation& operation) {
    if (operation.name() != "host.item") return;
    const auto form = classify(operation.body());
    if (!form)
      diagnostics.report(operation, "body is no legal region: " + form.error());
    else if (to_string(form->kind) != operation.attribute("kind").text())
      diagnostics.report(operation, "kind is " + std::string(operation.attribute("kind").text()) +
                                        ", but the body is a " +
                                        std::string(to_string(form->kind)));
    if (host::strings(operation, "schedules").empty())
      diagnostics.report(operation, "has no schedule class");
  });
}

}  // namespace

const choir::StageSpec& DispatchStage::spec() {
  static const choir::StageSpec spec{
      .stage = "dispatch", .version = 1, .legal = legal, .verify = verify_dispatch};
  return spec;
}

}  // namespace accy::dispatch
