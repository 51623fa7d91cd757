#include "kernel/passes/split_reductions.hpp"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "choir/builder.hpp"
#include "choir/value_table.hpp"
#include "dialect/host/host.hpp"
#include "dialect/tensor/numeric.hpp"
#include "dialect/tensor/type.hpp"
#include "dispatch/region.hpp"
#include "support/checked.hpp"

namespace accy::kernel {

using choir::Builder;
using choir::Operation;
using choir::Value;
using host::BlockType;
using tensor::TensorType;

namespace {

std::vector<std::int64_t> shape_of(const Value& value) {
  return TensorType::from(value.type())->static_shape();
}

/// How one reduction splits: `segments` of `length` elements for each result.
struct Split {
  std::int64_t segments = 0;
  std::int64_t length = 0;
  ElementType accumulate = ElementType::f32;
  std::vector<std::int64_t> rows;  ///< shape of the results
};

/// Most segments within the options that divide the columns evenly, or 0.
std::int64_t count_segments(std::int64_t columns, const SplitOptions& options) {
  for (std::int64_t segments = options.segments_maximum; segments > 1; --segments)
    if (columns % segments == 0 && columns / segments >= options.segment_minimum) return segments;
  return 0;
}

std::string refusal_text(std::int64_t rows, std::int64_t columns, const SplitOptions& options) {
  if (rows > options.rows_maximum)
    return std::to_string(rows) + " results fill the device with one launch (rows_maximum is " +
           std::to_string(options.rows_maximum) + ")";
  if (columns < options.columns_minimum)
    return std::to_string(columns) + " elements a result are few (columns_minimum is " +
           std::to_string(options.columns_minimum) + ")";
  return "no number of segments up to " + std::to_string(options.segments_maximum) + " divides " +
         std::to_string(columns) + " elements into parts of at least " +
         std::to_string(options.segment_minimum);
}

/// How the item splits, or nothing. With `refusal` come the figures that forbid it.
std::optional<Split> plan_split(const Operation& item, const dispatch::RegionForm& form,
                                const SplitOptions& options, std::string* refusal) {
  if (form.kind != host::ItemKind::row_pipeline || form.anchors.size() != 1) return std::nullopt;
  const Operation& anchor = *form.anchors.front();
  if (tensor::reduction_order(anchor) != tensor::ReductionOrder::free) return std::nullopt;
  Split split{.rows = shape_of(*anchor.result())};
  const Operation& yield = *item.body().terminator();
  for (std::size_t index = 0; index < yield.operand_count(); ++index)
    if (shape_of(*yield.operand(index)) != split.rows) return std::nullopt;
  const std::int64_t rows = *element_count(split.rows);
  const std::int64_t elements = *element_count(form.domain);
  if (rows == 0) return std::nullopt;
  const std::int64_t columns = elements / rows;
  if (rows <= options.rows_maximum && columns >= options.columns_minimum)
    split.segments = count_segments(columns, options);
  if (split.segments == 0) {
    if (refusal != nullptr) *refusal = refusal_text(rows, columns, options);
    return std::nullopt;
  }
  split.length = elements / rows / split.segments;
  const ElementType element = TensorType::from(anchor.result()->type())->element();
  split.accumulate = tensor::accumulate_type(anchor, element);
  return split;
}

/// Writes one of the two items: copies what a value needs into the body and collects the blocks
/// that its arguments read.
class PartWriter {
 public:
  PartWriter(const Operation& source, Builder& builder, std::string_view kind)
      : source_(source),
        item_(*builder.create("host.item_into", {}, {}, attributes(builder, kind))),
        body_(item_.body()) {
    body_.set_location(source.location());
  }

  Builder& body() { return body_; }

  Value* argument(Value* block, choir::Type type) {
    operands_.push_back(block);
    return item_.body().add_argument(type);
  }
  /// From here on `value` of the source's body is `copy`.
  void bind(const Value& value, Value* copy) { copied_[&value] = copy; }

  Value* copy(const Value& value) {
    if (const auto found = copied_.find(&value); found != copied_.end()) return found->second;
    const Operation* operation = value.defining_operation();
    Value* result = nullptr;
    if (operation == nullptr) {
      result = argument(source_.operand(value.index()), value.type());
      result->set_name(value.name());
    } else {
      choir::ValueMap map;
      for (const Value* operand : operation->operands()) map[operand] = copy(*operand);
      result = item_.body().push_back(operation->clone(item_.context(), map))->result();
    }
    copied_[&value] = result;
    return result;
  }

  void finish(std::span<Value* const> results, std::span<Value* const> destinations) {
    body_.create("host.yield", results, {});
    item_.set_attribute("reads",
                        item_.context().integer(static_cast<std::int64_t>(operands_.size())));
    operands_.insert(operands_.end(), destinations.begin(), destinations.end());
    item_.set_operands(operands_);
  }

 private:
  std::vector<choir::NamedAttribute> attributes(Builder& builder, std::string_view kind) {
    return {{"kind", builder.context().word(kind)},
            {"order", source_.attribute("order")},
            {"reads", builder.context().integer(0)},
            {"schedules", source_.attribute("schedules")}};
  }

  const Operation& source_;
  Operation& item_;
  Builder body_;
  std::vector<Value*> operands_;
  std::unordered_map<const Value*, Value*> copied_;
};

class Splitter {
 public:
  Splitter(Operation& item, const Operation& anchor, Split split)
      : item_(item), anchor_(anchor), split_(std::move(split)), context_(item.context()) {
    partial_shape_ = split_.rows;
    partial_shape_.push_back(split_.segments);
  }

  /// Replaces the item; returns the bytes of workspace it needs.
  std::int64_t run() {
    Builder builder(&item_);
    const BlockType type = BlockType::get(context_, split_.accumulate, partial_shape_,
                                          host::Space::workspace);
    Value* partial = builder
                         .create("host.block", {}, {type.type()},
                                 {{"offset", context_.integer(0)}})
                         ->result();
    write_partial(builder, partial);
    write_final(builder, partial);
    item_.erase();
    return type.size_bytes();
  }

 private:
  choir::Type tensor_type(std::span<const std::int64_t> shape) {
    return TensorType::get(context_, split_.accumulate, shape);
  }

  Value* reduce(Builder& body, Value* operand) {
    const auto axis = static_cast<std::int64_t>(shape_of(*operand).size()) - 1;
    std::vector<std::int64_t> shape = shape_of(*operand);
    shape.pop_back();
    return body
        .create("tensor.reduce", {operand}, {tensor_type(shape)},
                {{"axes", context_.integers(std::span(&axis, 1))},
                 {"function", anchor_.attribute("function")},
                 {"accumulate", context_.word(to_string(split_.accumulate))},
                 {"order", anchor_.attribute("order")}})
        ->result();
  }

  Value* cast(Builder& body, Value* value, choir::Type type) {
    return value->type() == type ? value
                                 : body.create("tensor.cast", {value}, {type})->result();
  }

  void write_partial(Builder& builder, Value* partial) {
    PartWriter part(item_, builder, to_string(host::ItemKind::row_pipeline));
    Value* operand = part.copy(*anchor_.operand(0));
    // In the accumulate type before it is reduced, so that no partial result rounds earlier.
    operand = cast(part.body(), operand, tensor_type(shape_of(*operand)));
    std::vector<std::int64_t> shape = partial_shape_;
    shape.push_back(split_.length);
    Value* segments =
        part.body().create("tensor.reshape", {operand}, {tensor_type(shape)})->result();
    Value* const results[] = {reduce(part.body(), segments)};
    part.finish(results, std::span(&partial, 1));
  }

  void write_final(Builder& builder, Value* partial) {
    PartWriter part(item_, builder, to_string(host::ItemKind::row_pipeline));
    Value* total = reduce(part.body(), part.argument(partial, tensor_type(partial_shape_)));
    part.bind(*anchor_.result(), cast(part.body(), total, anchor_.result()->type()));
    std::vector<Value*> results;
    for (const Value* yielded : item_.body().terminator()->operands())
      results.push_back(part.copy(*yielded));
    const auto operands = item_.operands();
    const auto reads = static_cast<std::size_t>(host::integer_or(item_, "reads", 0));
    part.finish(results, std::span(operands).subspan(reads));
  }

  Operation& item_;
  const Operation& anchor_;
  Split split_;
  choir::Context& context_;
  std::vector<std::int64_t> partial_shape_;
};

void record(choir::DecisionLog& log, const Operation& item, bool accepted, std::string choice,
            std::string reason) {
  log.record({.kind = "split",
              .accepted = accepted,
              .subject = "item " + std::to_string(host::integer_or(item, "order", 0)),
              .choice = std::move(choice),
              .reason = std::move(reason),
              .places = choir::places_within(item)});
}

void record_split(choir::DecisionLog& log, const Operation& item, const Split& split,
                  const SplitOptions& options) {
  if (!log.on()) return;
  record(log, item, true,
         std::to_string(split.segments) + " partial results of " + std::to_string(split.length) +
             " elements for each result, then one launch more",
         std::to_string(*element_count(split.rows)) + " results (rows_maximum is " +
             std::to_string(options.rows_maximum) + ") of " +
             std::to_string(split.segments * split.length) + " elements (columns_minimum is " +
             std::to_string(options.columns_minimum) + ") would leave the device idle");
}

Result<choir::PassChange> run(choir::PassContext& context, const SplitOptions& options) {
  Operation* function = host::find_function(context.module);
  if (function == nullptr) return fail(ErrorCode::invalid_input, "module has no host.func");
  std::int64_t workspace_bytes = 0;
  for (Operation* operation : function->body().operations()) {
    if (operation->name() != "host.item_into") continue;
    const auto form = dispatch::classify(operation->body());
    ACCY_ASSERT(form.has_value(), "item of no form reached the kernel stage");
    std::string refusal;
    const auto split =
        plan_split(*operation, *form, options, context.decisions.on() ? &refusal : nullptr);
    if (!refusal.empty())
      record(context.decisions, *operation, false, "two launches", std::move(refusal));
    if (!split) continue;
    record_split(context.decisions, *operation, *split, options);
    workspace_bytes =
        std::max(workspace_bytes, Splitter(*operation, *form->anchors.front(), *split).run());
  }
  function->set_attribute("workspace_bytes", context.module.context().integer(workspace_bytes));
  return choir::PassChange::changed;
}

std::span<const choir::PassOptionSpec> option_specs() {
  static const choir::PassOptionSpec specs[] = {
      {"columns_minimum", "elements of one result below which one launch does",
       SplitOptions{}.columns_minimum, 1},
      {"rows_maximum", "results above which one launch fills the device",
       SplitOptions{}.rows_maximum},
      {"segments_maximum", "partial results of one result", SplitOptions{}.segments_maximum, 1},
      {"segment_minimum", "elements of one partial result", SplitOptions{}.segment_minimum, 1}};
  return specs;
}

}  // namespace

choir::Pass split_reductions_pass(SplitOptions options) {
  return {.name = "accy-choir-split-reductions",
          .description = "Give a long reduction with few results two launches and a workspace",
          .options =
              choir::spell_options(option_specs(), {{"columns_minimum", options.columns_minimum},
                                                    {"rows_maximum", options.rows_maximum},
                                                    {"segments_maximum", options.segments_maximum},
                                                    {"segment_minimum", options.segment_minimum}}),
          .run = [options](choir::PassContext& context) { return run(context, options); },
          .preserved = {}};
}

choir::PassRegistration split_reductions_registration() {
  return choir::registration(split_reductions_pass({}), option_specs(),
                             [](const choir::PassOptionValues& values) -> Result<choir::Pass> {
                               return split_reductions_pass(
                                   {.columns_minimum = values.integer("columns_minimum"),
                                    .rows_maximum = values.integer("rows_maximum"),
                                    .segments_maximum = values.integer("segments_maximum"),
                                    .segment_minimum = values.integer("segment_minimum")});
                             });
}

}  // namespace accy::kernel
