#include "dialect/kernel/types.hpp"

#include <array>

#include "choir/definition.hpp"

namespace accy::kernel {
namespace {

using choir::Attribute;
using choir::AttributeKind;
using choir::Type;

constexpr std::array<std::string_view, 3> access_names{"read", "write", "read_write"};
constexpr std::array<std::string_view, 3> binding_names{"address", "texel", "storage"};
constexpr std::array<std::string_view, 13> scalar_names{
    "bool", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "bf16", "f32", "f64"};
constexpr std::int64_t access_bytes_maximum = 16;

template <class Enum>
std::optional<Enum> enumerator(std::span<const std::string_view> names, Attribute attribute) {
  if (!attribute.is(AttributeKind::word)) return std::nullopt;
  for (std::size_t index = 0; index < names.size(); ++index)
    if (names[index] == attribute.text()) return static_cast<Enum>(index);
  return std::nullopt;
}

std::string text_of(Attribute attribute) {
  switch (attribute.kind()) {
    case AttributeKind::integer: return std::to_string(attribute.integer());
    case AttributeKind::word:
    case AttributeKind::string:
    case AttributeKind::symbol: return std::string(attribute.text());
    default: return "another kind of attribute";
  }
}

Status check_count(Type type, std::size_t expected) {
  if (type.parameters().size() == expected) return {};
  return fail(ErrorCode::invalid_input, std::string(type.name()) + " takes " +
                                            std::to_string(expected) + " parameters (got " +
                                            std::to_string(type.parameters().size()) + ")");
}

Result<ElementType> check_element(Type type) {
  const Attribute first = type.parameters()[0];
  if (first.is(AttributeKind::word))
    if (const auto element = element_type_from(first.text())) return *element;
  return fail(ErrorCode::invalid_input, std::string(type.name()) +
                                            " needs an element type as its first parameter (got " +
                                            text_of(first) + ")");
}

Status verify_scalar(Type type) { return check_count(type, 0); }

bool legal_width(ElementType element, std::int64_t width) {
  const std::int64_t bytes = size_bytes(element);
  const bool listed = width == 2 || width == 4 || (width == 8 && bytes <= 2);
  return listed && width * bytes <= access_bytes_maximum;
}

Status verify_vector(Type type) {
  ACCY_TRY(check_count(type, 2));
  ACCY_TRY_ASSIGN(const ElementType element, check_element(type));
  const Attribute width = type.parameters()[1];
  if (width.is(AttributeKind::integer) && legal_width(element, width.integer())) return {};
  return fail(ErrorCode::invalid_input,
              "vector width is 2, 4, or 8 of one- and two-byte elements, at most 16 bytes (got " +
                  text_of(width) + " of " + std::string(to_string(element)) + ")");
}

Status verify_buffer(Type type) {
  ACCY_TRY(check_count(type, 3));
  ACCY_TRY(check_element(type));
  const Attribute access = type.parameters()[1];
  const Attribute binding = type.parameters()[2];
  if (!enumerator<Access>(access_names, access))
    return fail(ErrorCode::invalid_input,
                "buffer access is read, write or read_write (got " + text_of(access) + ")");
  if (!enumerator<Binding>(binding_names, binding))
    return fail(ErrorCode::invalid_input,
                "buffer binding is address, texel or storage (got " + text_of(binding) + ")");
  if (binding.text() == "texel" && access.text() != "read")
    return fail(ErrorCode::invalid_input,
                "a texel buffer can only be read (access is " + text_of(access) + ")");
  return {};
}

Status verify_shared(Type type) {
  ACCY_TRY(check_count(type, 2));
  ACCY_TRY_ASSIGN(const ElementType element, check_element(type));
  const Attribute count = type.parameters()[1];
  const std::int64_t limit = shared_bytes_maximum / size_bytes(element);
  if (count.is(AttributeKind::integer) && count.integer() > 0 && count.integer() <= limit)
    return {};
  return fail(ErrorCode::invalid_input, "shared memory holds 1 to " + std::to_string(limit) + " " +
                                            std::string(to_string(element)) + " elements (got " +
                                            text_of(count) + ")");
}

bool is_legal(Type type, std::string_view name) {
  return type.is_well_formed() && type.name() == name;
}

}  // namespace

std::string_view to_string(Access access) { return access_names[static_cast<std::size_t>(access)]; }
std::string_view to_string(Binding binding) {
  return binding_names[static_cast<std::size_t>(binding)];
}

Type get_type(choir::Context& context, ElementType element) {
  return context.type(to_string(element));
}

Type get_type(choir::Context& context, const VectorType& vector) {
  ACCY_ASSERT(legal_width(vector.element, vector.width), "illegal vector width");
  return context.type(
      "vector", std::array{context.word(to_string(vector.element)), context.integer(vector.width)});
}

Type get_type(choir::Context& context, const BufferType& buffer) {
  return context.type("buffer", std::array{context.word(to_string(buffer.element)),
                                           context.word(to_string(buffer.access)),
                                           context.word(to_string(buffer.binding))});
}

Type get_type(choir::Context& context, const SharedType& shared) {
  ACCY_ASSERT(shared.count > 0, "empty shared memory");
  return context.type(
      "shared", std::array{context.word(to_string(shared.element)), context.integer(shared.count)});
}

std::optional<ElementType> as_scalar(Type type) {
  if (!type || !type.parameters().empty()) return std::nullopt;
  return element_type_from(type.name());
}

std::optional<VectorType> as_vector(Type type) {
  if (!is_legal(type, "vector")) return std::nullopt;
  const auto parameters = type.parameters();
  return VectorType{*element_type_from(parameters[0].text()), parameters[1].integer()};
}

std::optional<BufferType> as_buffer(Type type) {
  if (!is_legal(type, "buffer")) return std::nullopt;
  const auto parameters = type.parameters();
  return BufferType{*element_type_from(parameters[0].text()),
                    *enumerator<Access>(access_names, parameters[1]),
                    *enumerator<Binding>(binding_names, parameters[2])};
}

std::optional<SharedType> as_shared(Type type) {
  if (!is_legal(type, "shared")) return std::nullopt;
  const auto parameters = type.parameters();
  return SharedType{*element_type_from(parameters[0].text()), parameters[1].integer()};
}

ElementType element_of(Type type) {
  if (const auto scalar = as_scalar(type)) return *scalar;
  if (const auto vector = as_vector(type)) return vector->element;
  if (const auto buffer = as_buffer(type)) return buffer->element;
  const auto shared = as_shared(type);
  ACCY_ASSERT(shared.has_value(), "not a kernel type");
  return shared->element;
}

std::int64_t width_of(Type type) {
  if (const auto vector = as_vector(type)) return vector->width;
  ACCY_ASSERT(as_scalar(type).has_value(), "not a scalar or vector type");
  return 1;
}

void register_kernel_types(choir::Registry& registry) {
  for (const std::string_view name : scalar_names)
    if (registry.type(name) == nullptr) registry.add(choir::TypeDefinition{name, verify_scalar});
  registry.add(choir::TypeDefinition{"vector", verify_vector});
  registry.add(choir::TypeDefinition{"buffer", verify_buffer});
  registry.add(choir::TypeDefinition{"shared", verify_shared});
}

}  // namespace accy::kernel
