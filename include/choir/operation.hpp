// Operations, values, blocks and regions. A region holds one block; control flow is structured
// (docs/decisions/0002). Ownership runs downwards: region > block > operation > results.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <span>
#include <string_view>
#include <vector>

#include "accy/export.hpp"
#include "choir/attribute.hpp"
#include "choir/context.hpp"
#include "choir/definition.hpp"
#include "choir/pool.hpp"

namespace accy::choir {

class Block;
class Operation;
class Region;
class Value;
class ValueMap;  // choir/value_table.hpp

/// One operand slot: a node in the use list of its value.
class ACCY_EXPORT Use {
 public:
  Use() = default;
  ~Use() { unlink(); }
  Use(const Use&) = delete;
  Use& operator=(const Use&) = delete;

  Value* value() const { return value_; }
  Operation* owner() const { return owner_; }
  std::size_t index() const { return index_; }
  Use* next() const { return next_; }

 private:
  friend class Operation;
  friend class Value;
  void link(Value* value);
  void unlink();

  Value* value_ = nullptr;
  Operation* owner_ = nullptr;
  std::size_t index_ = 0;
  Use* next_ = nullptr;
  Use** previous_ = nullptr;
};

/// An SSA value: a result of an operation or an argument of a block.
class ACCY_EXPORT Value {
 public:
  /// An argument of the block.
  Value(Type type, Block& block, std::size_t index);
  /// A result of the operation.
  Value(Type type, Operation& defining, std::size_t index);
  ~Value();
  Value(const Value&) = delete;
  Value& operator=(const Value&) = delete;

  Type type() const { return type_; }
  void set_type(Type type) { type_ = type; }
  /// Null for a block argument.
  Operation* defining_operation() const { return defining_; }
  /// The block whose argument this is; null for a result.
  Block* owner_block() const { return block_; }
  std::size_t index() const { return index_; }
  /// Counts the values that the context has made: what a ValueTable finds it by.
  std::uint64_t id() const { return id_; }

  /// The name from the program text, without '%'; empty when it had none.
  std::string_view name() const { return name_; }
  /// The text must live as long as the context: Context::intern.
  void set_name(std::string_view name) { name_ = name; }

  bool has_uses() const { return first_use_ != nullptr; }
  bool has_one_use() const { return first_use_ != nullptr && first_use_->next() == nullptr; }
  Use* first_use() const { return first_use_; }
  /// The using operations in no particular but a deterministic order, once for each use.
  std::vector<Operation*> users() const;
  void replace_all_uses_with(Value* other);

 private:
  friend class Use;

  Type type_;
  Operation* defining_ = nullptr;
  Block* block_ = nullptr;
  std::size_t index_ = 0;
  std::uint64_t id_ = 0;
  std::string_view name_;
  Use* first_use_ = nullptr;
};

/// One operation. Created by a Builder or Operation::create; owned by its block once inserted.
class ACCY_EXPORT Operation {
 public:
  /// Attributes may come in any order; of two of one name the later counts.
  static std::unique_ptr<Operation> create(Context& context, const OperationDefinition& definition,
                                           std::span<Value* const> operands,
                                           std::span<const Type> result_types,
                                           const std::vector<NamedAttribute>& attributes,
                                           Location location);
  ~Operation();
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;
  /// Operations lie in their context's pool.
  static void operator delete(Operation* operation, std::destroying_delete_t);

  Context& context() const { return context_; }
  const OperationDefinition& definition() const { return definition_; }
  std::string_view name() const { return definition_.name; }
  bool is(const OperationDefinition& definition) const { return &definition_ == &definition; }
  bool has(Trait trait) const { return definition_.has(trait); }
  Location location() const { return location_; }
  void set_location(Location location) { location_ = location; }

  std::size_t operand_count() const { return operands_.size(); }
  Value* operand(std::size_t index) const { return operands_[index].value(); }
  std::vector<Value*> operands() const;
  void set_operand(std::size_t index, Value* value);
  void set_operands(std::span<Value* const> values);

  std::size_t result_count() const { return results_.size(); }
  Value* result(std::size_t index = 0) const { return &results_[index]; }
  /// Only for an operation that has no results yet.
  void set_results(std::span<const Type> types);
  bool has_uses() const;

  std::span<const NamedAttribute> attributes() const { return attributes_.span(); }
  Attribute attribute(std::string_view name) const;  ///< null when absent
  void set_attribute(std::string_view name, Attribute value);
  void remove_attribute(std::string_view name);
  /// The name of a symbol operation; empty when it has none. Stored as attribute "symbol".
  std::string_view symbol() const;

  std::size_t region_count() const { return regions_.size(); }
  Region& region(std::size_t index = 0) const { return *regions_[index]; }
  Region& add_region();
  Block& body(std::size_t region = 0) const;

  Block* block() const { return block_; }
  Operation* parent() const;  ///< the operation around, or null
  Operation* next() const { return next_.get(); }  ///< in the same block, or null
  Operation* previous() const { return previous_; }

  /// Unlinks and destroys; it must have no uses.
  void erase();
  void move_before(Operation* other);
  void move_to_end(Block& block);
  /// A copy into `context`, with its regions; operands go through the map (identity where absent),
  /// results and block arguments are added to it.
  std::unique_ptr<Operation> clone(Context& context, ValueMap& map) const;
  /// A copy into another context of an operation that uses no values from outside; faster.
  std::unique_ptr<Operation> clone_isolated(Context& context) const;
  /// This and all nested operations, parents first.
  void walk(const std::function<void(Operation&)>& visit);
  void walk(const std::function<void(const Operation&)>& visit) const;

 private:
  friend class Block;
  Operation(Context& context, const OperationDefinition& definition, Location location)
      : context_(context), definition_(definition), location_(location) {}
  static void* operator new(std::size_t bytes, Pool& pool) { return pool.allocate(bytes); }
  static void operator delete(void* place, Pool& pool) { pool.release(place, sizeof(Operation)); }
  void take_attributes(std::span<const NamedAttribute> attributes);
  void replace_attributes(std::span<const NamedAttribute> attributes);

  Context& context_;
  const OperationDefinition& definition_;
  Location location_;
  Block* block_ = nullptr;
  std::unique_ptr<Operation> next_;
  Operation* previous_ = nullptr;
  PoolArray<Use> operands_;
  PoolArray<Value> results_;
  PoolArray<NamedAttribute> attributes_;  // sorted by name
  std::vector<std::unique_ptr<Region>> regions_;
};

/// A sequence of operations with arguments.
class ACCY_EXPORT Block {
 public:
  explicit Block(Region* region) : region_(region) {}
  ~Block();
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  Region* region() const { return region_; }
  Operation* parent() const;

  std::size_t argument_count() const { return arguments_.size(); }
  Value* argument(std::size_t index) const { return arguments_[index].get(); }
  Value* add_argument(Type type);
  /// It must have no uses; later arguments keep their order.
  void erase_argument(std::size_t index);

  bool empty() const { return first_ == nullptr; }
  std::size_t size() const { return size_; }
  Operation* front() const { return first_.get(); }
  Operation* back() const { return last_; }
  /// The last operation when it is a terminator, else null.
  Operation* terminator() const;
  Operation* push_back(std::unique_ptr<Operation> operation);
  Operation* insert_before(Operation* position, std::unique_ptr<Operation> operation);
  /// A snapshot of the operations, safe against changes while iterating.
  std::vector<Operation*> operations() const;

 private:
  friend class Operation;
  /// Before the position; null: at the end.
  Operation* insert(std::unique_ptr<Operation> operation, Operation* position);
  std::unique_ptr<Operation> take(Operation& operation);

  Region* region_;
  std::vector<std::unique_ptr<Value>> arguments_;
  std::unique_ptr<Operation> first_;  // each owns the next
  Operation* last_ = nullptr;
  std::size_t size_ = 0;
};

/// A body of an operation: exactly one block.
class ACCY_EXPORT Region {
 public:
  explicit Region(Operation* parent) : parent_(parent), block_(this) {}
  Operation* parent() const { return parent_; }
  Block& block() { return block_; }

 private:
  Operation* parent_;
  Block block_;
};

}  // namespace accy::choir
