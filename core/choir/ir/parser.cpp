#include "choir/ir/parser.hpp"

#include <algorithm>

#include "choir/ir/spelling.hpp"
#include "choir/ir/suggestion.hpp"
#include "support/checked.hpp"

namespace accy::choir {

namespace {

const OperationDefinition& unknown_definition() {
  static constexpr OperationDefinition definition{
      .name = unknown_operation_name, .summary = "faulty operation", .region_count = -1};
  return definition;
}

std::string count_text(std::size_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

}  // namespace

bool Parser::parse_header(Operation& top) {
  reader_.set_default_place(reader_.token());
  if (!reader_.at_word("choir")) return reader_.expected("'choir STAGE v1' at the start");
  reader_.advance();
  if (!reader_.at(TokenKind::word) && !reader_.at(TokenKind::quoted_word))
    return reader_.expected("the name of a stage");
  const auto stage = reader_.name_text(reader_.token());
  if (!stage) return false;
  reader_.advance();
  if (!reader_.at_word("v1")) return reader_.expected("the text version 'v1'");
  reader_.advance();
  top.set_attribute("stage", context_.word(*stage));
  open_.push_back(&top);
  if (reader_.at('{')) {
    const Token place = reader_.token();
    const auto attributes = attributes_.parse_dictionary();
    if (!attributes) {
      reader_.skip_statement();
      return true;
    }
    for (const NamedAttribute& attribute : *attributes) {
      if (attribute.name == "stage")
        reader_.report(place, "attribute 'stage' is the word behind 'choir', not an entry here");
      else
        top.set_attribute(attribute.name, attribute.value);
    }
  }
  if (reader_.at_word("loc")) {
    const auto location = attributes_.parse_location();
    if (location)
      top.set_location(*location);
    else
      reader_.skip_statement();
  }
  return true;
}

bool Parser::parse_operations(Block& block, bool nested) {
  while (true) {
    if (reader_.at('}')) {
      if (nested) return true;
      reader_.report(reader_.token(), "'}' closes nothing");
      reader_.advance();
    } else if (reader_.at(TokenKind::end)) {
      return nested ? reader_.expected("'}' at the end of a region") : true;
    } else if (!parse_statement(block)) {
      reader_.skip_statement();
    }
  }
}

bool Parser::parse_statement(Block& block) {
  Statement statement;
  statement.start = reader_.token();
  statement.errors = reader_.errors();
  bool good = parse_results(statement) && parse_front(statement);
  if (good) {
    auto operation = Operation::create(
        context_, *statement.definition, statement.operands, statement.types, statement.attributes,
        context_.location(reader_.file(), statement.start.line, statement.start.column));
    good = parse_regions(*operation, statement);
    if (good && reader_.at_word("loc")) {
      const auto location = attributes_.parse_location();
      good = location.has_value();
      if (good) operation->set_location(*location);
    }
    if (good) {
      if (!statement.has_types) operation->set_results(result_types(*operation, statement));
      for (std::size_t index = 0; index < statement.results.size(); ++index)
        define(statement.results[index],
               index < operation->result_count() ? operation->result(index) : nullptr);
      if (is_faulty(statement)) faulty_.insert(operation.get());
      block.push_back(std::move(operation));
    }
  }
  if (!good) {
    for (const DefinedName& name : statement.results) define(name, nullptr);
    faulty_.insert(open_.begin(), open_.end());  // they lack this operation
  }
  return good;
}

bool Parser::parse_results(Statement& statement) {
  if (!reader_.at(TokenKind::value)) return true;
  do {
    auto name = parse_defined_name();
    if (!name) return false;
    // Declared before the operation is read: its own regions must not use the name otherwise.
    declare(*name);
    statement.results.push_back(*name);
  } while (reader_.accept(','));
  return reader_.expect('=', "behind the results");
}

bool Parser::parse_front(Statement& statement) {
  if (!reader_.at(TokenKind::word)) return reader_.expected("an operation as dialect.name");
  parse_definition(statement);
  reader_.advance();
  const Token symbol = reader_.token();
  std::optional<std::string_view> symbol_name;
  if (reader_.at(TokenKind::symbol)) {
    symbol_name = reader_.name_text(symbol);
    reader_.advance();
  }
  if (!parse_operands(statement)) return false;
  if (reader_.at('{')) {
    auto attributes = attributes_.parse_dictionary();
    if (!attributes) return false;
    statement.attributes = std::move(*attributes);
  }
  if (symbol_name) {
    const auto given =
        std::find_if(statement.attributes.begin(), statement.attributes.end(),
                     [](const NamedAttribute& entry) { return entry.name >= "symbol"; });
    if (given != statement.attributes.end() && given->name == "symbol")
      reader_.report(symbol, "attribute 'symbol' is given twice", statement.name);
    else
      statement.attributes.insert(given,
                                  {context_.intern("symbol"), context_.symbol(*symbol_name)});
  }
  return parse_types(statement);
}

void Parser::parse_definition(Statement& statement) {
  statement.place = reader_.token();
  statement.name = statement.place.text;
  statement.definition = context_.registry().operation(statement.name);
  if (statement.definition != nullptr) return;
  statement.definition = &unknown_definition();
  std::string message = "unknown operation " + quote_for_message(statement.name);
  if (reader_.keeps_messages()) message += suggest_operation(statement.name, context_.registry());
  reader_.report(statement.place, std::move(message));
}

bool Parser::parse_operands(Statement& statement) {
  if (!reader_.at(TokenKind::value) || reader_.at_result_list()) return true;
  do {
    if (!reader_.at(TokenKind::value)) return reader_.expected("an operand as %name");
    statement.operands.push_back(resolve(reader_.token(), statement.name));
    reader_.advance();
  } while (reader_.accept(','));
  // Said here, as the next statement would otherwise begin with the forgotten comma's operand.
  if (reader_.at(TokenKind::value) && !reader_.token().first_on_line && !reader_.at_result_list())
    return reader_.expected("',' between operands");
  return true;
}

bool Parser::parse_types(Statement& statement) {
  const Token place = reader_.token();
  if (!reader_.accept(':')) return true;
  statement.has_types = true;
  do {
    const auto type = attributes_.parse_type();
    if (!type) return false;
    statement.types.push_back(*type);
  } while (reader_.accept(','));
  const std::size_t named = statement.results.size();
  if (named != statement.types.size())
    reader_.report(place, count_text(statement.types.size(), "result type") + " but " +
                              count_text(named, "result name"), statement.name);
  else
    check_result_count(statement, statement.types.size(), "result type");
  return true;
}

void Parser::check_result_count(const Statement& statement, std::size_t given,
                                std::string_view what) {
  const int expected = statement.definition->result_count;
  if (expected < 0 || static_cast<std::size_t>(expected) == given) return;
  reader_.report(statement.place,
                 "has " + count_text(static_cast<std::size_t>(expected), "result") + ", found " +
                     count_text(given, what),
                 statement.name);
}

bool Parser::is_faulty(const Statement& statement) const {
  if (reader_.errors() != statement.errors || statement.definition == &unknown_definition())
    return true;
  return std::any_of(statement.operands.begin(), statement.operands.end(),
                     [](const Value* value) { return value == nullptr || !value->type(); });
}

std::vector<Type> Parser::result_types(const Operation& operation, const Statement& statement) {
  const std::size_t named = statement.results.size();
  std::vector<Type> unknown(named);
  if (is_faulty(statement)) return unknown;  // an error was reported; it must not cause others
  const OperationDefinition& definition = *statement.definition;
  if (definition.infer == nullptr) {
    check_result_count(statement, named, "result name");
    if (named > 0 && !is_faulty(statement))
      reader_.report(statement.place, "result types cannot be inferred; write them behind ':'",
                     statement.name);
    return unknown;
  }
  if (definition.operand_count >= 0 &&
      static_cast<std::size_t>(definition.operand_count) != statement.operands.size()) {
    reader_.report(statement.place,
                   "takes " + count_text(static_cast<std::size_t>(definition.operand_count),
                                         "operand") +
                       ", found " + std::to_string(statement.operands.size()),
                   statement.name);
    return unknown;
  }
  auto types = definition.infer(operation);
  if (!types) {
    reader_.report(statement.place, types.error().message, statement.name);
    return unknown;
  }
  if (types->size() == named) return std::move(*types);
  reader_.report(statement.place, "has " + count_text(types->size(), "result") + ", found " +
                                      count_text(named, "result name"),
                 statement.name);
  return unknown;
}

bool Parser::parse_regions(Operation& operation, const Statement& statement) {
  const Token place = reader_.token();
  while (reader_.at('('))
    if (!parse_region(operation)) return false;
  const int expected = statement.definition->region_count;
  if (expected >= 0 && operation.region_count() != static_cast<std::size_t>(expected))
    reader_.report(operation.region_count() == 0 ? statement.place : place,
                   "has " + count_text(static_cast<std::size_t>(expected), "region") + ", found " +
                       std::to_string(operation.region_count()),
                   statement.name);
  return true;
}

bool Parser::parse_region(Operation& operation) {
  Block& block = operation.add_region().block();
  scopes_.enter(operation.has(Trait::isolated));
  open_.push_back(&operation);
  ++depth_;
  bool good = parse_arguments(block);
  if (good && reader_.at('{') && depth_ > limits::nesting) {
    reader_.report(reader_.token(), "regions nest too deep (the limit is " +
                                        std::to_string(limits::nesting) + " levels)");
    good = false;
  }
  good = good && reader_.expect('{', "before a region's operations") &&
         parse_operations(block, true) && reader_.expect('}', "at the end of a region");
  --depth_;
  open_.pop_back();
  scopes_.leave();
  return good;
}

bool Parser::parse_arguments(Block& block) {
  if (!reader_.expect('(', "before a region's arguments")) return false;
  if (reader_.accept(')')) return true;
  do {
    if (!reader_.at(TokenKind::value)) return reader_.expected("a region's argument as %name");
    auto name = parse_defined_name();
    if (!name) return false;
    declare(*name);
    if (!reader_.expect(':', "behind an argument's name")) return false;
    const auto type = attributes_.parse_type();
    if (!type) return false;
    define(*name, block.add_argument(*type));
  } while (reader_.accept(','));
  return reader_.expect(')', "behind a region's arguments");
}

std::optional<DefinedName> Parser::parse_defined_name() {
  if (!reader_.at(TokenKind::value)) {
    reader_.expected("a value as %name");
    return std::nullopt;
  }
  DefinedName defined{{}, {}, reader_.token(), nullptr};
  const auto name = reader_.value_name(defined.place);
  reader_.advance();
  if (!name) return std::nullopt;
  if (name->empty()) {
    reader_.report(defined.place, "value name is empty");
    return std::nullopt;
  }
  const bool is_number = is_all_digits(*name) && defined.place.text.back() != '"';
  if (!is_number) defined.name = *name;
  defined.key = key_of(defined.place).value_or(std::string_view());
  return defined;
}

std::optional<std::string_view> Parser::key_of(const Token& place) {
  if (place.text.back() != '"') return place.text.substr(1);
  const auto name = reader_.name_text(place);
  if (!name) return std::nullopt;
  // %"a" is %a, but %"1" is a name and %1 is none: the canonical spelling tells them apart.
  std::string spelling;
  append_value_name(spelling, *name);
  return context_.intern(spelling);
}

void Parser::declare(DefinedName& name) {
  const auto [entry, added] = scopes_.declare(name.key, name.place.line);
  if (added)
    name.entry = entry;
  else
    reader_.report(name.place, "value " + quote_for_message(name.place.text) +
                                   " is defined already in line " + std::to_string(entry->line));
}

void Parser::define(const DefinedName& name, Value* value) {
  if (value != nullptr && !name.name.empty()) value->set_name(name.name);
  if (name.entry == nullptr) return;
  name.entry->value = value;
  name.entry->pending = false;
}

Value* Parser::resolve(const Token& place, std::string_view op) {
  const auto key = key_of(place);
  if (!key) return nullptr;
  const ValueScopes::Entry* entry = scopes_.find(*key);
  if (entry != nullptr && !entry->pending) return entry->value;
  const std::string name = quote_for_message(place.text);
  if (entry != nullptr)
    reader_.report(place, "value " + name + " is used in its own definition", op);
  else if (scopes_.is_outside(*key))
    reader_.report(place, "value " + name + " is outside the isolated operation around", op);
  else
    reader_.report(place, "value " + name + " is not defined here", op);
  return nullptr;
}

}  // namespace accy::choir
