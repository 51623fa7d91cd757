#include "choir/ir/attribute_parser.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <limits>

#include "choir/ir/spelling.hpp"
#include "support/checked.hpp"

namespace accy::choir {

/// One level of nesting while it lives.
class AttributeParser::Nesting {
 public:
  explicit Nesting(AttributeParser& parser) : parser_(parser) { ++parser_.depth_; }
  ~Nesting() { --parser_.depth_; }
  Nesting(const Nesting&) = delete;
  Nesting& operator=(const Nesting&) = delete;

  /// False when too deep, which is reported at the current token.
  bool allowed() const {
    if (parser_.depth_ <= limits::nesting) return true;
    parser_.reader_.report(parser_.reader_.token(),
                           "attributes and types nest too deep (the limit is " +
                               std::to_string(limits::nesting) + " levels)");
    return false;
  }

 private:
  AttributeParser& parser_;
};

std::optional<Type> AttributeParser::parse_type() {
  const Token place = reader_.token();
  if (place.kind != TokenKind::word && place.kind != TokenKind::quoted_word) {
    reader_.expected("a type name");
    return std::nullopt;
  }
  const std::size_t errors = reader_.errors();
  const auto name = reader_.name_text(place);
  if (!name) return std::nullopt;
  reader_.advance();
  std::vector<Attribute> parameters;
  if (reader_.at('<')) {
    const Nesting nesting(*this);
    if (!nesting.allowed()) return std::nullopt;
    reader_.advance();
    auto list = parse_list('>');
    if (!list) return std::nullopt;
    parameters = std::move(*list);
  }
  if (reader_.context().registry().type(*name) == nullptr) {
    reader_.report(place, "unknown type " + quote_for_message(place.text));
    return Type();
  }
  if (reader_.errors() != errors) return Type();
  return check_type(place, reader_.context().type(*name, parameters));
}

Type AttributeParser::check_type(const Token& place, Type type) {
  // Checked before anything infers from it: an inference may rely on well-formed types.
  if (checked_.contains(type.storage())) return type;
  const TypeDefinition& definition = *reader_.context().registry().type(type.name());
  if (definition.verify == nullptr && !type.parameters().empty()) {
    reader_.report(place, "type '" + std::string(type.name()) + "' takes no parameters (" +
                              std::to_string(type.parameters().size()) + " given)");
    return Type();
  }
  if (definition.verify != nullptr) {
    if (const Status status = definition.verify(type); !status) {
      reader_.report(place, status.error().message);
      return Type();
    }
  }
  checked_.insert(type.storage());
  return type;
}

Attribute AttributeParser::placeholder() { return reader_.context().boolean(false); }

std::optional<Attribute> AttributeParser::parse_attribute() {
  Context& context = reader_.context();
  const Token place = reader_.token();
  switch (place.kind) {
    case TokenKind::integer: return parse_integer();
    case TokenKind::floating: return parse_floating();
    case TokenKind::data: return parse_data();
    case TokenKind::word:
    case TokenKind::quoted_word: return parse_word();
    case TokenKind::string: {
      const auto text = reader_.string_text(place);
      reader_.advance();
      return text ? context.string(*text) : placeholder();
    }
    case TokenKind::symbol: {
      const auto name = reader_.name_text(place);
      reader_.advance();
      return name ? context.symbol(*name) : placeholder();
    }
    default: break;
  }
  if (reader_.accept('!')) {
    const auto type = parse_type();
    if (!type) return std::nullopt;
    return *type ? context.type_attribute(*type) : placeholder();
  }
  if (reader_.at('[')) return parse_array();
  if (reader_.at('{')) {
    const Nesting nesting(*this);
    if (!nesting.allowed()) return std::nullopt;
    auto entries = parse_dictionary();
    if (!entries) return std::nullopt;
    return context.dictionary(std::move(*entries));
  }
  reader_.expected("an attribute");
  return std::nullopt;
}

std::optional<Attribute> AttributeParser::parse_integer() {
  const std::string_view text = reader_.token().text;
  std::int64_t value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec != std::errc())
    reader_.report(reader_.token(), "integer " + quote_for_message(text) +
                                        " is out of range (the limits are " +
                                        std::to_string(std::numeric_limits<std::int64_t>::min()) +
                                        " and " +
                                        std::to_string(std::numeric_limits<std::int64_t>::max()) +
                                        ")");
  reader_.advance();
  return reader_.context().integer(value);
}

std::optional<Attribute> AttributeParser::parse_floating() {
  const std::string_view text = reader_.token().text;
  double value = 0;
  bool read = true;
  if (text.substr(0, 2) == "0x") {
    std::uint64_t bits = 0;
    const auto end = text.data() + text.size();
    const auto result = std::from_chars(text.data() + 2, end, bits, 16);
    read = result.ec == std::errc() && result.ptr == end;
    value = std::bit_cast<double>(bits);
  } else {
    read = std::from_chars(text.data(), text.data() + text.size(), value).ec == std::errc();
  }
  if (!read)
    reader_.report(reader_.token(), "number " + quote_for_message(text) +
                                        " is out of the range of a 64-bit float");
  reader_.advance();
  return reader_.context().floating(value);
}

std::optional<Attribute> AttributeParser::parse_data() {
  std::string_view digits = reader_.token().text;
  digits = digits.substr(2, digits.size() - 3);
  std::vector<std::byte> bytes(digits.size() / 2);
  bool read = digits.size() % 2 == 0;
  for (std::size_t index = 0; read && index < bytes.size(); ++index) {
    const char* begin = digits.data() + 2 * index;
    unsigned value = 0;
    const auto result = std::from_chars(begin, begin + 2, value, 16);
    read = result.ec == std::errc() && result.ptr == begin + 2;
    bytes[index] = static_cast<std::byte>(value);
  }
  if (!read)
    reader_.report(reader_.token(), "data takes pairs of hexadecimal digits, found " +
                                        quote_for_message(digits));
  reader_.advance();
  return reader_.context().data(bytes);
}

std::optional<Attribute> AttributeParser::parse_word() {
  Context& context = reader_.context();
  const Token place = reader_.token();
  reader_.advance();
  if (place.kind == TokenKind::word) {
    if (place.text == "true" || place.text == "false") return context.boolean(place.text == "true");
    if (place.text == "inf") return context.floating(std::numeric_limits<double>::infinity());
    if (place.text == "nan") return context.floating(std::numeric_limits<double>::quiet_NaN());
  }
  const auto name = reader_.name_text(place);
  return name ? context.word(*name) : placeholder();
}

std::optional<Attribute> AttributeParser::parse_array() {
  const Nesting nesting(*this);
  if (!nesting.allowed()) return std::nullopt;
  reader_.advance();
  std::vector<Attribute> elements;
  if (!reader_.accept(']')) {
    auto list = parse_list(']');
    if (!list) return std::nullopt;
    elements = std::move(*list);
  }
  return reader_.context().array(elements);
}

std::optional<std::vector<Attribute>> AttributeParser::parse_list(char close) {
  std::vector<Attribute> list;
  do {
    const auto element = parse_attribute();
    if (!element) return std::nullopt;
    list.push_back(*element);
  } while (reader_.accept(','));
  if (reader_.accept(close)) return list;
  reader_.expected("',' or '" + std::string(1, close) + "'");
  return std::nullopt;
}

std::optional<std::vector<NamedAttribute>> AttributeParser::parse_dictionary() {
  if (!reader_.expect('{', "before attributes")) return std::nullopt;
  reader_.open_dictionary();
  struct Entry {
    NamedAttribute attribute;
    Token place;
  };
  std::vector<Entry> entries;
  while (!reader_.at('}')) {
    if (!entries.empty() && !reader_.accept(',')) {
      reader_.expected("',' or '}'");
      return std::nullopt;
    }
    const Token place = reader_.token();
    if (place.kind != TokenKind::word && place.kind != TokenKind::string) {
      reader_.expected("an attribute's name");
      return std::nullopt;
    }
    const auto name = reader_.name_text(place);
    if (name && name->empty()) reader_.report(place, "attribute's name is empty");
    reader_.advance();
    if (!reader_.expect('=', "behind an attribute's name")) return std::nullopt;
    const auto value = parse_attribute();
    if (!value) return std::nullopt;
    entries.push_back({{name.value_or(std::string_view()), *value}, place});
  }
  reader_.advance();
  reader_.close_dictionary();
  std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return a.attribute.name < b.attribute.name;
  });
  std::vector<NamedAttribute> list;
  list.reserve(entries.size());
  for (const Entry& entry : entries) {
    if (!list.empty() && list.back().name == entry.attribute.name)
      reader_.report(entry.place,
                     "attribute " + quote_for_message(entry.place.text) + " is given twice");
    else
      list.push_back(entry.attribute);
  }
  return list;
}

std::optional<std::uint32_t> AttributeParser::parse_position() {
  const std::string_view text = reader_.token().text;
  if (!reader_.at(TokenKind::integer)) {
    reader_.expected("a line or column number");
    return std::nullopt;
  }
  std::uint32_t value = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), value).ec != std::errc())
    reader_.report(reader_.token(),
                   "line or column " + quote_for_message(text) +
                       " is out of range (the limits are 0 and 4294967295)");
  reader_.advance();
  return value;
}

std::optional<Location> AttributeParser::parse_location() {
  reader_.advance();
  if (!reader_.expect('(', "behind 'loc'")) return std::nullopt;
  if (reader_.accept(')')) return Location();
  std::vector<FilePosition> positions;
  do {
    if (!reader_.at(TokenKind::string)) {
      reader_.expected("a file name in quotes");
      return std::nullopt;
    }
    const auto file = reader_.string_text(reader_.token());
    reader_.advance();
    if (!reader_.expect(':', "behind the file name")) return std::nullopt;
    const auto line = parse_position();
    if (!line || !reader_.expect(':', "behind the line")) return std::nullopt;
    const auto column = parse_position();
    if (!column) return std::nullopt;
    positions.push_back({reader_.context().intern(file.value_or("")), *line, *column});
  } while (reader_.accept(','));
  if (!reader_.expect(')', "behind the location")) return std::nullopt;
  return reader_.context().location(positions);
}

}  // namespace accy::choir
