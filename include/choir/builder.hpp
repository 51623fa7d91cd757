// Builder: creates operations at an insertion point.
#pragma once

#include <initializer_list>

#include "accy/export.hpp"
#include "choir/operation.hpp"

namespace accy::choir {

class ACCY_EXPORT Builder {
 public:
  /// Appends to the block.
  explicit Builder(Block& block);
  /// Inserts before the operation.
  explicit Builder(Operation* before);

  Context& context() const { return context_; }
  Location location() const { return location_; }
  void set_location(Location location) { location_ = location; }
  void set_insertion_point_to_end(Block& block);
  void set_insertion_point(Operation* before);
  Block& block() const { return *block_; }

  /// Creates with given result types; nothing is verified yet. Regions are added as many as the
  /// definition says, empty.
  Operation* create(std::string_view name, std::span<Value* const> operands,
                    std::span<const Type> result_types,
                    const std::vector<NamedAttribute>& attributes = {});
  Operation* create(std::string_view name, std::initializer_list<Value*> operands,
                    std::initializer_list<Type> result_types,
                    const std::vector<NamedAttribute>& attributes = {});
  /// Creates with inferred result types, or returns the inference's error.
  Result<Operation*> create_inferred(std::string_view name, std::span<Value* const> operands,
                                     const std::vector<NamedAttribute>& attributes = {});
  Result<Operation*> create_inferred(std::string_view name, std::initializer_list<Value*> operands,
                                     const std::vector<NamedAttribute>& attributes = {});

 private:
  Operation* insert(std::unique_ptr<Operation> operation);
  Context& context_;
  Block* block_;
  Operation* before_ = nullptr;
  Location location_;
};

}  // namespace accy::choir
