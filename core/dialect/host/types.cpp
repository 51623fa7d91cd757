#include "dialect/host/host.hpp"
#include "support/checked.hpp"

namespace accy::host {

using choir::Attribute;
using choir::AttributeKind;

namespace {

constexpr std::array<std::string_view, 5> space_names{"input", "output", "constant", "arena",
                                                      "workspace"};
constexpr std::array<std::string_view, 5> kind_names{"elementwise", "row_pipeline", "reduction",
                                                     "contraction", "copy"};

template <class Enum, std::size_t size>
std::optional<Enum> find_name(const std::array<std::string_view, size>& names,
                              std::string_view name) {
  for (std::size_t index = 0; index < size; ++index)
    if (names[index] == name) return static_cast<Enum>(index);
  return std::nullopt;
}

}  // namespace

std::string_view to_string(Space space) { return space_names[static_cast<std::size_t>(space)]; }
std::optional<Space> space_from(std::string_view name) {
  return find_name<Space>(space_names, name);
}
std::string_view to_string(ItemKind kind) { return kind_names[static_cast<std::size_t>(kind)]; }
std::optional<ItemKind> item_kind_from(std::string_view name) {
  return find_name<ItemKind>(kind_names, name);
}

BlockType BlockType::get(choir::Context& context, ElementType element,
                         std::span<const std::int64_t> shape, Space space) {
  const std::array<Attribute, 3> parameters{context.word(accy::to_string(element)),
                                            context.integers(shape),
                                            context.word(to_string(space))};
  return BlockType(context.type("block", parameters));
}

std::optional<BlockType> BlockType::from(choir::Type type) {
  if (!type || type.name() != "block") return std::nullopt;
  return BlockType(type);
}

ElementType BlockType::element() const { return *element_type_from(type_.parameters()[0].text()); }

std::vector<std::int64_t> BlockType::shape() const {
  std::vector<std::int64_t> shape;
  for (Attribute dimension : type_.parameters()[1].array()) shape.push_back(dimension.integer());
  return shape;
}

Space BlockType::space() const { return *space_from(type_.parameters()[2].text()); }

std::int64_t BlockType::element_count() const { return *accy::element_count(shape()); }
std::int64_t BlockType::size_bytes() const {
  return *byte_count(shape(), accy::size_bytes(element()));
}

Status verify_block_type(choir::Type type) {
  const auto parameters = type.parameters();
  if (parameters.size() != 3 || !parameters[0].is(AttributeKind::word) ||
      !parameters[1].is(AttributeKind::array) || !parameters[2].is(AttributeKind::word))
    return fail(ErrorCode::invalid_input, "block takes element, shape and space");
  const auto element = element_type_from(parameters[0].text());
  if (!element)
    return fail(ErrorCode::invalid_input,
                "unknown element type (" + std::string(parameters[0].text()) + ")");
  if (!space_from(parameters[2].text()))
    return fail(ErrorCode::invalid_input,
                "unknown memory space (" + std::string(parameters[2].text()) + ")");
  std::vector<std::int64_t> shape;
  for (Attribute dimension : parameters[1].array()) {
    if (!dimension.is(AttributeKind::integer))
      return fail(ErrorCode::invalid_input, "block shapes are integers");
    shape.push_back(dimension.integer());
  }
  if (shape.size() > limits::rank)
    return fail(ErrorCode::invalid_input, "rank (" + std::to_string(shape.size()) +
                                              ") exceeds the limit (" +
                                              std::to_string(limits::rank) + ")");
  ACCY_TRY(byte_count(shape, size_bytes(*element)));
  return {};
}

}  // namespace accy::host
