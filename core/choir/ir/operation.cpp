#include "choir/operation.hpp"

#include <algorithm>

#include "choir/ir/cloner.hpp"

namespace accy::choir {

void Use::link(Value* value) {
  unlink();
  value_ = value;
  if (value == nullptr) return;
  next_ = value->first_use_;
  if (next_ != nullptr) next_->previous_ = &next_;
  previous_ = &value->first_use_;
  value->first_use_ = this;
}

void Use::unlink() {
  if (previous_ != nullptr) {
    *previous_ = next_;
    if (next_ != nullptr) next_->previous_ = previous_;
  }
  value_ = nullptr;
  next_ = nullptr;
  previous_ = nullptr;
}

Value::Value(Type type, Block& block, std::size_t index)
    : type_(type), block_(&block), index_(index), id_(block.parent()->context().next_value_id()) {}

Value::Value(Type type, Operation& defining, std::size_t index)
    : type_(type), defining_(&defining), index_(index), id_(defining.context().next_value_id()) {}

Value::~Value() {
  while (first_use_ != nullptr) first_use_->unlink();
}

std::vector<Operation*> Value::users() const {
  std::vector<Operation*> list;
  for (const Use* use = first_use_; use != nullptr; use = use->next()) list.push_back(use->owner());
  return list;
}

void Value::replace_all_uses_with(Value* other) {
  ACCY_ASSERT(other != this, "value replaced by itself");
  while (first_use_ != nullptr) first_use_->link(other);
}

std::unique_ptr<Operation>
Operation::create(Context& context, const OperationDefinition& definition,
                  std::span<Value* const> operands, std::span<const Type> result_types,
                  const std::vector<NamedAttribute>& attributes, Location location) {
  std::unique_ptr<Operation> operation(new (context.pool())
                                           Operation(context, definition, location));
  operation->set_operands(operands);
  operation->set_results(result_types);
  operation->take_attributes(attributes);
  return operation;
}

Operation::~Operation() = default;

void Operation::operator delete(Operation* operation, std::destroying_delete_t) {
  Pool& pool = operation->context_.pool();
  operation->~Operation();
  pool.release(operation, sizeof(Operation));
}

std::vector<Value*> Operation::operands() const {
  std::vector<Value*> list(operand_count());
  for (std::size_t index = 0; index < list.size(); ++index) list[index] = operand(index);
  return list;
}

void Operation::set_operand(std::size_t index, Value* value) {
  ACCY_ASSERT(index < operand_count(), "operand index out of range");
  operands_[index].link(value);
}

void Operation::set_operands(std::span<Value* const> values) {
  // The values may be this operation's own operands, read through `values`: link the new uses
  // first.
  operands_ = {context_.pool(), values.size(), [&](Use* place, std::size_t index) {
                 Use* const use = new (place) Use();
                 use->owner_ = this;
                 use->index_ = index;
                 use->link(values[index]);
               }};
}

void Operation::set_results(std::span<const Type> types) {
  ACCY_ASSERT(result_count() == 0, "operation has results already");
  results_ = {context_.pool(), types.size(), [&](Value* place, std::size_t index) {
                new (place) Value(types[index], *this, index);
              }};
}

bool Operation::has_uses() const {
  return std::any_of(results_.begin(), results_.end(),
                     [](const Value& result) { return result.has_uses(); });
}

namespace {
bool name_less(const NamedAttribute& entry, std::string_view name) { return entry.name < name; }
}  // namespace

Attribute Operation::attribute(std::string_view name) const {
  auto found = std::lower_bound(attributes_.begin(), attributes_.end(), name, name_less);
  return found != attributes_.end() && found->name == name ? found->value : Attribute();
}

void Operation::set_attribute(std::string_view name, Attribute value) {
  ACCY_ASSERT(static_cast<bool>(value), "null attribute");
  const auto found = std::lower_bound(attributes_.begin(), attributes_.end(), name, name_less);
  if (found != attributes_.end() && found->name == name) {
    found->value = value;
    return;
  }
  std::vector<NamedAttribute> longer(attributes_.begin(), found);
  longer.push_back({context_.intern(name), value});
  longer.insert(longer.end(), found, attributes_.end());
  replace_attributes(longer);
}

void Operation::take_attributes(std::span<const NamedAttribute> attributes) {
  // Texts, stored products and copies list them in order: the list itself can be kept then.
  const auto not_ascending = [](const NamedAttribute& a, const NamedAttribute& b) {
    return a.name >= b.name;
  };
  if (std::ranges::adjacent_find(attributes, not_ascending) != attributes.end()) {
    for (const NamedAttribute& entry : attributes) set_attribute(entry.name, entry.value);
    return;
  }
  replace_attributes(attributes);
  for (NamedAttribute& entry : attributes_) {
    ACCY_ASSERT(static_cast<bool>(entry.value), "null attribute");
    entry.name = context_.intern(entry.name);
  }
}

void Operation::replace_attributes(std::span<const NamedAttribute> attributes) {
  attributes_ = {context_.pool(), attributes.size(), [&](NamedAttribute* place, std::size_t index) {
                   new (place) NamedAttribute(attributes[index]);
                 }};
}

void Operation::remove_attribute(std::string_view name) {
  std::vector<NamedAttribute> kept;
  for (const NamedAttribute& entry : attributes_)
    if (entry.name != name) kept.push_back(entry);
  if (kept.size() != attributes_.size()) replace_attributes(kept);
}

std::string_view Operation::symbol() const {
  const Attribute attribute = this->attribute("symbol");
  return attribute.is(AttributeKind::symbol) ? attribute.text() : std::string_view();
}

Region& Operation::add_region() {
  regions_.push_back(std::make_unique<Region>(this));
  return *regions_.back();
}

Block& Operation::body(std::size_t region) const { return regions_[region]->block(); }

Operation* Operation::parent() const { return block_ == nullptr ? nullptr : block_->parent(); }

void Operation::erase() {
  ACCY_ASSERT(!has_uses(), "erased operation still has uses: " + std::string(name()));
  block_->take(*this);  // destroys *this
}

void Operation::move_before(Operation* other) {
  if (other != this) other->block_->insert(block_->take(*this), other);
}

void Operation::move_to_end(Block& destination) {
  destination.insert(block_->take(*this), nullptr);
}

std::unique_ptr<Operation> Operation::clone(Context& context, ValueMap& map) const {
  const bool foreign = &context != &context_;
  std::vector<Value*> operands;
  operands.reserve(operand_count());
  for (std::size_t index = 0; index < operand_count(); ++index)
    operands.push_back(map.copy_of(operand(index)));
  std::vector<Type> types;
  types.reserve(result_count());
  for (std::size_t index = 0; index < result_count(); ++index)
    types.push_back(foreign ? context.import(result(index)->type()) : result(index)->type());
  std::vector<NamedAttribute> attributes;
  attributes.reserve(attributes_.size());
  for (const NamedAttribute& attribute : attributes_)
    attributes.push_back(
        {attribute.name, foreign ? context.import(attribute.value) : attribute.value});
  auto copy = create(context, definition_, operands, types, attributes,
                     foreign ? context.import(location_) : location_);
  auto map_value = [&](const Value& from, Value* to) {
    to->set_name(foreign && !from.name().empty() ? context.intern(from.name()) : from.name());
    map[&from] = to;
  };
  for (std::size_t index = 0; index < result_count(); ++index)
    map_value(*result(index), copy->result(index));
  for (const auto& region : regions_) {
    const Block& source = region->block();
    Block& target = copy->add_region().block();
    for (std::size_t index = 0; index < source.argument_count(); ++index) {
      const Value& argument = *source.argument(index);
      map_value(argument, target.add_argument(foreign ? context.import(argument.type())
                                                      : argument.type()));
    }
    for (const Operation* nested = source.front(); nested != nullptr; nested = nested->next())
      target.push_back(nested->clone(context, map));
  }
  return copy;
}

std::unique_ptr<Operation> Operation::clone_isolated(Context& context) const {
  return Cloner(context).copy(*this);
}

void Operation::walk(const std::function<void(Operation&)>& visit) {
  visit(*this);
  for (const auto& region : regions_)
    for (Operation* nested : region->block().operations()) nested->walk(visit);
}

void Operation::walk(const std::function<void(const Operation&)>& visit) const {
  visit(*this);
  for (const auto& region : regions_)
    for (const Operation* nested = region->block().front(); nested != nullptr;
         nested = nested->next())
      nested->walk(visit);
}

Block::~Block() {
  // Users before definitions, so that no value dies with uses left.
  while (last_ != nullptr) take(*last_);
}

Operation* Block::parent() const { return region_ == nullptr ? nullptr : region_->parent(); }

Value* Block::add_argument(Type type) {
  arguments_.push_back(std::make_unique<Value>(type, *this, arguments_.size()));
  return arguments_.back().get();
}

void Block::erase_argument(std::size_t index) {
  ACCY_ASSERT(!arguments_[index]->has_uses(), "erased block argument still has uses");
  std::vector<std::unique_ptr<Value>> kept;
  for (std::size_t position = 0; position < arguments_.size(); ++position) {
    if (position == index) continue;
    if (position < index) {
      kept.push_back(std::move(arguments_[position]));
      continue;
    }
    auto moved = std::make_unique<Value>(arguments_[position]->type(), *this, kept.size());
    moved->set_name(arguments_[position]->name());
    if (arguments_[position]->has_uses()) arguments_[position]->replace_all_uses_with(moved.get());
    kept.push_back(std::move(moved));
  }
  arguments_ = std::move(kept);
}

Operation* Block::terminator() const {
  return !empty() && back()->has(Trait::terminator) ? back() : nullptr;
}

Operation* Block::push_back(std::unique_ptr<Operation> operation) {
  return insert(std::move(operation), nullptr);
}

Operation* Block::insert_before(Operation* position, std::unique_ptr<Operation> operation) {
  return insert(std::move(operation), position);
}

Operation* Block::insert(std::unique_ptr<Operation> operation, Operation* position) {
  Operation* const before = position == nullptr ? last_ : position->previous_;
  std::unique_ptr<Operation>& owner = before == nullptr ? first_ : before->next_;
  Operation* const inserted = operation.get();
  inserted->block_ = this;
  inserted->previous_ = before;
  inserted->next_ = std::move(owner);
  owner = std::move(operation);
  (position == nullptr ? last_ : position->previous_) = inserted;
  ++size_;
  return inserted;
}

std::unique_ptr<Operation> Block::take(Operation& operation) {
  Operation* const before = operation.previous_;
  std::unique_ptr<Operation>& owner = before == nullptr ? first_ : before->next_;
  std::unique_ptr<Operation> taken = std::move(owner);
  owner = std::move(taken->next_);
  (owner == nullptr ? last_ : owner->previous_) = before;
  taken->previous_ = nullptr;
  taken->block_ = nullptr;
  --size_;
  return taken;
}

std::vector<Operation*> Block::operations() const {
  std::vector<Operation*> list;
  list.reserve(size_);
  for (Operation* operation = front(); operation != nullptr; operation = operation->next())
    list.push_back(operation);
  return list;
}

}  // namespace accy::choir
