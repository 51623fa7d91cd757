#include <charconv>
#include <deque>
#include <memory_resource>
#include <unordered_map>
#include <unordered_set>

#include "choir/ir/name_hash.hpp"
#include "choir/ir/spelling.hpp"
#include "choir/text.hpp"
#include "choir/value_table.hpp"

namespace accy::choir {

namespace {

template <class Number>
void append_number(std::string& out, Number number) {
  char digits[24];
  const auto written = std::to_chars(std::begin(digits), std::end(digits), number);
  out.append(std::begin(digits), written.ptr);
}

void append_attribute(std::string& out, Attribute attribute);

void append_type(std::string& out, Type type) {
  if (!type) {
    out += "<null>";
    return;
  }
  append_word(out, type.name());
  if (type.parameters().empty()) return;
  out += '<';
  for (bool first = true; Attribute parameter : type.parameters()) {
    if (!first) out += ", ";
    first = false;
    append_attribute(out, parameter);
  }
  out += '>';
}

void append_array(std::string& out, std::span<const Attribute> elements) {
  out += '[';
  for (bool first = true; Attribute element : elements) {
    if (!first) out += ", ";
    first = false;
    append_attribute(out, element);
  }
  out += ']';
}

void append_entry(std::string& out, const NamedAttribute& entry) {
  append_key(out, entry.name);
  out += " = ";
  append_attribute(out, entry.value);
}

void append_dictionary(std::string& out, std::span<const NamedAttribute> entries) {
  out += '{';
  for (bool first = true; const NamedAttribute& entry : entries) {
    if (!first) out += ", ";
    first = false;
    append_entry(out, entry);
  }
  out += '}';
}

void append_data(std::string& out, std::span<const std::byte> bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  out += "x\"";
  for (std::byte byte : bytes) {
    out += digits[std::to_integer<unsigned>(byte) >> 4];
    out += digits[std::to_integer<unsigned>(byte) & 0xfU];
  }
  out += '"';
}

void append_attribute(std::string& out, Attribute attribute) {
  if (!attribute) {
    out += "<null>";
    return;
  }
  switch (attribute.kind()) {
    case AttributeKind::boolean: out += attribute.boolean() ? "true" : "false"; return;
    case AttributeKind::integer: append_number(out, attribute.integer()); return;
    case AttributeKind::floating: append_float(out, attribute.floating()); return;
    case AttributeKind::string: append_quoted(out, attribute.text()); return;
    case AttributeKind::word: append_word(out, attribute.text()); return;
    case AttributeKind::symbol:
      out += '@';
      append_symbol(out, attribute.text());
      return;
    case AttributeKind::type:
      out += '!';
      append_type(out, attribute.type());
      return;
    case AttributeKind::array: append_array(out, attribute.array()); return;
    case AttributeKind::dictionary: append_dictionary(out, attribute.dictionary()); return;
    case AttributeKind::data: append_data(out, attribute.data()); return;
  }
}

void append_location(std::string& out, Location location) {
  out += " loc(";
  for (bool first = true; const FilePosition& position : location.positions()) {
    if (!first) out += ", ";
    first = false;
    append_quoted(out, position.file);
    out += ':';
    append_number(out, position.line);
    out += ':';
    append_number(out, position.column);
  }
  out += ')';
}

/// Gives each value a spelling that no other value seen from its place has.
class ValueNames {
 public:
  explicit ValueNames(bool keep_names) : keep_names_(keep_names) {
    isolations_.emplace_back(memory_);
  }

  /// Writes the spelling behind '%'; it is chosen when the value is first asked for.
  void append(std::string& out, const Value& value);
  void enter(bool isolated);
  void leave();

 private:
  /// A text, or without one a number.
  struct Spelling {
    std::string_view text;
    std::uint64_t number = 0;
  };
  struct Isolation {
    explicit Isolation(std::pmr::memory_resource& memory) : used(&memory) {}
    // Numbers cannot be mistaken for names.
    std::pmr::unordered_set<std::string_view, NameHash> used;
    std::unordered_map<std::string_view, std::uint64_t> suffixes;
    std::vector<const Value*> order;
    std::uint64_t next_number = 0;
  };
  struct Region {
    bool isolated = false;
    std::size_t visible = 0;
  };
  Spelling choose(std::string_view name);
  /// The text, kept: the name itself where it is spelled as it is.
  std::string_view spell(std::string_view name);

  bool keep_names_;
  ValueTable<Spelling> spellings_;
  std::deque<std::string> made_;                // spellings that are no name of a value
  std::pmr::monotonic_buffer_resource memory_;  // of all names in use
  std::deque<Isolation> isolations_;
  std::vector<Region> regions_;
};

void ValueNames::append(std::string& out, const Value& value) {
  const Spelling* spelling = spellings_.find(&value);
  if (spelling == nullptr) {
    spelling = &(spellings_[&value] = choose(value.name()));
    isolations_.back().order.push_back(&value);
  }
  if (spelling->text.empty())
    append_number(out, spelling->number);
  else
    out += spelling->text;
}

std::string_view ValueNames::spell(std::string_view name) {
  if (is_bare_name(name) && !is_all_digits(name)) return name;
  append_value_name(made_.emplace_back(), name);
  return made_.back();
}

ValueNames::Spelling ValueNames::choose(std::string_view name) {
  Isolation& isolation = isolations_.back();
  if (keep_names_ && is_usable_name(name)) {
    const std::string_view spelling = spell(name);
    if (isolation.used.insert(spelling).second) return {spelling};
    constexpr std::size_t suffix_bytes = 21;
    if (name.size() + suffix_bytes <= maximum_name_bytes) {
      std::uint64_t& suffix = isolation.suffixes[name];
      while (true) {
        std::string& longer = made_.emplace_back();
        append_value_name(longer, std::string(name) + "_" + std::to_string(++suffix));
        if (isolation.used.insert(longer).second) return {longer};
        made_.pop_back();
      }
    }
  }
  // Names of digits alone are quoted, so that no name is spelled like a number.
  return {{}, isolation.next_number++};
}

void ValueNames::enter(bool isolated) {
  if (isolated) isolations_.emplace_back(memory_);
  regions_.push_back({isolated, isolations_.back().order.size()});
}

void ValueNames::leave() {
  const Region region = regions_.back();
  regions_.pop_back();
  Isolation& isolation = isolations_.back();
  for (; isolation.order.size() > region.visible; isolation.order.pop_back()) {
    const Value* value = isolation.order.back();
    if (const Spelling* spelling = spellings_.find(value); !region.isolated && spelling != nullptr)
      isolation.used.erase(spelling->text);
    spellings_.erase(value);
  }
  if (region.isolated) isolations_.pop_back();
}

class Printer {
 public:
  explicit Printer(PrintOptions options) : options_(options), names_(options.names) {}

  void print_module(const Module& module);
  void print_operation(const Operation& operation);
  std::string take() { return std::move(out_); }

 private:
  void print_results(const Operation& operation);
  void print_operands(const Operation& operation);
  void print_attributes(std::span<const NamedAttribute> attributes, std::string_view left_out);
  void print_region(const Operation& operation, std::size_t index);
  void print_block(const Block& block);
  void print_value(const Value* value);
  void print_type(Type type);

  PrintOptions options_;
  ValueNames names_;
  std::unordered_map<const TypeStorage*, std::string> types_;  // modules have few, used often
  std::string out_;
  std::size_t indentation_ = 0;
};

void Printer::print_module(const Module& module) {
  out_ += "choir ";
  append_word(out_, module.stage());
  out_ += " v1";
  print_attributes(module.operation().attributes(), "stage");
  if (options_.locations && !module.operation().location().positions().empty())
    append_location(out_, module.operation().location());
  out_ += '\n';
  print_block(module.body());
}

void Printer::print_block(const Block& block) {
  for (const Operation* operation = block.front(); operation != nullptr;
       operation = operation->next()) {
    out_.append(2 * indentation_, ' ');
    print_operation(*operation);
    out_ += '\n';
  }
}

void Printer::print_operation(const Operation& operation) {
  print_results(operation);
  out_ += operation.name();
  const Attribute symbol = operation.attribute("symbol");
  const bool is_symbol = symbol.is(AttributeKind::symbol);
  if (is_symbol) {
    out_ += " @";
    append_symbol(out_, symbol.text());
  }
  print_operands(operation);
  print_attributes(operation.attributes(), is_symbol ? "symbol" : "");
  for (std::size_t index = 0; index < operation.result_count(); ++index) {
    out_ += index == 0 ? " : " : ", ";
    print_type(operation.result(index)->type());
  }
  for (std::size_t index = 0; index < operation.region_count(); ++index)
    print_region(operation, index);
  if (options_.locations) append_location(out_, operation.location());
}

void Printer::print_results(const Operation& operation) {
  for (std::size_t index = 0; index < operation.result_count(); ++index) {
    if (index > 0) out_ += ", ";
    print_value(operation.result(index));
  }
  if (operation.result_count() > 0) out_ += " = ";
}

void Printer::print_operands(const Operation& operation) {
  for (std::size_t index = 0; index < operation.operand_count(); ++index) {
    out_ += index == 0 ? " " : ", ";
    print_value(operation.operand(index));
  }
}

void Printer::print_value(const Value* value) {
  out_ += '%';
  if (value == nullptr)
    out_ += "<null>";
  else
    names_.append(out_, *value);
}

void Printer::print_type(Type type) {
  const auto [place, added] = types_.try_emplace(type.storage());
  if (added) append_type(place->second, type);
  out_ += place->second;
}

void Printer::print_attributes(std::span<const NamedAttribute> attributes,
                               std::string_view left_out) {
  bool first = true;
  for (const NamedAttribute& attribute : attributes) {
    if (!left_out.empty() && attribute.name == left_out) continue;
    out_ += first ? " {" : ", ";
    first = false;
    append_entry(out_, attribute);
  }
  if (!first) out_ += '}';
}

void Printer::print_region(const Operation& operation, std::size_t index) {
  const Block& block = operation.body(index);
  names_.enter(operation.has(Trait::isolated));
  out_ += " (";
  for (std::size_t argument = 0; argument < block.argument_count(); ++argument) {
    if (argument > 0) out_ += ", ";
    print_value(block.argument(argument));
    out_ += ": ";
    print_type(block.argument(argument)->type());
  }
  out_ += ") {";
  if (!block.empty()) {
    out_ += '\n';
    ++indentation_;
    print_block(block);
    --indentation_;
    out_.append(2 * indentation_, ' ');
  }
  out_ += '}';
  names_.leave();
}

}  // namespace

std::string print(const Module& module, PrintOptions options) {
  Printer printer(options);
  printer.print_module(module);
  return printer.take();
}

std::string print(const Operation& operation, PrintOptions options) {
  Printer printer(options);
  printer.print_operation(operation);
  return printer.take();
}

std::string print(Type type) {
  std::string out;
  append_type(out, type);
  return out;
}

std::string print(Attribute attribute) {
  std::string out;
  append_attribute(out, attribute);
  return out;
}

}  // namespace accy::choir
