#include <bit>

#include "choir/bytecode.hpp"
#include "choir/ir/bytecode_format.hpp"
#include "support/checked.hpp"

namespace accy::choir {

namespace {

using namespace bytecode;

/// Reads on after a fault with zeros, so that callers ask once; no count exceeds the bytes left.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}

  std::size_t position() const { return position_; }
  std::string_view fault() const { return fault_; }
  bool good() const { return fault_.empty(); }
  bool at_end() const { return position_ == bytes_.size(); }

  void reject(std::string_view fault) {
    if (good()) fault_ = fault;
  }

  std::uint8_t byte() {
    if (!good() || at_end()) {
      reject("is cut off");
      return 0;
    }
    return static_cast<std::uint8_t>(bytes_[position_++]);
  }

  std::uint64_t number() {
    std::uint64_t number = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const std::uint8_t next = byte();
      number |= static_cast<std::uint64_t>(next & 0x7fU) << shift;
      if (next < 0x80) return number;
    }
    reject("has a number of more than 64 bits");
    return 0;
  }

  /// Of things that take a byte each or more.
  std::size_t count() {
    const std::uint64_t count = number();
    if (count <= bytes_.size() - position_) return good() ? count : 0;
    reject("has a count that the bytes left cannot hold");
    return 0;
  }

  std::string_view text(std::size_t size) {
    const std::string_view text = bytes_.substr(position_, size);
    position_ += text.size();
    return text;
  }

 private:
  std::string_view bytes_;
  std::size_t position_ = 0;
  std::string_view fault_;
};

class Decoder {
 public:
  Decoder(std::string_view bytes, std::string_view file, Module& module)
      : reader_(bytes), file_(file), module_(module), context_(module.context()) {}

  Status run() {
    if (reader_.text(header.size()) != header) reader_.reject("is no bytecode of this version");
    read_module();
    if (reader_.good() && !reader_.at_end()) reader_.reject("goes on behind the module");
    if (reader_.good()) return {};
    return fail(ErrorCode::invalid_input, std::string(file_) + ": " + std::string(reader_.fault()) +
                                              " (at byte " + std::to_string(reader_.position()) +
                                              ")");
  }

 private:
  class Nesting {
   public:
    explicit Nesting(Decoder& decoder) : decoder_(decoder) {
      if (++decoder_.depth_ > nesting_maximum) decoder_.reader_.reject("is nested too deep");
    }
    ~Nesting() { --decoder_.depth_; }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;

   private:
    Decoder& decoder_;
  };
  /// Operations and attributes inside each other; the text form allows less of each.
  static constexpr std::size_t nesting_maximum = 4 * limits::nesting;

  /// The entry that a reference names, `none` for no entry, or nothing when a new one follows.
  template <class Entry>
  std::optional<Entry> known(const std::vector<Entry>& table, Entry none) {
    const std::uint64_t reference = reader_.number();
    if (!reader_.good() || reference == no_entry) return none;
    if (reference == new_entry) return std::nullopt;
    if (reference - first_entry < table.size()) return table[reference - first_entry];
    reader_.reject("names an entry that is not there");
    return none;
  }

  std::string_view read_string();
  Type read_type();
  Attribute read_attribute();
  Attribute read_content(AttributeKind kind);
  std::vector<NamedAttribute> read_attributes();
  Location read_location();
  Value* read_operand();
  void read_arguments(Block& block);
  void read_operations(Block& block);
  std::unique_ptr<Operation> read_operation();
  void read_regions(Operation& operation);
  void read_module();
  void define(Value& value, std::string_view name);

  ByteReader reader_;
  std::string_view file_;
  Module& module_;
  Context& context_;
  std::size_t depth_ = 0;
  std::vector<std::string_view> strings_;
  std::vector<Type> types_;
  std::vector<Attribute> attributes_;
  std::vector<Location> locations_;
  std::vector<Value*> values_;
};

std::string_view Decoder::read_string() {
  if (const auto entry = known(strings_, std::string_view())) return *entry;
  strings_.push_back(context_.intern(reader_.text(reader_.count())));
  return strings_.back();
}

Type Decoder::read_type() {
  const Nesting nesting(*this);
  if (const auto entry = known(types_, Type())) return *entry;
  const std::string_view name = read_string();
  std::vector<Attribute> parameters(reader_.count());
  for (Attribute& parameter : parameters) parameter = read_attribute();
  if (!reader_.good()) return {};
  types_.push_back(context_.type(name, parameters));
  return types_.back();
}

Attribute Decoder::read_attribute() {
  const Nesting nesting(*this);
  if (const auto entry = known(attributes_, Attribute())) return *entry;
  const std::uint8_t kind = reader_.byte();
  if (kind > static_cast<std::uint8_t>(AttributeKind::data))
    reader_.reject("holds an attribute of an unknown kind");
  if (!reader_.good()) return {};
  const Attribute attribute = read_content(static_cast<AttributeKind>(kind));
  if (reader_.good()) attributes_.push_back(attribute);
  return attribute;
}

Attribute Decoder::read_content(AttributeKind kind) {
  switch (kind) {
    case AttributeKind::boolean: return context_.boolean(reader_.number() != 0);
    case AttributeKind::integer: return context_.integer(from_zigzag(reader_.number()));
    case AttributeKind::floating: return context_.floating(std::bit_cast<double>(reader_.number()));
    case AttributeKind::string: return context_.string(read_string());
    case AttributeKind::word: return context_.word(read_string());
    case AttributeKind::symbol: return context_.symbol(read_string());
    case AttributeKind::type: return context_.type_attribute(read_type());
    case AttributeKind::array: {
      std::vector<Attribute> elements(reader_.count());
      for (Attribute& element : elements) element = read_attribute();
      return context_.array(elements);
    }
    case AttributeKind::dictionary: return context_.dictionary(read_attributes());
    case AttributeKind::data:
      return context_.data(std::as_bytes(std::span(reader_.text(reader_.count()))));
  }
  return {};
}

/// Sorted and each name once, as they are everywhere.
std::vector<NamedAttribute> Decoder::read_attributes() {
  const std::size_t count = reader_.count();
  std::vector<NamedAttribute> attributes;
  for (std::size_t index = 0; index < count && reader_.good(); ++index) {
    const std::string_view name = read_string();
    const Attribute value = read_attribute();
    if (!attributes.empty() && attributes.back().name >= name)
      reader_.reject("has attributes out of order");
    if (reader_.good() && !value) reader_.reject("has an attribute without a value");
    attributes.push_back({name, value});
  }
  if (!reader_.good()) attributes.clear();
  return attributes;
}

Location Decoder::read_location() {
  if (const auto entry = known(locations_, Location())) return *entry;
  std::vector<FilePosition> positions(reader_.count());
  for (FilePosition& position : positions) {
    position.file = read_string();
    position.line = static_cast<std::uint32_t>(reader_.number());
    position.column = static_cast<std::uint32_t>(reader_.number());
  }
  if (!reader_.good()) return {};
  locations_.push_back(context_.location(positions));
  return locations_.back();
}

Value* Decoder::read_operand() {
  const std::uint64_t distance = reader_.number();
  if (distance != value_from_outside && distance <= values_.size())
    return values_[values_.size() - distance];
  reader_.reject("uses a value that is not defined");
  return nullptr;
}

void Decoder::define(Value& value, std::string_view name) {
  value.set_name(name);
  values_.push_back(&value);
}

void Decoder::read_arguments(Block& block) {
  const std::size_t count = reader_.count();
  for (std::size_t index = 0; index < count && reader_.good(); ++index) {
    const Type type = read_type();
    define(*block.add_argument(type), read_string());
  }
}

void Decoder::read_operations(Block& block) {
  const std::size_t count = reader_.count();
  for (std::size_t index = 0; index < count && reader_.good(); ++index)
    if (auto operation = read_operation()) block.push_back(std::move(operation));
}

void Decoder::read_regions(Operation& operation) {
  const std::size_t count = reader_.count();
  for (std::size_t index = 0; index < count && reader_.good(); ++index) {
    Block& block = operation.add_region().block();
    read_arguments(block);
    read_operations(block);
  }
}

std::unique_ptr<Operation> Decoder::read_operation() {
  const Nesting nesting(*this);
  const OperationDefinition* definition = context_.registry().operation(read_string());
  if (definition == nullptr) reader_.reject("holds an unknown operation");
  std::vector<Value*> operands(reader_.count());
  for (Value*& operand : operands) operand = read_operand();
  std::vector<Type> types(reader_.count());
  std::vector<std::string_view> names(types.size());
  for (std::size_t index = 0; index < types.size(); ++index) {
    types[index] = read_type();
    names[index] = read_string();
  }
  std::vector<NamedAttribute> attributes = read_attributes();
  const Location location = read_location();
  if (!reader_.good()) return nullptr;
  auto operation = Operation::create(context_, *definition, operands, types, attributes, location);
  for (std::size_t index = 0; index < names.size(); ++index)
    define(*operation->result(index), names[index]);
  read_regions(*operation);
  return operation;
}

void Decoder::read_module() {
  if (read_string() != module_.operation().name()) reader_.reject("holds no module");
  if (reader_.count() + reader_.count() != 0) reader_.reject("has a module with values");
  for (const NamedAttribute& attribute : read_attributes())
    module_.operation().set_attribute(attribute.name, attribute.value);
  module_.operation().set_location(read_location());
  if (reader_.count() != 1) reader_.reject("has a module without its one region");
  read_arguments(module_.body());
  read_operations(module_.body());
}

}  // namespace

Result<Module> decode(std::string_view bytes, std::string_view file, const Registry& registry) {
  Module module(registry, "unknown");
  ACCY_TRY(Decoder(bytes, file, module).run());
  return module;
}

}  // namespace accy::choir
