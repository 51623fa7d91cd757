#include "choir/definition.hpp"

#include <algorithm>
#include <unordered_map>

#include "choir/module.hpp"

namespace accy::choir {

struct Registry::Tables {
  std::unordered_map<std::string_view, const OperationDefinition*> operations;
  std::unordered_map<std::string_view, TypeDefinition> types;
};

Registry::Registry() : tables_(std::make_unique<Tables>()) { add(module_definition()); }
Registry::~Registry() = default;
Registry::Registry(Registry&&) noexcept = default;
Registry& Registry::operator=(Registry&&) noexcept = default;

void Registry::add(const OperationDefinition& definition) {
  const bool added = tables_->operations.emplace(definition.name, &definition).second;
  ACCY_ASSERT(added, "operation registered twice: " + std::string(definition.name));
}

void Registry::add(const TypeDefinition& definition) {
  const bool added = tables_->types.emplace(definition.name, definition).second;
  ACCY_ASSERT(added, "type registered twice: " + std::string(definition.name));
}

const OperationDefinition* Registry::operation(std::string_view name) const {
  auto found = tables_->operations.find(name);
  return found == tables_->operations.end() ? nullptr : found->second;
}

const TypeDefinition* Registry::type(std::string_view name) const {
  auto found = tables_->types.find(name);
  return found == tables_->types.end() ? nullptr : &found->second;
}

std::vector<const OperationDefinition*> Registry::operations() const {
  std::vector<const OperationDefinition*> list;
  list.reserve(tables_->operations.size());
  for (const auto& [name, definition] : tables_->operations) list.push_back(definition);
  std::ranges::sort(list, {}, &OperationDefinition::name);
  return list;
}

}  // namespace accy::choir
