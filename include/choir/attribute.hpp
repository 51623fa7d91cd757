// Types and attributes: immutable values interned in a Context, equal exactly when pointer-equal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "accy/export.hpp"

namespace accy::choir {

class Attribute;
struct TypeStorage;
struct AttributeStorage;

/// A type is a name with attribute parameters, printed `name<p, q>`; what the parameters mean is
/// the dialect's business. A default-constructed Type is null.
class ACCY_EXPORT Type {
 public:
  Type() = default;
  explicit Type(const TypeStorage* storage) : storage_(storage) {}
  explicit operator bool() const { return storage_ != nullptr; }
  std::string_view name() const;
  std::span<const Attribute> parameters() const;
  /// Whether the registry knows the name and its rules accept the parameters. Types inside the
  /// parameters have their own answer.
  bool is_well_formed() const;
  const TypeStorage* storage() const { return storage_; }
  friend bool operator==(Type, Type) = default;

 private:
  const TypeStorage* storage_ = nullptr;
};

enum class AttributeKind : std::uint8_t {
  boolean,     ///< true, false
  integer,     ///< 64-bit signed
  floating,    ///< binary64, compared by its bits
  string,      ///< "quoted UTF-8"
  word,        ///< a bare identifier: an enumerator or a dimension's name
  symbol,      ///< @name
  type,        ///< a Type
  array,       ///< [a, b]
  dictionary,  ///< {key = value}, sorted by key
  data,        ///< bytes, printed x"0a0b"
};

struct NamedAttribute;

/// A compile-time value. A default-constructed Attribute is null: "absent".
class ACCY_EXPORT Attribute {
 public:
  Attribute() = default;
  explicit Attribute(const AttributeStorage* storage) : storage_(storage) {}
  explicit operator bool() const { return storage_ != nullptr; }
  AttributeKind kind() const;
  bool is(AttributeKind kind) const { return storage_ != nullptr && this->kind() == kind; }

  // Each accessor asserts its kind.
  bool boolean() const;
  std::int64_t integer() const;
  double floating() const;
  /// Text of a string, word or symbol.
  std::string_view text() const;
  Type type() const;
  std::span<const Attribute> array() const;
  std::span<const NamedAttribute> dictionary() const;
  std::span<const std::byte> data() const;
  /// The entry of a dictionary; null when absent.
  Attribute get(std::string_view key) const;

  const AttributeStorage* storage() const { return storage_; }
  friend bool operator==(Attribute, Attribute) = default;

 private:
  const AttributeStorage* storage_ = nullptr;
};

/// An attribute under a name that the Context keeps alive.
struct ACCY_EXPORT NamedAttribute {
  std::string_view name;
  Attribute value;
  friend bool operator==(const NamedAttribute&, const NamedAttribute&) = default;
};

}  // namespace accy::choir
