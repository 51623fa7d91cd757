#include "dialect/host/host.hpp"

#include "choir/diagnostics.hpp"

namespace accy::host {

using choir::Attribute;
using choir::AttributeKind;
using choir::Diagnostics;
using choir::Operation;
using choir::OperationDefinition;
using choir::Trait;

Status verify_block_type(choir::Type type);  // types.cpp

namespace {

constexpr std::uint32_t trait(Trait value) { return static_cast<std::uint32_t>(value); }

bool is_block(const choir::Value* value) { return BlockType::from(value->type()).has_value(); }
bool is_tensor(const choir::Value* value) { return value->type().name() == "tensor"; }

bool is_strings(Attribute attribute) {
  if (!attribute.is(AttributeKind::array)) return false;
  for (Attribute element : attribute.array())
    if (!element.is(AttributeKind::string)) return false;
  return true;
}

bool is_triple(Attribute attribute) {
  if (!attribute.is(AttributeKind::array) || attribute.array().size() != 3) return false;
  for (Attribute element : attribute.array())
    if (!element.is(AttributeKind::integer) || element.integer() < 0) return false;
  return true;
}

void require(const Operation& operation, Diagnostics& diagnostics, bool condition,
             std::string message) {
  if (!condition) diagnostics.report(operation, std::move(message));
}

void require_size(const Operation& operation, Diagnostics& diagnostics, std::string_view name) {
  const Attribute value = operation.attribute(name);
  require(operation, diagnostics, value.is(AttributeKind::integer) && value.integer() >= 0,
          "needs a non-negative integer attribute '" + std::string(name) + "'");
}

void verify_func(const Operation& operation, Diagnostics& diagnostics) {
  require(operation, diagnostics, !operation.symbol().empty(), "needs a symbol name");
  require(operation, diagnostics, is_strings(operation.attribute("inputs")),
          "needs 'inputs', an array of strings");
  require(operation, diagnostics, is_strings(operation.attribute("outputs")),
          "needs 'outputs', an array of strings");
  const Operation* last = operation.body().terminator();
  require(operation, diagnostics, last != nullptr && last->name() == "host.return",
          "ends with host.return");
}

void verify_kind(const Operation& operation, Diagnostics& diagnostics) {
  const Attribute kind = operation.attribute("kind");
  require(operation, diagnostics, kind.is(AttributeKind::word) && item_kind_from(kind.text()),
          "needs a known 'kind'");
}

/// The region's arguments against the read operands, and its yield against `yielded` types.
void verify_item(const Operation& operation, Diagnostics& diagnostics) {
  verify_kind(operation, diagnostics);
  const choir::Block& body = operation.body();
  const Operation* yield = body.terminator();
  if (yield == nullptr || yield->name() != "host.yield" ||
      yield->operand_count() != operation.result_count())
    return diagnostics.report(operation, "body yields one value for each result (" +
                                             std::to_string(operation.result_count()) + ")");
  if (body.argument_count() != operation.operand_count())
    return diagnostics.report(operation, "body takes one argument for each operand (" +
                                             std::to_string(operation.operand_count()) + ")");
  for (std::size_t index = 0; index < body.argument_count(); ++index)
    require(operation, diagnostics,
            body.argument(index)->type() == operation.operand(index)->type(),
            "body argument " + std::to_string(index) + " differs from its operand's type");
  for (std::size_t index = 0; index < operation.result_count(); ++index)
    require(operation, diagnostics,
            yield->operand(index)->type() == operation.result(index)->type(),
            "yielded value " + std::to_string(index) + " differs from the result's type");
}

bool same_elements(choir::Type tensor, const BlockType& block) {
  const auto parameters = tensor.parameters();
  return tensor.name() == "tensor" && parameters[0] == block.type().parameters()[0] &&
         parameters[1] == block.type().parameters()[1];
}

void verify_item_into(const Operation& operation, Diagnostics& diagnostics) {
  verify_kind(operation, diagnostics);
  const std::int64_t reads = integer_or(operation, "reads", -1);
  const auto operands = static_cast<std::int64_t>(operation.operand_count());
  if (reads < 0 || reads > operands)
    return diagnostics.report(operation, "'reads' (" + std::to_string(reads) +
                                             ") is outside 0 to the operand count (" +
                                             std::to_string(operands) + ")");
  const choir::Block& body = operation.body();
  const Operation* yield = body.terminator();
  if (body.argument_count() != static_cast<std::size_t>(reads))
    return diagnostics.report(operation, "body takes one argument for each block read");
  if (yield == nullptr || yield->name() != "host.yield" ||
      static_cast<std::int64_t>(yield->operand_count()) != operands - reads)
    return diagnostics.report(operation, "body yields one value for each block written");
  for (std::size_t index = 0; index < operation.operand_count(); ++index) {
    const auto block = BlockType::from(operation.operand(index)->type());
    if (!block) {
      diagnostics.report(operation, "operand " + std::to_string(index) + " is no block");
      continue;
    }
    const bool read = index < static_cast<std::size_t>(reads);
    const choir::Value* inner =
        read ? body.argument(index) : yield->operand(index - static_cast<std::size_t>(reads));
    require(operation, diagnostics, same_elements(inner->type(), *block),
            "operand " + std::to_string(index) + " differs from the body's type");
    if (!read)
      require(operation, diagnostics,
              block->space() != Space::input && block->space() != Space::constant,
              "operand " + std::to_string(index) + " is written but read-only");
  }
}

void verify_view(const Operation& operation, Diagnostics& diagnostics) {
  const choir::Type from = operation.operand(0)->type();
  const choir::Type to = operation.result()->type();
  if (is_tensor(operation.operand(0)) && is_tensor(operation.result())) {
    require(operation, diagnostics, from.parameters()[0] == to.parameters()[0],
            "a view keeps the element type");
    return;
  }
  const auto source = BlockType::from(from);
  const auto result = BlockType::from(to);
  if (!source || !result) return diagnostics.report(operation, "views a tensor or a block");
  require(operation, diagnostics,
          source->element() == result->element() && source->space() == result->space() &&
              source->element_count() == result->element_count(),
          "a view keeps element type, space and element count");
}

void verify_block(const Operation& operation, Diagnostics& diagnostics) {
  require_size(operation, diagnostics, "offset");
  const auto block = BlockType::from(operation.result()->type());
  if (!block) return diagnostics.report(operation, "results in a block");
  require(operation, diagnostics, integer_or(operation, "offset", 0) % block_alignment == 0,
          "offset is no multiple of " + std::to_string(block_alignment));
  const bool constant = operation.name() == "host.constant";
  require(operation, diagnostics,
          constant ? block->space() == Space::constant
                   : block->space() == Space::arena || block->space() == Space::workspace,
          "wrong memory space (" + std::string(to_string(block->space())) + ")");
  if (!constant) return;
  const bool weight = operation.attribute("file").is(AttributeKind::string) &&
                      operation.attribute("tensor").is(AttributeKind::string);
  require(operation, diagnostics, weight != static_cast<bool>(operation.attribute("value")),
          "needs either 'value' or 'file' and 'tensor'");
}

void verify_launch(const Operation& operation, Diagnostics& diagnostics) {
  require(operation, diagnostics, operation.attribute("kernel").is(AttributeKind::symbol),
          "needs 'kernel', a symbol");
  require(operation, diagnostics, is_triple(operation.attribute("grid")),
          "needs 'grid', three workgroup counts");
  require_size(operation, diagnostics, "item");
  for (std::size_t index = 0; index < operation.operand_count(); ++index)
    require(operation, diagnostics, is_block(operation.operand(index)),
            "operand " + std::to_string(index) + " is no block");
}

void verify_code(const Operation& operation, Diagnostics& diagnostics) {
  require(operation, diagnostics, !operation.symbol().empty(), "needs a symbol name");
  for (std::string_view name : {"format", "entry", "extension"})
    require(operation, diagnostics, operation.attribute(name).is(AttributeKind::string),
            "needs a string '" + std::string(name) + "'");
  const Attribute code = operation.attribute("code");
  require(operation, diagnostics, code.is(AttributeKind::string) || code.is(AttributeKind::data),
          "needs 'code', a string or data");
  require(operation, diagnostics, is_triple(operation.attribute("workgroup")),
          "needs 'workgroup', three sizes");
  require_size(operation, diagnostics, "subgroup");
  require_size(operation, diagnostics, "block_bytes");
  require(operation, diagnostics, operation.attribute("arguments").is(AttributeKind::array),
          "needs 'arguments', one dictionary for each parameter");
}

constexpr OperationDefinition definitions[] = {
    {.name = "host.func",
     .summary = "the host function: inputs and outputs by name, then what runs in order",
     .traits = Trait::isolated | Trait::symbol,
     .operand_count = 0,
     .result_count = 0,
     .region_count = 1,
     .verify = verify_func},
    {.name = "host.return",
     .summary = "ends the host function; with the outputs while it is in value form",
     .traits = trait(Trait::terminator),
     .result_count = 0},
    {.name = "host.item",
     .summary = "a work item in value form: a fused region over tensors",
     .traits = trait(Trait::pure),
     .region_count = 1,
     .verify = verify_item},
    {.name = "host.item_into",
     .summary = "a work item that reads its first blocks and writes the others",
     .result_count = 0,
     .region_count = 1,
     .verify = verify_item_into},
    {.name = "host.yield",
     .summary = "the results of a work item's body",
     .traits = trait(Trait::terminator),
     .result_count = 0},
    {.name = "host.view",
     .summary = "the same elements in row-major order under another shape",
     .traits = trait(Trait::pure),
     .operand_count = 1,
     .result_count = 1,
     .verify = verify_view},
    {.name = "host.block",
     .summary = "a block at an offset of the arena or the workspace",
     .operand_count = 0,
     .result_count = 1,
     .verify = verify_block},
    {.name = "host.constant",
     .summary = "a block of the constants, from a value or a weight file",
     .operand_count = 0,
     .result_count = 1,
     .verify = verify_block},
    {.name = "host.launch",
     .summary = "runs a kernel over a grid with blocks as its buffer parameters",
     .result_count = 0,
     .verify = verify_launch},
    {.name = "target.code",
     .summary = "target code of one kernel with its argument block's layout",
     .traits = trait(Trait::symbol),
     .operand_count = 0,
     .result_count = 0,
     .verify = verify_code},
};

}  // namespace

std::int64_t integer_or(const Operation& operation, std::string_view name,
                        std::int64_t otherwise) {
  const Attribute value = operation.attribute(name);
  return value.is(AttributeKind::integer) ? value.integer() : otherwise;
}

std::vector<std::string_view> strings(const Operation& operation, std::string_view name) {
  std::vector<std::string_view> list;
  if (const Attribute value = operation.attribute(name); value.is(AttributeKind::array))
    for (Attribute element : value.array()) list.push_back(element.text());
  return list;
}

std::array<std::int64_t, 3> triple(const Operation& operation, std::string_view name) {
  const auto elements = operation.attribute(name).array();
  ACCY_ASSERT(elements.size() == 3, "attribute is no triple");
  return {elements[0].integer(), elements[1].integer(), elements[2].integer()};
}

Place place_of(const choir::Value& value) {
  const choir::Value* source = &value;
  while (source->defining_operation() != nullptr &&
         source->defining_operation()->name() == "host.view")
    source = source->defining_operation()->operand(0);
  const auto block = BlockType::from(source->type());
  ACCY_ASSERT(block.has_value(), "value is no block");
  Place place{.space = block->space(), .size_bytes = block->size_bytes()};
  if (const Operation* operation = source->defining_operation())
    place.offset_bytes = integer_or(*operation, "offset", 0);
  else
    place.argument = source->index();
  return place;
}

Operation* find_function(const choir::Module& module) {
  for (Operation* operation : module.body().operations())
    if (operation->name() == "host.func") return operation;
  return nullptr;
}

void register_host_dialect(choir::Registry& registry) {
  registry.add(choir::TypeDefinition{"block", verify_block_type});
  for (const OperationDefinition& definition : definitions) registry.add(definition);
}

}  // namespace accy::host
