// Parser: the header, operations and regions of the text form.
#pragma once

#include <optional>
#include <unordered_set>
#include <vector>

#include "choir/ir/attribute_parser.hpp"
#include "choir/ir/text_reader.hpp"
#include "choir/ir/value_scopes.hpp"
#include "choir/module.hpp"

namespace accy::choir {

/// Stands for an operation that the registry does not know, so that reading can go on.
inline constexpr std::string_view unknown_operation_name = "choir.unknown";

/// A name in front of '=' or of a block argument's type.
struct DefinedName {
  std::string_view key;   ///< its canonical spelling: what identifies it
  std::string_view name;  ///< for Value::set_name; empty for bare digits
  Token place;
  ValueScopes::Entry* entry = nullptr;  ///< null when another value has the name
};

/// What stands in front of the regions of one operation.
struct Statement {
  Token start;
  std::vector<DefinedName> results;
  Token place;  ///< of the operation's name
  std::string_view name;
  const OperationDefinition* definition = nullptr;
  std::vector<Value*> operands;
  std::vector<NamedAttribute> attributes;
  std::vector<Type> types;
  bool has_types = false;
  std::size_t errors = 0;  ///< before this statement
};

class Parser {
 public:
  /// All must outlive the parser; the text is valid UTF-8 of less than 4 GiB.
  Parser(std::string_view text, std::string_view file, Context& context, Diagnostics& diagnostics)
      : reader_(text, file, context, diagnostics), attributes_(reader_), context_(context) {}

  /// Reads the text in front of the operations; false when it is no choir text.
  bool parse_header(Operation& top);
  /// Reads the operations up to the end of the text into the block.
  void parse_body(Block& block) { parse_operations(block, false); }
  /// Operations that errors were reported of, or inside of; the verifier leaves them out.
  std::unordered_set<const Operation*> take_faulty() { return std::move(faulty_); }

 private:
  bool parse_operations(Block& block, bool nested);
  bool parse_statement(Block& block);
  bool parse_results(Statement& statement);
  bool parse_front(Statement& statement);
  void parse_definition(Statement& statement);
  bool parse_operands(Statement& statement);
  bool parse_types(Statement& statement);
  bool parse_regions(Operation& operation, const Statement& statement);
  bool parse_region(Operation& operation);
  bool parse_arguments(Block& block);
  std::optional<DefinedName> parse_defined_name();
  std::optional<std::string_view> key_of(const Token& place);
  void declare(DefinedName& name);
  void define(const DefinedName& name, Value* value);
  Value* resolve(const Token& place, std::string_view op);
  std::vector<Type> result_types(const Operation& operation, const Statement& statement);
  void check_result_count(const Statement& statement, std::size_t given, std::string_view what);
  bool is_faulty(const Statement& statement) const;

  TextReader reader_;
  AttributeParser attributes_;
  Context& context_;
  ValueScopes scopes_;
  std::size_t depth_ = 0;
  std::vector<const Operation*> open_;  ///< operations whose regions are being read
  std::unordered_set<const Operation*> faulty_;
};

/// Verifies all but the operations that are known to be faulty.
void verify(const Module& module, Diagnostics& diagnostics,
            const std::unordered_set<const Operation*>& faulty);

}  // namespace accy::choir
