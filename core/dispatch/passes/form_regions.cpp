#include "dispatch/passes/form_regions.hpp"

#include <set>
#include <unordered_map>

#include "choir/builder.hpp"
#include "choir/value_table.hpp"
#include "contract/passes/shape_layout.hpp"
#include "dialect/tensor/placement.hpp"
#include "dispatch/region.hpp"
#include "semantic/job.hpp"

namespace accy::dispatch {

using choir::Builder;
using choir::Operation;
using choir::Value;

namespace {

/// Writes one work item: copies operations into its body and finds its operands.
class ItemWriter {
 public:
  ItemWriter(Builder& builder, const std::unordered_map<const Value*, Value*>& placed)
      : builder_(builder), placed_(placed) {}

  /// An item that computes `root`, an operation of the tensor function or a moved value.
  Operation* write(const Value& root, std::string_view kind) {
    builder_.set_location(root.defining_operation() != nullptr
                              ? root.defining_operation()->location()
                              : choir::Location());
    item_ = builder_.create("host.item", {}, {root.type()},
                            {{"kind", builder_.context().word(kind)}});
    Builder body(item_->body());
    body_ = &body;
    Value* result = copy(root);
    body.set_location(builder_.location());
    body.create("host.yield", {result}, {});
    item_->set_operands(operands_);
    return item_;
  }

 private:
  Value* copy(const Value& value) {
    if (const auto found = copied_.find(&value); found != copied_.end()) return found->second;
    const Operation* operation = value.defining_operation();
    const auto placed = placed_.find(&value);
    // What another item computes, and what the host function holds, comes in as an argument.
    Value* result = nullptr;
    if (placed != placed_.end()) {
      result = item_->body().add_argument(value.type());
      result->set_name(value.name());
      operands_.push_back(placed->second);
    } else {
      choir::ValueMap map;
      for (std::size_t index = 0; index < operation->operand_count(); ++index)
        map[operation->operand(index)] = copy(*operation->operand(index));
      result = body_->block().push_back(operation->clone(builder_.context(), map))->result();
    }
    copied_[&value] = result;
    return result;
  }

  Builder& builder_;
  const std::unordered_map<const Value*, Value*>& placed_;
  Operation* item_ = nullptr;
  Builder* body_ = nullptr;
  std::vector<Value*> operands_;
  std::unordered_map<const Value*, Value*> copied_;
};

/// Rewrites one tensor.func into a host.func.
class Former {
 public:
  Former(Operation& function, const contract::LayoutMap& layouts, choir::Block& parent,
         choir::DecisionLog& log)
      : source_(function), layouts_(layouts), log_(log), module_builder_(parent) {}

  void run() {
    choir::Context& context = source_.context();
    module_builder_.set_location(source_.location());
    Operation* function = module_builder_.create(
        "host.func", {}, {},
        {{"symbol", context.symbol(source_.symbol())},
         {"inputs", source_.attribute("inputs")},
         {"outputs", source_.attribute("outputs")}});
    const choir::Block& body = source_.body();
    for (std::size_t index = 0; index < body.argument_count(); ++index) {
      Value* argument = function->body().add_argument(body.argument(index)->type());
      argument->set_name(body.argument(index)->name());
      placed_[body.argument(index)] = argument;
      fixed_.insert(argument);
    }
    Builder builder(function->body());
    for (const Operation* operation : body.operations()) place(*operation, builder);
  }

 private:
  void place(const Operation& operation, Builder& builder) {
    builder.set_location(operation.location());
    if (operation.name() == "tensor.return") return place_return(operation, builder);
    if (tensor::is_movement(operation))
      return record(operation, "copied into the items that read through it",
                    "it moves elements and computes none");
    if (is_immediate(operation))
      return record(operation, "an immediate of the items that read it",
                    "a kernel has its elements without reading");
    if (is_source(operation)) {
      record(operation, "a constant of the host function", "its elements are read from memory");
      choir::ValueMap map;
      Value* value = builder.block().push_back(operation.clone(builder.context(), map))->result();
      placed_[operation.result()] = value;
      fixed_.insert(value);
      return;
    }
    Operation* item = ItemWriter(builder, placed_).write(*operation.result(), "elementwise");
    name_and_place(*item, *operation.result());
    const auto form = classify(item->body());
    ACCY_ASSERT(form.has_value(),
                "an operation alone forms no region: " + std::string(operation.name()));
    item->set_attribute("kind", builder.context().word(host::to_string(form->kind)));
    if (log_.on())
      record(operation, "an item of kind " + std::string(host::to_string(form->kind)),
             "the form of its body has a kernel generator");
  }

  void record(const Operation& operation, std::string choice, std::string_view reason) {
    if (!log_.on()) return;
    log_.record({.kind = "region",
                 .subject = choir::subject_of(operation),
                 .choice = std::move(choice),
                 .reason = std::string(reason),
                 .places = choir::places_of(operation.location())});
  }

  void record_output(const Value& value, std::string_view choice, std::string_view reason) {
    const Operation* defining = value.defining_operation();
    if (!log_.on()) return;
    log_.record({.kind = "output",
                 .subject = "%" + std::string(value.name()),
                 .choice = std::string(choice),
                 .reason = std::string(reason),
                 .places = defining == nullptr ? std::vector<SourceLocation>()
                                               : choir::places_of(defining->location())});
  }

  void name_and_place(Operation& item, const Value& value) {
    item.result()->set_name(value.name());
    placed_[&value] = item.result();
  }

  /// The placed value of which `value` is a view, or null when elements move.
  Value* viewed(const Value& value) const {
    const auto layout = layouts_.find(&value);
    if (layout == layouts_.end() || !layout->second.contiguous) return nullptr;
    const auto base = placed_.find(layout->second.base);
    return base == placed_.end() ? nullptr : base->second;
  }

  void place_return(const Operation& operation, Builder& builder) {
    std::vector<Value*> results;
    for (std::size_t index = 0; index < operation.operand_count(); ++index)
      results.push_back(place_output(*operation.operand(index), builder));
    builder.set_location(operation.location());
    builder.create("host.return", results, {});
  }

  Value* place_output(const Value& value, Builder& builder) {
    Value* base = viewed(value);
    const bool own = base != nullptr && !fixed_.contains(base) && returned_.insert(base).second;
    if (!own) {
      record_output(value, "an item of kind copy",
                    base == nullptr ? "its elements move on the way out"
                                    : "the memory it would share is an input's, a constant's or "
                                      "another output's");
      return ItemWriter(builder, placed_).write(value, "copy")->result();
    }
    if (base->type() == value.type()) return base;
    record_output(value, "a view of " + choir::subject_of(*base->defining_operation()),
                  "the same elements in the same order under another shape");
    Value* view = builder.create("host.view", {base}, {value.type()})->result();
    view->set_name(value.name());
    return view;
  }

  const Operation& source_;
  const contract::LayoutMap& layouts_;
  choir::DecisionLog& log_;
  Builder module_builder_;
  std::unordered_map<const Value*, Value*> placed_;
  std::set<const Value*> fixed_;     // inputs and constants; membership only
  std::set<const Value*> returned_;  // results that are outputs already; membership only
};

Result<choir::PassChange> run(choir::PassContext& context) {
  Operation* function = semantic::find_function(context.module);
  if (function == nullptr) return fail(ErrorCode::invalid_input, "module has no tensor.func");
  const auto& layouts =
      context.analyses.get<contract::LayoutMap>(contract::shape_layout_analysis(), context.module);
  Former(*function, layouts, context.module.body(), context.decisions).run();
  function->erase();
  return choir::PassChange::changed;
}

}  // namespace

choir::Pass form_regions_pass() {
  return {.name = "accy-choir-form-regions",
          .description = "Turn the tensor function into a host function, one item an operation",
          .options = {},
          .run = run,
          .preserved = {}};
}

}  // namespace accy::dispatch
