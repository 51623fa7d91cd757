#include "memory/passes/plan_bufferization.hpp"

#include <unordered_map>

#include "choir/builder.hpp"
#include "choir/value_table.hpp"
#include "dialect/host/host.hpp"
#include "dialect/tensor/type.hpp"
#include "support/checked.hpp"

namespace accy::memory {

using choir::Builder;
using choir::Operation;
using choir::Value;
using host::BlockType;
using host::Space;
using tensor::TensorType;

namespace {

BlockType block_type(const Value& value, Space space) {
  const auto tensor = TensorType::from(value.type());
  return BlockType::get(value.defining_operation() != nullptr
                            ? value.defining_operation()->context()
                            : value.owner_block()->parent()->context(),
                        tensor->element(), tensor->static_shape(), space);
}

class Bufferizer {
 public:
  Bufferizer(Operation& function, choir::DecisionLog& log)
      : function_(function), context_(function.context()), body_(function.body()), log_(log) {}

  Status run() {
    add_arguments();
    const auto operations = body_.operations();
    for (Operation* operation : operations) ACCY_TRY(place(*operation));
    for (auto position = operations.rbegin(); position != operations.rend(); ++position)
      (*position)->erase();
    for (std::size_t count = input_count_; count > 0; --count) body_.erase_argument(0);
    function_.set_attribute("constant_bytes", context_.integer(constant_bytes_));
    function_.set_attribute("arena_bytes", context_.integer(0));
    return {};
  }

 private:
  /// Arguments: the new inputs and outputs behind the old inputs, which go at the end.
  void add_arguments() {
    input_count_ = body_.argument_count();
    for (std::size_t index = 0; index < input_count_; ++index) {
      const Value& old = *body_.argument(index);
      Value* input = body_.add_argument(block_type(old, Space::input).type());
      input->set_name(old.name());
      blocks_[&old] = input;
    }
    const Operation& result = *body_.terminator();
    for (std::size_t index = 0; index < result.operand_count(); ++index) {
      const Value& value = *result.operand(index);
      Value* output = body_.add_argument(block_type(value, Space::output).type());
      output->set_name(value.name());
      // A view of an item's result: the item writes the output itself, under its own shape.
      const Value* source = &value;
      while (source->defining_operation()->name() == "host.view")
        source = source->defining_operation()->operand(0);
      outputs_[source] = output;
    }
  }

  Status place(Operation& operation) {
    Builder builder(body_);
    builder.set_location(operation.location());
    if (operation.name() == "host.item") return place_item(operation, builder);
    if (operation.name() == "host.return") {
      builder.create("host.return", {}, {});
      return {};
    }
    if (operation.name() == "host.view") return place_view(operation, builder);
    return place_constant(operation, builder);
  }

  Status place_view(Operation& operation, Builder& builder) {
    Value* source = blocks_.at(operation.operand(0));
    const Space space = BlockType::from(source->type())->space();
    if (!operation.has_uses()) return {};
    record(operation, *operation.result(), "a view of " + text_of(*source),
           "the same elements under another shape: nothing is copied");
    blocks_[operation.result()] =
        builder.create("host.view", {source}, {block_type(*operation.result(), space).type()})
            ->result();
    return {};
  }

  Status place_constant(Operation& operation, Builder& builder) {
    const BlockType type = block_type(*operation.result(), Space::constant);
    std::vector<choir::NamedAttribute> attributes(operation.attributes().begin(),
                                                  operation.attributes().end());
    attributes.push_back({"offset", context_.integer(constant_bytes_)});
    Operation* constant =
        builder.create("host.constant", {}, {type.type()}, std::move(attributes));
    constant->result()->set_name(operation.result()->name());
    blocks_[operation.result()] = constant->result();
    record(operation, *operation.result(),
           std::to_string(type.size_bytes()) + " bytes at " + std::to_string(constant_bytes_) +
               " of the constants",
           "it never changes: it is uploaded once");
    ACCY_TRY_ASSIGN(constant_bytes_, checked_add(constant_bytes_, type.size_bytes()));
    ACCY_TRY_ASSIGN(constant_bytes_, checked_align(constant_bytes_, host::block_alignment));
    return {};
  }

  static std::string text_of(const Value& block) {
    const BlockType type = *BlockType::from(block.type());
    const std::string space = "the " + std::string(host::to_string(type.space())) + " block";
    return block.name().empty() ? space : space + " %" + std::string(block.name());
  }

  void record(const Operation& operation, const Value& value, std::string choice,
              std::string_view reason) {
    if (!log_.on()) return;
    log_.record({.kind = "buffer",
                 .subject = value.name().empty() ? std::string(operation.name())
                                                 : "%" + std::string(value.name()),
                 .choice = std::move(choice),
                 .reason = std::string(reason),
                 .places = choir::places_within(operation)});
  }

  Value* destination(const Value& result, Builder& builder) {
    const Operation& item = *result.defining_operation();
    if (const auto output = outputs_.find(&result); output != outputs_.end()) {
      record(item, result, text_of(*output->second),
             "the item writes the caller's memory itself: nothing is copied");
      const choir::Type wanted = block_type(result, Space::output).type();
      if (output->second->type() == wanted) return output->second;
      return builder.create("host.view", {output->second}, {wanted})->result();
    }
    record(item, result, "a block of the arena", "items read it, and no caller sees it");
    Value* block = builder
                       .create("host.block", {}, {block_type(result, Space::arena).type()},
                               {{"offset", context_.integer(0)}})
                       ->result();
    block->set_name(result.name());
    return block;
  }

  Status place_item(Operation& operation, Builder& builder) {
    std::vector<Value*> operands;
    for (const Value* operand : operation.operands()) operands.push_back(blocks_.at(operand));
    const auto reads = static_cast<std::int64_t>(operands.size());
    for (std::size_t index = 0; index < operation.result_count(); ++index) {
      operands.push_back(destination(*operation.result(index), builder));
      blocks_[operation.result(index)] = operands.back();
    }
    std::vector<choir::NamedAttribute> attributes(operation.attributes().begin(),
                                                  operation.attributes().end());
    attributes.push_back({"reads", context_.integer(reads)});
    Operation* item = builder.create("host.item_into", operands, {}, std::move(attributes));
    choir::ValueMap map;
    const choir::Block& source = operation.body();
    for (std::size_t index = 0; index < source.argument_count(); ++index) {
      map[source.argument(index)] = item->body().add_argument(source.argument(index)->type());
      item->body().argument(index)->set_name(source.argument(index)->name());
    }
    for (const Operation* inner : source.operations())
      item->body().push_back(inner->clone(context_, map));
    return {};
  }

  Operation& function_;
  choir::Context& context_;
  choir::Block& body_;
  choir::DecisionLog& log_;
  std::size_t input_count_ = 0;
  std::int64_t constant_bytes_ = 0;
  std::unordered_map<const Value*, Value*> blocks_;
  std::unordered_map<const Value*, Value*> outputs_;
};

}  // namespace

choir::Pass plan_bufferization_pass() {
  return {.name = "accy-choir-plan-bufferization",
          .description = "Give every value of the host function a block",
          .options = {},
          .run = [](choir::PassContext& context) -> Result<choir::PassChange> {
            Operation* function = host::find_function(context.module);
            if (function == nullptr)
              return fail(ErrorCode::invalid_input, "module has no host.func");
            ACCY_TRY(Bufferizer(*function, context.decisions).run());
            return choir::PassChange::changed;
          },
          .preserved = {}};
}

}  // namespace accy::memory
