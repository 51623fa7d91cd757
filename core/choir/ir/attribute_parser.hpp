// AttributeParser: attributes, types, dictionaries and locations of the text form.
#pragma once

#include <optional>
#include <unordered_set>
#include <vector>

#include "choir/ir/text_reader.hpp"

namespace accy::choir {

/// std::nullopt is a reported syntax error that ends the statement. After a reported error of
/// meaning reading goes on with a null Type or some attribute.
class AttributeParser {
 public:
  explicit AttributeParser(TextReader& reader) : reader_(reader) {}

  std::optional<Type> parse_type();
  std::optional<Attribute> parse_attribute();
  /// `{key = attribute, ...}`: sorted by key, each key once.
  std::optional<std::vector<NamedAttribute>> parse_dictionary();
  /// `loc("file":1:2, ...)` or `loc()`, which is no location.
  std::optional<Location> parse_location();

 private:
  class Nesting;
  Attribute placeholder();
  std::optional<Attribute> parse_integer();
  std::optional<Attribute> parse_floating();
  std::optional<Attribute> parse_data();
  std::optional<Attribute> parse_word();
  std::optional<Attribute> parse_array();
  std::optional<std::vector<Attribute>> parse_list(char close);
  std::optional<std::uint32_t> parse_position();
  Type check_type(const Token& place, Type type);

  TextReader& reader_;
  std::size_t depth_ = 0;
  std::unordered_set<const TypeStorage*> checked_;
};

}  // namespace accy::choir
