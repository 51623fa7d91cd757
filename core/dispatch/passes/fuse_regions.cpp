#include "dispatch/passes/fuse_regions.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "choir/builder.hpp"
#include "choir/value_table.hpp"
#include "dialect/host/host.hpp"
#include "dialect/tensor/type.hpp"
#include "dispatch/region.hpp"
#include "support/checked.hpp"

namespace accy::dispatch {

using choir::Builder;
using choir::Operation;
using choir::Value;
using host::ItemKind;

namespace {

bool is_item(const Operation* operation) {
  return operation != nullptr && operation->name() == "host.item";
}

ItemKind kind_of(const Operation& item) {
  return *host::item_kind_from(item.attribute("kind").text());
}

/// The first costly operation of the item's body, or null.
const Operation* find_expensive(const Operation& item) {
  for (const Operation* operation = item.body().front(); operation != nullptr;
       operation = operation->next())
    if (is_expensive(*operation)) return operation;
  return nullptr;
}

std::int64_t count_of(std::span<const std::int64_t> shape) { return *element_count(shape); }

/// "elementwise %y (tensor.mul, tensor.erf)": an item for people.
std::string text_of(const Operation& item) {
  std::string text(item.attribute("kind").text());
  if (!item.result()->name().empty()) text += " %" + std::string(item.result()->name());
  constexpr std::size_t shown_maximum = 3;
  std::size_t shown = 0;
  for (const Operation* operation : item.body().operations()) {
    if (operation->has(choir::Trait::terminator) || shown > shown_maximum) continue;
    text += shown == 0 ? " (" : ", ";
    text += shown < shown_maximum ? operation->name() : "...";
    ++shown;
  }
  return text + (shown == 0 ? "" : ")");
}

/// Positions in program order; a merged item takes its consumer's.
using Order = std::unordered_map<const Operation*, std::size_t>;

/// The item that does the work of producer and consumer, detached until it is accepted.
class Merger {
 public:
  Merger(Operation& producer, Operation& consumer) : producer_(producer), consumer_(consumer) {}

  /// Builds the merged item before the consumer; its results are kept_results(), then the
  /// consumer's.
  Operation* build() {
    Builder builder(&consumer_);
    builder.set_location(
        consumer_.context().fused(producer_.location(), consumer_.location()));
    std::vector<choir::Type> types;
    for (std::size_t index : kept_results()) types.push_back(producer_.result(index)->type());
    for (std::size_t index = 0; index < consumer_.result_count(); ++index)
      types.push_back(consumer_.result(index)->type());
    item_ = builder.create("host.item", {}, types, {{"kind", consumer_.attribute("kind")}});
    choir::ValueMap producer_map;
    bind_arguments(producer_, producer_map);
    const Operation& producer_yield = copy_body(producer_, producer_map);
    choir::ValueMap consumer_map;
    for (std::size_t index = 0; index < consumer_.operand_count(); ++index)
      if (const Value* operand = consumer_.operand(index);
          operand->defining_operation() == &producer_)
        consumer_map[consumer_.body().argument(index)] =
            producer_map.at(producer_yield.operand(operand->index()));
    bind_arguments(consumer_, consumer_map);
    const Operation& consumer_yield = copy_body(consumer_, consumer_map);
    write_yield(producer_yield, producer_map, consumer_yield, consumer_map);
    item_->set_operands(operands_);
    return item_;
  }

  /// Results of the producer that something besides the consumer reads.
  std::vector<std::size_t> kept_results() const {
    std::vector<std::size_t> kept;
    for (std::size_t index = 0; index < producer_.result_count(); ++index) {
      const auto users = producer_.result(index)->users();
      if (std::any_of(users.begin(), users.end(),
                      [&](const Operation* user) { return user != &consumer_; }))
        kept.push_back(index);
    }
    return kept;
  }

 private:
  void bind_arguments(const Operation& source, choir::ValueMap& map) {
    for (std::size_t index = 0; index < source.operand_count(); ++index) {
      const Value* argument = source.body().argument(index);
      if (map.contains(argument)) continue;
      Value* operand = source.operand(index);
      const auto known = std::find(operands_.begin(), operands_.end(), operand);
      const auto position = static_cast<std::size_t>(known - operands_.begin());
      if (known == operands_.end()) {
        operands_.push_back(operand);
        item_->body().add_argument(operand->type())->set_name(argument->name());
      }
      map[argument] = item_->body().argument(position);
    }
  }

  const Operation& copy_body(const Operation& source, choir::ValueMap& map) {
    for (const Operation* operation = source.body().front(); operation != nullptr;
         operation = operation->next())
      if (operation->name() != "host.yield")
        item_->body().push_back(operation->clone(item_->context(), map));
    return *source.body().terminator();
  }

  void write_yield(const Operation& producer_yield, const choir::ValueMap& producer_map,
                   const Operation& consumer_yield, const choir::ValueMap& consumer_map) {
    std::vector<Value*> yielded;
    for (std::size_t index : kept_results())
      yielded.push_back(producer_map.at(producer_yield.operand(index)));
    for (std::size_t index = 0; index < consumer_yield.operand_count(); ++index)
      yielded.push_back(consumer_map.at(consumer_yield.operand(index)));
    Builder body(item_->body());
    body.set_location(item_->location());
    body.create("host.yield", yielded, {});
  }

  Operation& producer_;
  Operation& consumer_;
  Operation* item_ = nullptr;
  std::vector<Value*> operands_;
};

class Fuser {
 public:
  Fuser(choir::Block& body, const FuseOptions& options, choir::DecisionLog& log)
      : body_(body), options_(options), log_(log) {
    std::size_t position = 0;
    for (const Operation* operation : body.operations()) order_[operation] = position++;
  }

  bool run() {
    bool changed = false;
    for (Operation* operation : body_.operations()) {
      if (!is_item(operation)) continue;
      while (Operation* merged = merge_one(*operation)) {
        operation = merged;
        changed = true;
      }
    }
    return changed;
  }

 private:
  Operation* merge_one(Operation& consumer) {
    for (Operation* producer : producers(consumer))
      if (Operation* merged = try_merge(*producer, consumer)) return merged;
    return nullptr;
  }

  /// Items that the consumer reads, each once: contractions first, then rows, then the rest.
  static std::vector<Operation*> producers(const Operation& consumer) {
    std::vector<Operation*> list;
    for (Value* operand : consumer.operands())
      if (Operation* producer = operand->defining_operation();
          is_item(producer) && std::find(list.begin(), list.end(), producer) == list.end())
        list.push_back(producer);
    std::stable_sort(list.begin(), list.end(), [](const Operation* a, const Operation* b) {
      return kind_of(*a) > kind_of(*b);  // the enumerators stand in rising order of weight
    });
    return list;
  }

  Operation* try_merge(Operation& producer, Operation& consumer) {
    if (exceeds_limits(producer, consumer))
      return refuse(producer, consumer, [&] { return limit_text(producer, consumer); });
    if (!order_allows(producer, consumer))
      return refuse(producer, consumer, [] {
        return std::string("another reader of the first stands before the second");
      });
    Merger merger(producer, consumer);
    const std::vector<std::size_t> kept = merger.kept_results();
    Operation* merged = merger.build();
    const auto form = classify(merged->body());
    if (!form || recomputes(producer, *form)) {
      merged->erase();
      return refuse(producer, consumer,
                    [&] { return form ? recompute_text(producer, *form) : form.error(); });
    }
    record(true, producer, consumer, [&] {
      return "one kernel of the form " + std::string(host::to_string(form->kind)) +
             (kept.empty() ? " does both, and the value between them is never stored"
                           : " does both; the value between them is stored for other readers");
    });
    merged->set_attribute("kind", merged->context().word(host::to_string(form->kind)));
    accept(producer, consumer, *merged, kept);
    return merged;
  }

  bool exceeds_limits(const Operation& producer, const Operation& consumer) const {
    return producer.body().size() + consumer.body().size() > options_.operations_maximum ||
           producer.operand_count() + consumer.operand_count() > options_.operands_maximum;
  }

  std::string limit_text(const Operation& producer, const Operation& consumer) const {
    return "together " + std::to_string(producer.body().size() + consumer.body().size()) +
           " operations that read " +
           std::to_string(producer.operand_count() + consumer.operand_count()) +
           " buffers (operations_maximum is " + std::to_string(options_.operations_maximum) +
           ", operands_maximum " + std::to_string(options_.operands_maximum) + ")";
  }

  static std::string recompute_text(const Operation& producer, const RegionForm& merged) {
    const std::string costly(find_expensive(producer)->name());
    if (merged.kind == ItemKind::contraction)
      return costly + " in front of a contraction would run again for every tile";
    const auto shape = tensor::TensorType::from(producer.result(0)->type())->static_shape();
    return costly + " would run " + std::to_string(count_of(merged.domain)) + " times for " +
           std::to_string(count_of(shape)) + " elements";
  }

  template <class Reason>
  Operation* refuse(const Operation& producer, const Operation& consumer, Reason reason) {
    record(false, producer, consumer, reason);
    return nullptr;
  }

  /// A refusal is repeated whenever the consumer has grown; it is recorded once.
  template <class Reason>
  void record(bool accepted, const Operation& producer, const Operation& consumer, Reason reason) {
    if (!log_.on()) return;
    choir::Decision decision{.kind = "fusion",
                             .accepted = accepted,
                             .subject = text_of(producer),
                             .choice = "into " + text_of(consumer),
                             .reason = reason(),
                             .places = choir::places_within(producer)};
    for (SourceLocation& place : choir::places_within(consumer))
      if (std::ranges::find(decision.places, place) == decision.places.end())
        decision.places.push_back(std::move(place));
    if (!accepted && !refused_.insert(decision.subject + decision.choice + decision.reason).second)
      return;
    log_.record(std::move(decision));
  }

  /// The producer's work moves to the consumer's place, so every other reader must stand behind.
  bool order_allows(const Operation& producer, const Operation& consumer) const {
    for (std::size_t index = 0; index < producer.result_count(); ++index)
      for (const Operation* user : producer.result(index)->users())
        if (user != &consumer && order_.at(user) < order_.at(&consumer)) return false;
    return true;
  }

  /// Whether the merged kernel would compute expensive operations of the producer more than once
  /// for each of its elements.
  static bool recomputes(const Operation& producer, const RegionForm& merged) {
    if (find_expensive(producer) == nullptr) return false;
    const ItemKind from = kind_of(producer);
    if (from != ItemKind::elementwise) return false;  // anchored work is done once by its form
    if (merged.kind == ItemKind::contraction) {
      // As an epilogue it would stand behind the product; in front it runs again for every tile.
      return true;
    }
    const auto shape = tensor::TensorType::from(producer.result(0)->type())->static_shape();
    return count_of(shape) < count_of(merged.domain);
  }

  void accept(Operation& producer, Operation& consumer, Operation& merged,
              std::span<const std::size_t> kept) {
    order_[&merged] = order_.at(&consumer);
    for (std::size_t index = 0; index < consumer.result_count(); ++index) {
      Value* result = merged.result(kept.size() + index);
      result->set_name(consumer.result(index)->name());
      if (consumer.result(index)->has_uses()) consumer.result(index)->replace_all_uses_with(result);
    }
    order_.erase(&consumer);
    consumer.erase();
    for (std::size_t index = 0; index < kept.size(); ++index) {
      merged.result(index)->set_name(producer.result(kept[index])->name());
      producer.result(kept[index])->replace_all_uses_with(merged.result(index));
    }
    order_.erase(&producer);
    producer.erase();
  }

  choir::Block& body_;
  FuseOptions options_;
  choir::DecisionLog& log_;
  std::unordered_set<std::string> refused_;
  Order order_;
};

std::span<const choir::PassOptionSpec> option_specs() {
  static const choir::PassOptionSpec specs[] = {
      {"operations_maximum", "operations in one region",
       static_cast<std::int64_t>(FuseOptions{}.operations_maximum)},
      {"operands_maximum", "buffers that one item reads",
       static_cast<std::int64_t>(FuseOptions{}.operands_maximum)}};
  return specs;
}

}  // namespace

choir::Pass fuse_regions_pass(FuseOptions options) {
  return {.name = "accy-choir-fuse-regions",
          .description = "Merge producers into consumers where one kernel can do the work of both",
          .options = choir::spell_options(
              option_specs(),
              {{"operations_maximum", static_cast<std::int64_t>(options.operations_maximum)},
               {"operands_maximum", static_cast<std::int64_t>(options.operands_maximum)}}),
          .run = [options](choir::PassContext& context) -> Result<choir::PassChange> {
            Operation* function = host::find_function(context.module);
            if (function == nullptr)
              return fail(ErrorCode::invalid_input, "module has no host.func");
            return Fuser(function->body(), options, context.decisions).run()
                       ? choir::PassChange::changed
                       : choir::PassChange::unchanged;
          },
          .preserved = {}};
}

choir::PassRegistration fuse_regions_registration() {
  return choir::registration(
      fuse_regions_pass({}), option_specs(),
      [](const choir::PassOptionValues& values) -> Result<choir::Pass> {
        return fuse_regions_pass(
            {.operations_maximum = static_cast<std::size_t>(values.integer("operations_maximum")),
             .operands_maximum = static_cast<std::size_t>(values.integer("operands_maximum"))});
      });
}

}  // namespace accy::dispatch
