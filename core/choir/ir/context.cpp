#include "choir/context.hpp"

#include <algorithm>
#include <bit>
#include <deque>
#include <functional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <variant>

namespace accy::choir {

struct TypeStorage {
  std::string_view name;
  std::vector<Attribute> parameters;
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

struct LocationStorage {
  std::vector<FilePosition> positions;
};

std::string_view Type::name() const { return storage_->name; }
std::span<const Attribute> Type::parameters() const { return storage_->parameters; }

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
  return storage_ == nullptr ? std::span<const FilePosition>() : storage_->positions;
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

std::size_t hash_of(const TypeStorage& type) {
  std::size_t seed = std::hash<std::string_view>()(type.name);
  for (Attribute parameter : type.parameters)
    seed = combine(seed, std::hash<const void*>()(parameter.storage()));
  return seed;
}

std::size_t hash_of(const AttributeStorage& attribute) {
  std::size_t seed = static_cast<std::size_t>(attribute.kind);
  seed = combine(seed, static_cast<std::size_t>(attribute.integer));
  seed = combine(seed, std::hash<std::string_view>()(attribute.text));
  seed = combine(seed, std::hash<const void*>()(attribute.type.storage()));
  for (Attribute element : attribute.array)
    seed = combine(seed, std::hash<const void*>()(element.storage()));
  for (const NamedAttribute& entry : attribute.dictionary) {
    seed = combine(seed, std::hash<std::string_view>()(entry.name));
    seed = combine(seed, std::hash<const void*>()(entry.value.storage()));
  }
  const std::string_view bytes(reinterpret_cast<const char*>(attribute.data.data()),
                               attribute.data.size());
  return combine(seed, std::hash<std::string_view>()(bytes));
}

std::size_t hash_of(const LocationStorage& location) {
  std::size_t seed = 0;
  for (const FilePosition& position : location.positions) {
    seed = combine(seed, std::hash<std::string_view>()(position.file));
    seed = combine(seed, position.line);
    seed = combine(seed, position.column);
  }
  return seed;
}

bool equal(const TypeStorage& a, const TypeStorage& b) {
  return a.name == b.name && a.parameters == b.parameters;
}
bool equal(const AttributeStorage& a, const AttributeStorage& b) {
  return a.kind == b.kind && a.integer == b.integer && a.text == b.text && a.type == b.type &&
         a.array == b.array && a.dictionary == b.dictionary && a.data == b.data;
}
bool equal(const LocationStorage& a, const LocationStorage& b) {
  return a.positions == b.positions;
}

/// A set of immutable values at stable addresses.
template <class Storage>
class InternTable {
 public:
  const Storage* get(Storage value) {
    auto& bucket = buckets_[hash_of(value)];
    for (const Storage* candidate : bucket)
      if (equal(*candidate, value)) return candidate;
    values_.push_back(std::move(value));
    bucket.push_back(&values_.back());
    return bucket.back();
  }

 private:
  std::deque<Storage> values_;
  std::unordered_map<std::size_t, std::vector<const Storage*>> buckets_;
};

}  // namespace

struct Context::Tables {
  InternTable<TypeStorage> types;
  InternTable<AttributeStorage> attributes;
  InternTable<LocationStorage> locations;
  std::unordered_set<std::string> texts;  // node-based: addresses are stable
};

Context::Context(const Registry& registry)
    : registry_(registry), tables_(std::make_unique<Tables>()) {}
Context::~Context() = default;

std::string_view Context::intern(std::string_view text) {
  return *tables_->texts.emplace(text).first;
}

Type Context::type(std::string_view name, std::span<const Attribute> parameters) {
  return Type(tables_->types.get({intern(name), {parameters.begin(), parameters.end()}}));
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
  return Attribute(tables_->attributes.get(
      {.kind = AttributeKind::array, .array = {elements.begin(), elements.end()}}));
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
  return Attribute(tables_->attributes.get(
      {.kind = AttributeKind::dictionary, .dictionary = std::move(entries)}));
}
Attribute Context::data(std::span<const std::byte> bytes) {
  return Attribute(tables_->attributes.get(
      {.kind = AttributeKind::data, .data = {bytes.begin(), bytes.end()}}));
}

Location Context::location(std::string_view file, std::uint32_t line, std::uint32_t column) {
  const FilePosition position{file, line, column};
  return location(std::span(&position, 1));
}

Location Context::location(std::span<const FilePosition> positions) {
  LocationStorage storage;
  storage.positions.reserve(positions.size());
  for (const FilePosition& position : positions)
    storage.positions.push_back({intern(position.file), position.line, position.column});
  return Location(tables_->locations.get(std::move(storage)));
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
  AttributeStorage copy = *attribute.storage();
  copy.text = copy.text.empty() ? copy.text : intern(copy.text);
  copy.type = import(copy.type);
  for (Attribute& element : copy.array) element = import(element);
  for (NamedAttribute& entry : copy.dictionary)
    entry = {intern(entry.name), import(entry.value)};
  return Attribute(tables_->attributes.get(std::move(copy)));
}

Location Context::import(Location location) {
  if (location.positions().empty()) return {};
  return this->location(location.positions());
}

}  // namespace accy::choir
