#include "choir/ir/cloner.hpp"

namespace accy::choir {

Type Cloner::copy(Type type) {
  const auto [place, added] = types_.try_emplace(type.storage());
  if (added) place->second = target_.import(type);
  return place->second;
}

Attribute Cloner::copy(Attribute attribute) {
  const auto [place, added] = attributes_.try_emplace(attribute.storage());
  if (added) place->second = target_.import(attribute);
  return place->second;
}

std::string_view Cloner::copy(std::string_view name) {
  const auto [place, added] = names_.try_emplace(name.data());
  if (added) place->second = target_.intern(name);
  return place->second;
}

Location Cloner::copy(Location location) {
  // A single place is as quickly made as looked for; fused ones are long, and many operations of a
  // kernel have the same.
  if (location.positions().size() <= 1) return target_.import(location);
  const auto [place, added] = fused_.try_emplace(location.storage());
  if (added) place->second = target_.import(location);
  return place->second;
}

void Cloner::connect(const Value& from, Value& to) {
  if (!from.name().empty()) to.set_name(target_.keep(from.name()));
  values_[&from] = &to;
}

void Cloner::copy_region(const Block& from, Block& to) {
  for (std::size_t index = 0; index < from.argument_count(); ++index) {
    const Value& argument = *from.argument(index);
    connect(argument, *to.add_argument(copy(argument.type())));
  }
  for (const Operation* nested = from.front(); nested != nullptr; nested = nested->next())
    to.push_back(copy(*nested));
}

std::unique_ptr<Operation> Cloner::copy(const Operation& operation) {
  std::vector<Value*> operands;
  operands.reserve(operation.operand_count());
  for (std::size_t index = 0; index < operation.operand_count(); ++index) {
    const Value* operand = operation.operand(index);
    Value* const* known = operand == nullptr ? nullptr : values_.find(operand);
    ACCY_ASSERT(known != nullptr || operand == nullptr, "operand of a copied operation is outside");
    operands.push_back(known == nullptr ? nullptr : *known);
  }
  std::vector<Type> types;
  types.reserve(operation.result_count());
  for (std::size_t index = 0; index < operation.result_count(); ++index)
    types.push_back(copy(operation.result(index)->type()));
  std::vector<NamedAttribute> attributes;
  attributes.reserve(operation.attributes().size());
  for (const NamedAttribute& attribute : operation.attributes())
    attributes.push_back({copy(attribute.name), copy(attribute.value)});
  auto result = Operation::create(target_, operation.definition(), operands, types, attributes,
                                  copy(operation.location()));
  for (std::size_t index = 0; index < operation.result_count(); ++index)
    connect(*operation.result(index), *result->result(index));
  for (std::size_t index = 0; index < operation.region_count(); ++index)
    copy_region(operation.body(index), result->add_region().block());
  return result;
}

}  // namespace accy::choir
