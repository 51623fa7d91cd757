// Cloner: copies operations into another context.
#pragma once

#include <memory>
#include <unordered_map>

#include "choir/operation.hpp"
#include "choir/value_table.hpp"

namespace accy::choir {

/// Carries types and attributes over once each, however many operations have them.
class Cloner {
 public:
  explicit Cloner(Context& target) : target_(target) {}

  /// A copy with its regions. Its operands are results of what was copied before, or its own.
  std::unique_ptr<Operation> copy(const Operation& operation);

 private:
  Type copy(Type type);
  Attribute copy(Attribute attribute);
  std::string_view copy(std::string_view name);
  Location copy(Location location);
  void copy_region(const Block& from, Block& to);
  void connect(const Value& from, Value& to);

  Context& target_;
  ValueTable<Value*> values_;
  std::unordered_map<const TypeStorage*, Type> types_;
  std::unordered_map<const AttributeStorage*, Attribute> attributes_;
  std::unordered_map<const LocationStorage*, Location> fused_;  ///< of several places
  std::unordered_map<const char*, std::string_view> names_;     ///< of attributes, by their address
};

}  // namespace accy::choir
