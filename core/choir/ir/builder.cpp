#include "choir/builder.hpp"

namespace accy::choir {

namespace {

Context& context_of(const Block& block) {
  ACCY_ASSERT(block.parent() != nullptr, "block belongs to no operation");
  return block.parent()->context();
}

const OperationDefinition& lookup(const Context& context, std::string_view name) {
  const OperationDefinition* definition = context.registry().operation(name);
  ACCY_ASSERT(definition != nullptr, "operation is not registered: " + std::string(name));
  return *definition;
}

}  // namespace

Builder::Builder(Block& block) : context_(context_of(block)), block_(&block) {}
Builder::Builder(Operation* before)
    : context_(before->context()), block_(before->block()), before_(before),
      location_(before->location()) {}

void Builder::set_insertion_point_to_end(Block& block) {
  block_ = &block;
  before_ = nullptr;
}

void Builder::set_insertion_point(Operation* before) {
  block_ = before->block();
  before_ = before;
}

Operation* Builder::insert(std::unique_ptr<Operation> operation) {
  return before_ == nullptr ? block_->push_back(std::move(operation))
                            : block_->insert_before(before_, std::move(operation));
}

Operation* Builder::create(std::string_view name, std::span<Value* const> operands,
                           std::span<const Type> result_types,
                           const std::vector<NamedAttribute>& attributes) {
  const OperationDefinition& definition = lookup(context_, name);
  auto operation =
      Operation::create(context_, definition, operands, result_types, attributes, location_);
  for (int region = 0; region < definition.region_count; ++region) operation->add_region();
  return insert(std::move(operation));
}

Operation* Builder::create(std::string_view name, std::initializer_list<Value*> operands,
                           std::initializer_list<Type> result_types,
                           const std::vector<NamedAttribute>& attributes) {
  return create(name, std::span(operands.begin(), operands.size()),
                std::span(result_types.begin(), result_types.size()), attributes);
}

Result<Operation*> Builder::create_inferred(std::string_view name, std::span<Value* const> operands,
                                            const std::vector<NamedAttribute>& attributes) {
  const OperationDefinition& definition = lookup(context_, name);
  ACCY_ASSERT(definition.infer != nullptr, "operation infers no results: " + std::string(name));
  auto operation = Operation::create(context_, definition, operands, {}, attributes, location_);
  ACCY_TRY_ASSIGN(std::vector<Type> types, definition.infer(*operation));
  operation->set_results(types);
  return insert(std::move(operation));
}

Result<Operation*> Builder::create_inferred(std::string_view name,
                                            std::initializer_list<Value*> operands,
                                            const std::vector<NamedAttribute>& attributes) {
  return create_inferred(name, std::span(operands.begin(), operands.size()), attributes);
}

}  // namespace accy::choir
