#include <bit>
#include <unordered_map>

#include "choir/bytecode.hpp"
#include "choir/ir/bytecode_format.hpp"
#include "choir/value_table.hpp"

namespace accy::choir {

namespace {

using namespace bytecode;

class Encoder {
 public:
  explicit Encoder(BytecodeOptions options) : options_(options) {}

  void write_header() { out_ += header; }
  void write_operation(const Operation& operation);
  std::string take() { return std::move(out_); }

 private:
  void write_number(std::uint64_t number) {
    for (; number >= 0x80; number >>= 7U) out_ += static_cast<char>(number | 0x80U);
    out_ += static_cast<char>(number);
  }

  /// A reference to an entry that was written before; false when it is a new one.
  template <class Table, class Key>
  bool write_known(const Table& table, const Key& key) {
    const auto found = table.find(key);
    if (found == table.end()) {
      write_number(new_entry);
      return false;
    }
    write_number(found->second + first_entry);
    return true;
  }

  void write_string(std::string_view text);
  /// A text that has one address as long as the encoder lives, so that it is hashed once.
  void write_fixed_string(std::string_view text);
  void write_type(Type type);
  void write_attribute(Attribute attribute);
  void write_content(Attribute attribute);
  void write_attributes(std::span<const NamedAttribute> attributes);
  void write_location(Location location);
  void write_operand(const Value* value);
  void write_region(const Block& block);
  void define(const Value& value);

  BytecodeOptions options_;
  std::string out_;
  std::unordered_map<std::string_view, std::uint64_t> strings_;
  std::unordered_map<const TypeStorage*, std::uint64_t> types_;
  std::unordered_map<const AttributeStorage*, std::uint64_t> attributes_;
  std::unordered_map<const LocationStorage*, std::uint64_t> locations_;
  std::unordered_map<const char*, std::uint64_t> fixed_strings_;
  ValueTable<std::uint64_t> values_;
  std::uint64_t value_count_ = 0;
  std::unordered_map<const Value*, std::uint64_t> outside_;
};

void Encoder::write_string(std::string_view text) {
  if (write_known(strings_, text)) return;
  write_number(text.size());
  out_ += text;
  strings_.emplace(text, strings_.size());
}

void Encoder::write_fixed_string(std::string_view text) {
  if (const auto known = fixed_strings_.find(text.data()); known != fixed_strings_.end())
    return write_number(known->second + first_entry);
  write_string(text);
  fixed_strings_.emplace(text.data(), strings_.at(text));
}

void Encoder::write_type(Type type) {
  if (!type) return write_number(no_entry);
  if (write_known(types_, type.storage())) return;
  write_string(type.name());
  write_number(type.parameters().size());
  for (Attribute parameter : type.parameters()) write_attribute(parameter);
  types_.emplace(type.storage(), types_.size());
}

void Encoder::write_attribute(Attribute attribute) {
  if (!attribute) return write_number(no_entry);
  if (write_known(attributes_, attribute.storage())) return;
  out_ += static_cast<char>(attribute.kind());
  write_content(attribute);
  attributes_.emplace(attribute.storage(), attributes_.size());
}

void Encoder::write_content(Attribute attribute) {
  switch (attribute.kind()) {
    case AttributeKind::boolean: return write_number(attribute.boolean() ? 1 : 0);
    case AttributeKind::integer: return write_number(zigzag(attribute.integer()));
    case AttributeKind::floating:
      return write_number(std::bit_cast<std::uint64_t>(attribute.floating()));
    case AttributeKind::string:
    case AttributeKind::word:
    case AttributeKind::symbol: return write_string(attribute.text());
    case AttributeKind::type: return write_type(attribute.type());
    case AttributeKind::array:
      write_number(attribute.array().size());
      for (Attribute element : attribute.array()) write_attribute(element);
      return;
    case AttributeKind::dictionary: return write_attributes(attribute.dictionary());
    case AttributeKind::data:
      write_number(attribute.data().size());
      out_.append(reinterpret_cast<const char*>(attribute.data().data()), attribute.data().size());
      return;
  }
}

void Encoder::write_attributes(std::span<const NamedAttribute> attributes) {
  write_number(attributes.size());
  for (const NamedAttribute& attribute : attributes) {
    write_fixed_string(attribute.name);
    write_attribute(attribute.value);
  }
}

void Encoder::write_location(Location location) {
  if (!options_.locations) return;
  if (location.positions().empty()) return write_number(no_entry);
  if (write_known(locations_, location.storage())) return;
  write_number(location.positions().size());
  for (const FilePosition& position : location.positions()) {
    write_string(position.file);
    write_number(position.line);
    write_number(position.column);
  }
  locations_.emplace(location.storage(), locations_.size());
}

void Encoder::write_operand(const Value* value) {
  if (const std::uint64_t* known = value == nullptr ? nullptr : values_.find(value))
    return write_number(value_count_ - *known);
  write_number(value_from_outside);
  write_number(outside_.emplace(value, outside_.size()).first->second);
}

void Encoder::define(const Value& value) {
  write_type(value.type());
  if (options_.names) write_string(value.name());
  values_[&value] = value_count_++;
}

void Encoder::write_region(const Block& block) {
  write_number(block.argument_count());
  for (std::size_t index = 0; index < block.argument_count(); ++index)
    define(*block.argument(index));
  write_number(block.size());
  for (const Operation* operation = block.front(); operation != nullptr;
       operation = operation->next())
    write_operation(*operation);
}

void Encoder::write_operation(const Operation& operation) {
  write_fixed_string(operation.name());
  write_number(operation.operand_count());
  for (std::size_t index = 0; index < operation.operand_count(); ++index)
    write_operand(operation.operand(index));
  write_number(operation.result_count());
  for (std::size_t index = 0; index < operation.result_count(); ++index)
    define(*operation.result(index));
  write_attributes(operation.attributes());
  write_location(operation.location());
  write_number(operation.region_count());
  for (std::size_t index = 0; index < operation.region_count(); ++index)
    write_region(operation.body(index));
}

}  // namespace

std::string encode(const Module& module, BytecodeOptions options) {
  Encoder encoder(options);
  encoder.write_header();
  encoder.write_operation(module.operation());
  return encoder.take();
}

std::string encode(const Operation& operation, BytecodeOptions options) {
  Encoder encoder(options);
  encoder.write_operation(operation);
  return encoder.take();
}

}  // namespace accy::choir
