// Context: owns interned types, attributes, locations and names. One module owns one context, so
// modules compile in parallel without locks.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "accy/export.hpp"
#include "accy/result.hpp"
#include "choir/attribute.hpp"
#include "choir/definition.hpp"
#include "choir/pool.hpp"

namespace accy::choir {

/// One place in a source text; the file name lives in the context.
struct ACCY_EXPORT FilePosition {
  std::string_view file;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  friend bool operator==(const FilePosition&, const FilePosition&) = default;
};

struct LocationStorage;

/// The source places an operation came from; several after a fusion. Never part of a digest.
class ACCY_EXPORT Location {
 public:
  Location() = default;
  explicit Location(const LocationStorage* storage) : storage_(storage) {}
  std::span<const FilePosition> positions() const;
  /// The first position, for an error; unknown when there is none.
  SourceLocation first() const;
  const LocationStorage* storage() const { return storage_; }
  friend bool operator==(Location, Location) = default;

 private:
  const LocationStorage* storage_ = nullptr;
};

class ACCY_EXPORT Context {
 public:
  /// The registry must outlive the context.
  explicit Context(const Registry& registry);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  const Registry& registry() const { return registry_; }

  Type type(std::string_view name, std::span<const Attribute> parameters = {});
  Attribute boolean(bool value);
  Attribute integer(std::int64_t value);
  Attribute floating(double value);
  Attribute string(std::string_view text);
  Attribute word(std::string_view text);
  Attribute symbol(std::string_view name);
  Attribute type_attribute(Type type);
  Attribute array(std::span<const Attribute> elements);
  Attribute integers(std::span<const std::int64_t> values);  ///< array of integers
  /// Sorted here by key; a key given twice is a programming error.
  Attribute dictionary(std::vector<NamedAttribute> entries);
  Attribute data(std::span<const std::byte> bytes);

  Location location(std::string_view file, std::uint32_t line, std::uint32_t column);
  Location location(std::span<const FilePosition> positions);
  /// All positions of both, first those of a; each once.
  Location fused(Location a, Location b);

  /// A copy of the text that lives as long as the context; equal texts share one copy.
  std::string_view intern(std::string_view text);

  /// A copy that lives as long as the context, shared with none: for names that hardly repeat.
  std::string_view keep(std::string_view text);

  /// For what this context's operations are made of.
  Pool& pool() { return pool_; }
  /// For a value that is being made; see Value::id.
  std::uint64_t next_value_id() { return value_count_++; }

  // Copies from another context.
  Type import(Type type);
  Attribute import(Attribute attribute);
  Location import(Location location);

 private:
  struct Tables;
  std::string_view intern_file(std::string_view file);

  const Registry& registry_;
  std::unique_ptr<Tables> tables_;
  std::uint64_t value_count_ = 0;
  Pool pool_;
};

}  // namespace accy::choir
