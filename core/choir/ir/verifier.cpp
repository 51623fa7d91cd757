#include <algorithm>
#include <string>
#include <unordered_set>

#include "choir/ir/parser.hpp"
#include "choir/ir/value_checks.hpp"
#include "choir/text.hpp"
#include "choir/value_table.hpp"
#include "support/checked.hpp"

namespace accy::choir {

namespace {

/// Visits every operation once; tables make each check constant, so that all is linear.
class Verifier {
 public:
  /// Operations in `faulty` have errors already: only what is in their regions is checked.
  Verifier(Diagnostics& diagnostics, const std::unordered_set<const Operation*>& faulty)
      : diagnostics_(diagnostics), faulty_(faulty) {}

  void check_operation(const Operation& operation);
  void check_uses();

 private:
  void report(const Operation& operation, std::string message);
  void check_count(const Operation& operation, std::string_view what, int expected,
                   std::size_t found);
  void check_operands(const Operation& operation);
  void check_types(const Operation& operation);
  void check_attributes(const Operation& operation);
  void check_inference(const Operation& operation);
  void check_regions(const Operation& operation);
  void check_block(const Operation& parent, std::size_t region);
  void check_symbol(const Operation& operation, std::unordered_set<std::string_view>& symbols);
  void define(const Value& value);

  Diagnostics& diagnostics_;
  const std::unordered_set<const Operation*>& faulty_;
  std::size_t faults_ = 0;
  std::size_t depth_ = 0;
  ValueChecks checks_;
  struct ValueState {
    /// The isolated region that sees it; 0: none does.
    std::uint32_t isolation = 0;
    /// Operand slots that hold it, to compare with its use list.
    std::uint32_t references = 0;
  };
  ValueTable<ValueState> states_;
  std::uint32_t isolation_ = 1;
  std::uint32_t isolations_ = 1;
  std::vector<const Value*> order_;  // of what is visible
  std::vector<const Value*> values_;
};

void Verifier::report(const Operation& operation, std::string message) {
  ++faults_;
  diagnostics_.report(operation, std::move(message));
}

void Verifier::define(const Value& value) {
  states_[&value].isolation = isolation_;
  order_.push_back(&value);
  values_.push_back(&value);
}

void Verifier::check_count(const Operation& operation, std::string_view what, int expected,
                           std::size_t found) {
  if (expected < 0 || static_cast<std::size_t>(expected) == found) return;
  report(operation, "has " + std::to_string(found) + " " + std::string(what) +
                        (found == 1 ? "" : "s") + ", its definition says " +
                        std::to_string(expected));
}

void Verifier::check_operands(const Operation& operation) {
  for (std::size_t index = 0; index < operation.operand_count(); ++index) {
    const Value* value = operation.operand(index);
    if (value == nullptr) {
      report(operation, "operand " + std::to_string(index) + " is missing");
      continue;
    }
    ValueState& state = states_[value];
    ++state.references;
    if (state.isolation != isolation_)
      report(operation,
             "operand " + std::to_string(index) +
                 (value->name().empty() ? "" : " (%" + std::string(value->name()) + ")") +
                 " is not defined before its use, or is outside an isolated operation");
  }
}

void Verifier::check_types(const Operation& operation) {
  for (std::size_t index = 0; index < operation.result_count(); ++index) {
    const std::string fault =
        checks_.fault_of(operation.context(), operation.result(index)->type());
    if (!fault.empty()) report(operation, "result " + std::to_string(index) + ": " + fault);
  }
  for (std::size_t region = 0; region < operation.region_count(); ++region) {
    const Block& block = operation.body(region);
    for (std::size_t index = 0; index < block.argument_count(); ++index) {
      const std::string fault =
          checks_.fault_of(operation.context(), block.argument(index)->type());
      if (!fault.empty())
        report(operation, "argument " + std::to_string(index) + " of region " +
                              std::to_string(region) + ": " + fault);
    }
  }
}

void Verifier::check_attributes(const Operation& operation) {
  for (const NamedAttribute& attribute : operation.attributes()) {
    const std::string fault = checks_.fault_of(operation.context(), attribute);
    if (!fault.empty()) report(operation, fault);
  }
}

void Verifier::check_inference(const Operation& operation) {
  if (operation.definition().infer == nullptr) return;
  const auto types = operation.definition().infer(operation);
  if (!types) {
    report(operation, types.error().message);
    return;
  }
  if (types->size() != operation.result_count()) {
    report(operation, "has " + std::to_string(operation.result_count()) +
                          " results, inference says " + std::to_string(types->size()));
    return;
  }
  for (std::size_t index = 0; index < types->size(); ++index)
    if (operation.result(index)->type() != (*types)[index])
      report(operation, "type of result " + std::to_string(index) + " is " +
                            print(operation.result(index)->type()) + ", inference says " +
                            print((*types)[index]));
}

void Verifier::check_operation(const Operation& operation) {
  if (faulty_.contains(&operation)) {
    for (const Value* operand : operation.operands())
      if (operand != nullptr) ++states_[operand].references;
    return check_regions(operation);
  }
  const std::size_t faults = faults_;
  const OperationDefinition& definition = operation.definition();
  check_count(operation, "operand", definition.operand_count, operation.operand_count());
  check_count(operation, "result", definition.result_count, operation.result_count());
  check_count(operation, "region", definition.region_count, operation.region_count());
  check_operands(operation);
  check_types(operation);
  check_attributes(operation);
  // The hooks of an operation may rely on all that was checked before, also inside its regions.
  if (faults == faults_) check_inference(operation);
  check_regions(operation);
  if (faults != faults_ || definition.verify == nullptr) return;
  Diagnostics found;
  definition.verify(operation, found);
  for (const Diagnostic& diagnostic : found.list()) {
    ++faults_;
    diagnostics_.report(diagnostic.where, diagnostic.op, diagnostic.message, diagnostic.line);
  }
}

void Verifier::check_regions(const Operation& operation) {
  if (operation.region_count() == 0) return;
  if (depth_ > limits::nesting) {
    report(operation, "regions nest too deep (the limit is " + std::to_string(limits::nesting) +
                          " levels)");
    return;
  }
  ++depth_;
  const std::uint32_t outer = isolation_;
  if (operation.has(Trait::isolated)) isolation_ = ++isolations_;
  for (std::size_t region = 0; region < operation.region_count(); ++region)
    check_block(operation, region);
  isolation_ = outer;
  --depth_;
}

void Verifier::check_block(const Operation& parent, std::size_t region) {
  const Block& block = parent.body(region);
  const std::size_t before = order_.size();
  std::unordered_set<std::string_view> symbols;
  for (std::size_t index = 0; index < block.argument_count(); ++index)
    define(*block.argument(index));
  for (const Operation* operation = block.front(); operation != nullptr;
       operation = operation->next()) {
    if (operation->block() != &block || operation->parent() != &parent)
      report(*operation, "is not linked to the block that holds it");
    if (operation->has(Trait::terminator) && operation->next() != nullptr)
      report(*operation, "ends a block, but is not its last operation");
    check_symbol(*operation, symbols);
    check_operation(*operation);
    for (std::size_t index = 0; index < operation->result_count(); ++index)
      define(*operation->result(index));
  }
  for (; order_.size() > before; order_.pop_back()) states_[order_.back()].isolation = 0;
}

void Verifier::check_symbol(const Operation& operation,
                            std::unordered_set<std::string_view>& symbols) {
  if (!operation.has(Trait::symbol)) return;
  const std::string_view symbol = operation.symbol();
  if (symbol.empty())
    report(operation, "has no symbol");
  else if (!symbols.insert(symbol).second)
    report(operation, "symbol @" + std::string(symbol) + " is defined twice");
}

void Verifier::check_uses() {
  for (const Value* value : values_) {
    const Operation* near = value->defining_operation() != nullptr
                                ? value->defining_operation()
                                : value->owner_block()->parent();
    const std::size_t expected = states_[value].references;
    std::size_t listed = 0;
    bool linked = true;
    // A broken list may be a ring: one more than expected is enough to know.
    for (const Use* use = value->first_use(); use != nullptr && listed <= expected;
         use = use->next()) {
      ++listed;
      linked = linked && use->value() == value && use->owner() != nullptr &&
               use->index() < use->owner()->operand_count() &&
               use->owner()->operand(use->index()) == value;
    }
    if (linked && listed == expected) continue;
    report(*near, "a value has " + std::to_string(expected) + " uses in the module, its list has " +
                      (listed > expected ? "more" : std::to_string(listed)) +
                      (linked ? "" : " and links to others"));
  }
}

}  // namespace

void verify(const Module& module, Diagnostics& diagnostics) { verify(module, diagnostics, {}); }

void verify(const Module& module, Diagnostics& diagnostics,
            const std::unordered_set<const Operation*>& faulty) {
  if (!module.operation().attribute("stage").is(AttributeKind::word))
    diagnostics.report(module.operation(), "attribute 'stage' is no word");
  Verifier verifier(diagnostics, faulty);
  verifier.check_operation(module.operation());
  verifier.check_uses();
}

Status verify(const Module& module) {
  Diagnostics diagnostics;
  verify(module, diagnostics);
  if (diagnostics.empty()) return {};
  return fail(diagnostics.to_error());
}

}  // namespace accy::choir
