// What an operation or a type is: records that dialects list in a Registry.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "accy/export.hpp"
#include "accy/result.hpp"
#include "choir/attribute.hpp"

namespace accy::choir {

class Operation;
class Diagnostics;
class Context;

/// Facts that generic code asks of an operation.
enum class Trait : std::uint32_t {
  pure = 1U << 0,         ///< no effect: may be erased when unused, merged when equal
  commutative = 1U << 1,  ///< its two operands may be swapped
  terminator = 1U << 2,   ///< ends a block, and only there
  isolated = 1U << 3,     ///< its regions see no value from outside
  symbol = 1U << 4,       ///< carries a name, unique among its siblings
};

constexpr std::uint32_t operator|(Trait a, Trait b) {
  return static_cast<std::uint32_t>(a) | static_cast<std::uint32_t>(b);
}
constexpr std::uint32_t operator|(std::uint32_t a, Trait b) {
  return a | static_cast<std::uint32_t>(b);
}

/// One interface of an operation: the key is the address of the interface type's `key` member.
struct ACCY_EXPORT InterfaceEntry {
  const void* key = nullptr;
  const void* table = nullptr;
};

/// The record of one operation kind; static data of its dialect.
struct ACCY_EXPORT OperationDefinition {
  std::string_view name;     ///< "dialect.snake_name"
  std::string_view summary;  ///< one line
  std::uint32_t traits = 0;
  int operand_count = -1;    ///< -1: any number
  int result_count = -1;     ///< -1: any number
  int region_count = 0;
  /// Result types from operands and attributes; also the shape check, as the verifier recomputes
  /// and compares. Null where results cannot be inferred.
  Result<std::vector<Type>> (*infer)(const Operation&) = nullptr;
  /// What counts and inference cannot say.
  void (*verify)(const Operation&, Diagnostics&) = nullptr;
  std::span<const InterfaceEntry> interfaces = {};

  bool has(Trait trait) const { return (traits & static_cast<std::uint32_t>(trait)) != 0; }
  /// The interface table, or null when the operation does not offer it.
  template <class Interface>
  const Interface* interface() const {
    for (const InterfaceEntry& entry : interfaces)
      if (entry.key == &Interface::key) return static_cast<const Interface*>(entry.table);
    return nullptr;
  }
};

/// The record of one type name.
struct ACCY_EXPORT TypeDefinition {
  std::string_view name;
  Status (*verify)(Type) = nullptr;  ///< checks the parameters; null: it takes none
};

/// The operations and types that a context knows; built once and shared, immutable in use.
class ACCY_EXPORT Registry {
 public:
  Registry();
  ~Registry();
  Registry(Registry&&) noexcept;
  Registry& operator=(Registry&&) noexcept;

  /// The definition must outlive the registry; a name registered twice is a programming error.
  void add(const OperationDefinition& definition);
  void add(const TypeDefinition& definition);
  const OperationDefinition* operation(std::string_view name) const;
  const TypeDefinition* type(std::string_view name) const;
  /// All operations, sorted by name.
  std::vector<const OperationDefinition*> operations() const;

 private:
  struct Tables;
  std::unique_ptr<Tables> tables_;
};

}  // namespace accy::choir
