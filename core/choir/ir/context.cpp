#include "choir/context.hpp"

#include <algorithm>
#include <bit>
#include <deque>
#include <functional>
#include <memory_resource>
#include <string>
#include <unordered_set>
#include <utility>

#include "choir/ir/name_hash.hpp"

namespace accy::choir {

struct TypeStorage {
  std::string_view name;
  std::vector<Attribute> parameters;
  mutable bool well_formed = false;  // set when it is made, never later
};

struct AttributeStorage {
  AttributeKind kind = AttributeKind::boolean;
  std::int64_t integer = 0;  // also boolean and the bits of a floating
  std::string_view text;     // string, word, symbol
  Type type;
  std::vector<Attribute> array;
  std::vector<NamedAttribute> dictionary;
  std::vector<std::byte> data;
};

/// One place or more.
struct LocationStorage {
  explicit LocationStorage(std::span<const FilePosition> positions) {
    if (positions.size() == 1)
      single = positions.front();
    else
      several.assign(positions.begin(), positions.end());
  }
  std::span<const FilePosition> positions() const {
    return several.empty() ? std::span(&single, 1) : std::span(several);
  }

  FilePosition single;  // nearly all have one, which takes no memory of its own here
  std::vector<FilePosition> several;
};

std::string_view Type::name() const { return storage_->name; }
std::span<const Attribute> Type::parameters() const { return storage_->parameters; }

bool Type::is_well_formed() const { return storage_ != nullptr && storage_->well_formed; }

AttributeKind Attribute::kind() const { return storage_->kind; }

namespace {

const AttributeStorage& expect(const AttributeStorage* storage, AttributeKind kind) {
  ACCY_ASSERT(storage != nullptr && storage->kind == kind, "attribute is of another kind");
  return *storage;
}

}  // namespace

bool Attribute::boolean() const { return expect(storage_, AttributeKind::boolean).integer != 0; }
std::int64_t Attribute::integer() const { return expect(storage_, AttributeKind::integer).integer; }
double Attribute::floating() const {
  return std::bit_cast<double>(expect(storage_, AttributeKind::floating).integer);
}
std::string_view Attribute::text() const {
  ACCY_ASSERT(is(AttributeKind::string) || is(AttributeKind::word) || is(AttributeKind::symbol),
              "attribute has no text");
  return storage_->text;
}
Type Attribute::type() const { return expect(storage_, AttributeKind::type).type; }
std::span<const Attribute> Attribute::array() const {
  return expect(storage_, AttributeKind::array).array;
}
std::span<const NamedAttribute> Attribute::dictionary() const {
  return expect(storage_, AttributeKind::dictionary).dictionary;
}
std::span<const std::byte> Attribute::data() const {
  return expect(storage_, AttributeKind::data).data;
}
Attribute Attribute::get(std::string_view key) const {
  for (const NamedAttribute& entry : dictionary())
    if (entry.name == key) return entry.value;
  return {};
}

std::span<const FilePosition> Location::positions() const {
  return storage_ == nullptr ? std::span<const FilePosition>() : storage_->positions();
}

SourceLocation Location::first() const {
  if (positions().empty()) return {};
  const FilePosition& position = positions().front();
  return {std::string(position.file), position.line, position.column};
}

namespace {

// Hashes are only used to find an equal entry; nothing iterates over these tables, so that no
// order in the program depends on them.
std::size_t combine(std::size_t seed, std::size_t value) {
  return seed ^ (value + 0x9e3779b97f4a7c15ULL + (seed << 6) + (seed >> 2));
}

/// Spreads a hash over its lower bits, which the tables go by.
std::size_t mix(std::size_t hash) { return (hash * 0x9e3779b97f4a7c15ULL) >> 20U; }

std::size_t address(const void* pointer) { return std::hash<const void*>()(pointer); }

// What the tables are asked for: texts are interned before, so that their addresses say it all.

struct TypeKey {
  std::string_view name;
  std::span<const Attribute> parameters;

  std::size_t hash() const {
    std::size_t seed = address(name.data());
    for (Attribute parameter : parameters) seed = combine(seed, address(parameter.storage()));
    return mix(seed);
  }
  bool equals(const TypeStorage& type) const {
    return type.name.data() == name.data() && std::ranges::equal(type.parameters, parameters);
  }
  TypeStorage storage() const { return {name, {parameters.begin(), parameters.end()}}; }
};

struct AttributeKey {
  AttributeKind kind = AttributeKind::boolean;
  std::int64_t integer = 0;
  std::string_view text;
  Type type;
  std::span<const Attribute> array;
  std::span<const NamedAttribute> dictionary;
  std::span<const std::byte> data;

  std::size_t hash() const {
    std::size_t seed = combine(static_cast<std::size_t>(kind), static_cast<std::size_t>(integer));
    seed = combine(seed, address(text.data()));
    seed = combine(seed, address(type.storage()));
    for (Attribute element : array) seed = combine(seed, address(element.storage()));
    for (const NamedAttribute& entry : dictionary) {
      seed = combine(seed, address(entry.name.data()));
      seed = combine(seed, address(entry.value.storage()));
    }
    if (data.empty()) return mix(seed);
    const std::string_view bytes(reinterpret_cast<const char*>(data.data()), data.size());
    return mix(combine(seed, std::hash<std::string_view>()(bytes)));
  }
  bool equals(const AttributeStorage& attribute) const {
    return attribute.kind == kind && attribute.integer == integer &&
           attribute.text.data() == text.data() && attribute.type == type &&
           std::ranges::equal(attribute.array, array) &&
           std::ranges::equal(attribute.dictionary, dictionary) &&
           std::ranges::equal(attribute.data, data);
  }
  AttributeStorage storage() const {
    return {kind,
            integer,
            text,
            type,
            {array.begin(), array.end()},
            {dictionary.begin(), dictionary.end()},
            {data.begin(), data.end()}};
  }
};

struct LocationKey {
  std::span<const FilePosition> positions;

  /// Neighbours in a text are neighbours in the table: a program's places come in order.
  std::size_t hash() const {
    constexpr std::size_t slots_a_line = 4;
    std::size_t seed = 0;
    for (const FilePosition& position : positions)
      seed = mix(seed + address(position.file.data())) + slots_a_line * position.line +
             position.column % slots_a_line;
    return seed;
  }
  bool equals(const LocationStorage& location) const {
    return std::ranges::equal(location.positions(), positions);
  }
  LocationStorage storage() const { return LocationStorage(positions); }
};

/// A set of immutable values at stable addresses.
template <class Storage, class Key>
class InternTable {
 public:
  const Storage* get(const Key& key) {
    if (2 * values_.size() >= slots_.size()) grow();
    const std::size_t hash = key.hash();
    std::size_t place = start_of(hash);
    for (; slots_[place].value != nullptr; place = start_of(place + 1))
      if (slots_[place].hash == hash && key.equals(*slots_[place].value))
        return slots_[place].value;
    values_.push_back(key.storage());
    slots_[place] = {hash, &values_.back()};
    return slots_[place].value;
  }
  std::size_t size() const { return values_.size(); }

 private:
  struct Slot {
    std::size_t hash = 0;
    const Storage* value = nullptr;
  };

  /// The number of slots is a power of two.
  std::size_t start_of(std::size_t hash) const { return hash & (slots_.size() - 1); }

  void grow() {
    const std::vector<Slot> old =
        std::exchange(slots_, std::vector<Slot>(std::max<std::size_t>(16, 2 * slots_.size())));
    for (const Slot& slot : old) {
      if (slot.value == nullptr) continue;
      std::size_t place = start_of(slot.hash);
      while (slots_[place].value != nullptr) place = start_of(place + 1);
      slots_[place] = slot;
    }
  }

  std::deque<Storage> values_;
  std::vector<Slot> slots_;
};

/// Copies of texts, one behind the other.
class TextStore {
 public:
  std::string_view keep(std::string_view text) {
    // An empty text has an address too, which tells it from no text.
    const std::size_t bytes = std::max<std::size_t>(text.size(), 1);
    if (bytes > free_.size()) {
      constexpr std::size_t chunk_bytes = 4096;
      const std::size_t size = std::max(bytes, chunk_bytes);
      chunks_.push_back(std::make_unique_for_overwrite<char[]>(size));
      free_ = {chunks_.back().get(), size};
    }
    char* const copy = free_.data();
    text.copy(copy, text.size());
    free_ = free_.subspan(bytes);
    return {copy, text.size()};
  }

 private:
  std::vector<std::unique_ptr<char[]>> chunks_;
  std::span<char> free_;
};

}  // namespace

struct Context::Tables {
  InternTable<TypeStorage, TypeKey> types;
  InternTable<AttributeStorage, AttributeKey> attributes;
  InternTable<LocationStorage, LocationKey> locations;
  TextStore store;
  std::string_view last_file;  // most places follow one of the same file
  std::pmr::monotonic_buffer_resource memory;
  std::pmr::unordered_set<std::string_view, NameHash> texts{&memory};  // in the store
};

Context::Context(const Registry& registry)
    : registry_(registry), tables_(std::make_unique<Tables>()) {}
Context::~Context() = default;

std::string_view Context::intern(std::string_view text) {
  const auto found = tables_->texts.find(text);
  return found != tables_->texts.end() ? *found : *tables_->texts.insert(keep(text)).first;
}

std::string_view Context::intern_file(std::string_view file) {
  if (file != tables_->last_file || file.empty()) tables_->last_file = intern(file);
  return tables_->last_file;
}

std::string_view Context::keep(std::string_view text) { return tables_->store.keep(text); }

namespace {

bool is_well_formed(const Registry& registry, Type type) {
  const TypeDefinition* definition = registry.type(type.name());
  if (definition == nullptr) return false;
  if (definition->verify == nullptr) return type.parameters().empty();
  return definition->verify(type).has_value();
}

}  // namespace

Type Context::type(std::string_view name, std::span<const Attribute> parameters) {
  const std::size_t known = tables_->types.size();
  const Type type(tables_->types.get({intern(name), parameters}));
  if (tables_->types.size() != known) type.storage()->well_formed = is_well_formed(registry_, type);
  return type;
}

Attribute Context::boolean(bool value) {
  return Attribute(tables_->attributes.get({.kind = AttributeKind::boolean, .integer = value}));
}
Attribute Context::integer(std::int64_t value) {
  return Attribute(tables_->attributes.get({.kind = AttributeKind::integer, .integer = value}));
}
Attribute Context::floating(double value) {
  return Attribute(tables_->attributes.get(
      {.kind = AttributeKind::floating, .integer = std::bit_cast<std::int64_t>(value)}));
}
Attribute Context::string(std::string_view text) {
  return Attribute(tables_->attributes.get({.kind = AttributeKind::string, .text = intern(text)}));
}
Attribute Context::word(std::string_view text) {
  return Attribute(tables_->attributes.get({.kind = AttributeKind::word, .text = intern(text)}));
}
Attribute Context::symbol(std::string_view name) {
  return Attribute(tables_->attributes.get({.kind = AttributeKind::symbol, .text = intern(name)}));
}
Attribute Context::type_attribute(Type type) {
  return Attribute(tables_->attributes.get({.kind = AttributeKind::type, .type = type}));
}
Attribute Context::array(std::span<const Attribute> elements) {
  return Attribute(tables_->attributes.get({.kind = AttributeKind::array, .array = elements}));
}
Attribute Context::integers(std::span<const std::int64_t> values) {
  std::vector<Attribute> elements;
  elements.reserve(values.size());
  for (std::int64_t value : values) elements.push_back(integer(value));
  return array(elements);
}
Attribute Context::dictionary(std::vector<NamedAttribute> entries) {
  for (NamedAttribute& entry : entries) entry.name = intern(entry.name);
  std::sort(entries.begin(), entries.end(),
            [](const NamedAttribute& a, const NamedAttribute& b) { return a.name < b.name; });
  for (std::size_t index = 1; index < entries.size(); ++index)
    ACCY_ASSERT(entries[index - 1].name != entries[index].name, "dictionary key given twice");
  return Attribute(
      tables_->attributes.get({.kind = AttributeKind::dictionary, .dictionary = entries}));
}
Attribute Context::data(std::span<const std::byte> bytes) {
  return Attribute(tables_->attributes.get({.kind = AttributeKind::data, .data = bytes}));
}

Location Context::location(std::string_view file, std::uint32_t line, std::uint32_t column) {
  const FilePosition position{intern_file(file), line, column};
  return Location(tables_->locations.get({std::span(&position, 1)}));
}

Location Context::location(std::span<const FilePosition> positions) {
  if (positions.empty()) return {};
  if (positions.size() == 1)
    return location(positions[0].file, positions[0].line, positions[0].column);
  std::vector<FilePosition> own(positions.begin(), positions.end());
  for (FilePosition& position : own) position.file = intern_file(position.file);
  return Location(tables_->locations.get({own}));
}

Location Context::fused(Location a, Location b) {
  std::vector<FilePosition> positions(a.positions().begin(), a.positions().end());
  for (const FilePosition& position : b.positions())
    if (std::find(positions.begin(), positions.end(), position) == positions.end())
      positions.push_back(position);
  return location(positions);
}

Type Context::import(Type type) {
  if (!type) return type;
  std::vector<Attribute> parameters;
  parameters.reserve(type.parameters().size());
  for (Attribute parameter : type.parameters()) parameters.push_back(import(parameter));
  return this->type(type.name(), parameters);
}

Attribute Context::import(Attribute attribute) {
  if (!attribute) return attribute;
  const AttributeStorage& storage = *attribute.storage();
  std::vector<Attribute> array;
  array.reserve(storage.array.size());
  for (Attribute element : storage.array) array.push_back(import(element));
  std::vector<NamedAttribute> dictionary;
  dictionary.reserve(storage.dictionary.size());
  for (const NamedAttribute& entry : storage.dictionary)
    dictionary.push_back({intern(entry.name), import(entry.value)});
  return Attribute(tables_->attributes.get(
      {.kind = storage.kind,
       .integer = storage.integer,
       .text = storage.text.data() == nullptr ? std::string_view() : intern(storage.text),
       .type = import(storage.type),
       .array = array,
       .dictionary = dictionary,
       .data = storage.data}));
}

Location Context::import(Location location) {
  if (location.positions().empty()) return {};
  return this->location(location.positions());
}

}  // namespace accy::choir
