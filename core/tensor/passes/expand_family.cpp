#include "tensor/passes/expand_family.hpp"

#include "choir/builder.hpp"

namespace accy::tensor {

using choir::Operation;

namespace {

std::vector<Operation*> find_family(choir::Module& module, Family family) {
  std::vector<Operation*> found;
  module.operation().walk([&](Operation& operation) {
    const auto* expansion = operation.definition().interface<Expansion>();
    if (expansion != nullptr && expansion->family == family) found.push_back(&operation);
  });
  return found;
}

void record(choir::DecisionLog& log, const Operation& operation, const std::string& form) {
  if (!log.on()) return;
  log.record({.kind = "expansion",
              .subject = choir::subject_of(operation),
              .choice = "its primitive operations" + form,
              .reason = "only primitive operations have kernels",
              .places = choir::places_of(operation.location())});
}

}  // namespace

Result<choir::PassChange>
expand_family(choir::PassContext& context, Family family,
              const std::function<std::string(choir::Operation&)>& prepare) {
  bool changed = false;
  // An expansion may use others of its family, so expand until none is left.
  for (auto found = find_family(context.module, family); !found.empty();
       found = find_family(context.module, family)) {
    for (Operation* operation : found) {
      const std::string form = prepare ? prepare(*operation) : std::string();
      choir::Builder builder(operation);
      const auto* expansion = operation->definition().interface<Expansion>();
      const Result<choir::Value*> expanded = expansion->expand(*operation, builder);
      if (!expanded)
        return fail(expanded.error().code, expanded.error().message, operation->location().first(),
                    std::string(operation->name()));
      choir::Value* value = *expanded;
      record(context.decisions, *operation, form);
      if (value->name().empty()) value->set_name(operation->result()->name());
      operation->result()->replace_all_uses_with(value);
      operation->erase();
    }
    changed = true;
  }
  return changed ? choir::PassChange::changed : choir::PassChange::unchanged;
}

}  // namespace accy::tensor
