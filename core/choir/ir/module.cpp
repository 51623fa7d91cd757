#include "choir/module.hpp"

#include "choir/value_table.hpp"

namespace accy::choir {

const OperationDefinition& module_definition() {
  static constexpr OperationDefinition definition{
      .name = "choir.module",
      .summary = "top of a program at one stage",
      .traits = static_cast<std::uint32_t>(Trait::isolated),
      .operand_count = 0,
      .result_count = 0,
      .region_count = 1,
  };
  return definition;
}

Module::Module(const Registry& registry, std::string_view stage)
    : context_(std::make_unique<Context>(registry)),
      top_(Operation::create(*context_, module_definition(), {}, {}, {}, {})) {
  top_->add_region();
  set_stage(stage);
}

Module& Module::operator=(Module&& other) noexcept {
  top_ = std::move(other.top_);  // the old operation dies before its context
  context_ = std::move(other.context_);
  return *this;
}

std::string_view Module::stage() const { return top_->attribute("stage").text(); }
void Module::set_stage(std::string_view stage) {
  top_->set_attribute("stage", context_->word(stage));
}

Operation* Module::lookup(std::string_view symbol) const {
  for (Operation* operation = body().front(); operation != nullptr; operation = operation->next())
    if (operation->symbol() == symbol) return operation;
  return nullptr;
}

Module Module::clone() const {
  Module copy(context_->registry(), stage());
  copy.top_ = top_->clone_isolated(*copy.context_);
  return copy;
}

namespace {

/// The operation without what is in its regions; it uses no values.
std::unique_ptr<Operation> outline_of(const Operation& operation, Context& context) {
  std::vector<NamedAttribute> attributes;
  for (const NamedAttribute& attribute : operation.attributes())
    attributes.push_back({context.intern(attribute.name), context.import(attribute.value)});
  auto copy = Operation::create(context, operation.definition(), {}, {}, attributes,
                                context.import(operation.location()));
  for (std::size_t index = 0; index < operation.region_count(); ++index) copy->add_region();
  return copy;
}

}  // namespace

Module Module::clone_outline(std::string_view name) const {
  Module copy(context_->registry(), stage());
  copy.top_ = outline_of(*top_, *copy.context_);
  ValueMap map;
  for (const Operation* operation = body().front(); operation != nullptr;
       operation = operation->next())
    copy.body().push_back(operation->name() == name ? outline_of(*operation, *copy.context_)
                                                    : operation->clone(*copy.context_, map));
  return copy;
}

std::uint64_t count_operations(const Operation& operation) {
  std::uint64_t count = 0;
  operation.walk([&](const Operation&) { ++count; });
  return count;
}

}  // namespace accy::choir
