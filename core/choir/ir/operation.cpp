#include "choir/operation.hpp"

#include <algorithm>

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

std::unique_ptr<Operation> Operation::create(Context& context,
                                             const OperationDefinition& definition,
                                             std::span<Value* const> operands,
                                             std::span<const Type> result_types,
                                             std::vector<NamedAttribute> attributes,
                                             Location location) {
  std::unique_ptr<Operation> operation(new Operation(context, definition, location));
  operation->set_operands(operands);
  operation->set_results(result_types);
  operation->take_attributes(std::move(attributes));
  return operation;
}

Operation::~Operation() = default;

std::vector<Value*> Operation::operands() const {
  std::vector<Value*> list(operand_count_);
  for (std::size_t index = 0; index < operand_count_; ++index) list[index] = operand(index);
  return list;
}

void Operation::set_operand(std::size_t index, Value* value) {
  ACCY_ASSERT(index < operand_count_, "operand index out of range");
  operands_[index].link(value);
}

void Operation::set_operands(std::span<Value* const> values) {
  // The values may be this operation's own operands, read through `values`: link the new uses
  // first.
  auto uses = std::make_unique<Use[]>(values.size());
  for (std::size_t index = 0; index < values.size(); ++index) {
    uses[index].owner_ = this;
    uses[index].index_ = index;
    uses[index].link(values[index]);
  }
  operands_ = std::move(uses);
  operand_count_ = values.size();
}

void Operation::set_results(std::span<const Type> types) {
  ACCY_ASSERT(results_.empty(), "operation has results already");
  results_.reserve(types.size());
  for (std::size_t index = 0; index < types.size(); ++index)
    results_.push_back(std::make_unique<Value>(types[index], this, nullptr, index));
}

bool Operation::has_uses() const {
  return std::any_of(results_.begin(), results_.end(),
                     [](const auto& result) { return result->has_uses(); });
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
  auto found = std::lower_bound(attributes_.begin(), attributes_.end(), name, name_less);
  if (found != attributes_.end() && found->name == name)
    found->value = value;
  else
    attributes_.insert(found, {context_.intern(name), value});
}

void Operation::take_attributes(std::vector<NamedAttribute> attributes) {
  // Texts, stored products and copies list them in order: the list itself can be kept then.
  const auto not_ascending = [](const NamedAttribute& a, const NamedAttribute& b) {
    return a.name >= b.name;
  };
  if (std::ranges::adjacent_find(attributes, not_ascending) != attributes.end()) {
    for (const NamedAttribute& entry : attributes) set_attribute(entry.name, entry.value);
    return;
  }
  for (NamedAttribute& entry : attributes) {
    ACCY_ASSERT(static_cast<bool>(entry.value), "null attribute");
    entry.name = context_.intern(entry.name);
  }
  attributes_ = std::move(attributes);
}

void Operation::remove_attribute(std::string_view name) {
  std::erase_if(attributes_, [&](const NamedAttribute& entry) { return entry.name == name; });
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

Operation* Operation::next() const {
  auto position = std::next(position_);
  return position == block_->operations_.end() ? nullptr : position->get();
}

Operation* Operation::previous() const {
  return position_ == block_->operations_.begin() ? nullptr : std::prev(position_)->get();
}

void Operation::erase() {
  ACCY_ASSERT(!has_uses(), "erased operation still has uses: " + std::string(name()));
  block_->operations_.erase(position_);  // destroys *this
}

void Operation::move_before(Operation* other) {
  Block& destination = *other->block_;
  destination.operations_.splice(other->position_, block_->operations_, position_);
  block_ = &destination;
}

void Operation::move_to_end(Block& destination) {
  destination.operations_.splice(destination.operations_.end(), block_->operations_, position_);
  block_ = &destination;
}

std::unique_ptr<Operation> Operation::clone(Context& context, ValueMap& map) const {
  const bool foreign = &context != &context_;
  std::vector<Value*> operands;
  operands.reserve(operand_count_);
  for (std::size_t index = 0; index < operand_count_; ++index) {
    auto found = map.find(operand(index));
    operands.push_back(found == map.end() ? operand(index) : found->second);
  }
  std::vector<Type> types;
  types.reserve(results_.size());
  for (const auto& result : results_)
    types.push_back(foreign ? context.import(result->type()) : result->type());
  std::vector<NamedAttribute> attributes;
  attributes.reserve(attributes_.size());
  for (const NamedAttribute& attribute : attributes_)
    attributes.push_back(
        {attribute.name, foreign ? context.import(attribute.value) : attribute.value});
  auto copy = create(context, definition_, operands, types, std::move(attributes),
                     foreign ? context.import(location_) : location_);
  auto map_value = [&](const Value& from, Value* to) {
    to->set_name(foreign && !from.name().empty() ? context.intern(from.name()) : from.name());
    map[&from] = to;
  };
  for (std::size_t index = 0; index < results_.size(); ++index)
    map_value(*results_[index], copy->result(index));
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
  while (!operations_.empty()) operations_.pop_back();
}

Operation* Block::parent() const { return region_ == nullptr ? nullptr : region_->parent(); }

Value* Block::add_argument(Type type) {
  arguments_.push_back(std::make_unique<Value>(type, nullptr, this, arguments_.size()));
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
    auto moved = std::make_unique<Value>(arguments_[position]->type(), nullptr, this, kept.size());
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
  operation->block_ = this;
  operations_.push_back(std::move(operation));
  Operation* inserted = operations_.back().get();
  inserted->position_ = std::prev(operations_.end());
  return inserted;
}

Operation* Block::insert_before(Operation* position, std::unique_ptr<Operation> operation) {
  operation->block_ = this;
  auto inserted = operations_.insert(position->position_, std::move(operation));
  (*inserted)->position_ = inserted;
  return inserted->get();
}

std::vector<Operation*> Block::operations() const {
  std::vector<Operation*> list;
  list.reserve(operations_.size());
  for (const auto& operation : operations_) list.push_back(operation.get());
  return list;
}

}  // namespace accy::choir
