// shared, load, store, extract, compose.
#include <fmt/format.h>

#include "targets/cuda/emit/emitter.hpp"

namespace accy::cuda {

namespace {

constexpr RegisterClass b32 = RegisterClass::b32;

/// The PTX type that moves one element between memory and its register.
std::string_view memory_type(ElementType element) {
  switch (element) {
    case ElementType::boolean:
    case ElementType::u8: return "u8";
    case ElementType::i8: return "s8";
    case ElementType::u16: return "u16";
    case ElementType::i16: return "s16";
    case ElementType::f16:
    case ElementType::bf16: return "b16";
    case ElementType::f32: return "f32";
    case ElementType::f64: return "f64";
    default: return size_bytes(element) == 8 ? "b64" : "b32";
  }
}

std::string_view width_suffix(std::size_t width) {
  return width == 1 ? "" : width == 2 ? ".v2" : ".v4";
}

Operand operand_of(std::span<const Register> registers) {
  return registers.size() == 1 ? Operand(registers.front()) : tuple(registers);
}

/// Eight elements of one or two bytes move as two or four words.
bool moves_as_words(std::size_t width) { return width == 8; }

/// One element out of a word: its byte position is `byte`.
Register unpack_element(Emitter& emitter, Register word, std::int64_t byte, ElementType element) {
  PtxWriter& writer = emitter.writer();
  const std::string_view type = is_signed(element) ? "s32" : "u32";
  return writer.value(b32, fmt::format("bfe.{}", type), {word, byte * 8, bit_width(element)});
}

std::vector<Register> unpack_words(Emitter& emitter, std::span<const Register> words,
                                   ElementType element) {
  PtxWriter& writer = emitter.writer();
  std::vector<Register> elements;
  for (const Register word : words) {
    if (class_of(element) == RegisterClass::b16) {
      const Register halves[] = {writer.make_register(RegisterClass::b16),
                                 writer.make_register(RegisterClass::b16)};
      writer.instruction("mov.b32", {tuple(halves), word});
      elements.insert(elements.end(), std::begin(halves), std::end(halves));
    } else {
      for (std::int64_t byte = 0; byte < 4; byte += size_bytes(element))
        elements.push_back(unpack_element(emitter, word, byte, element));
    }
  }
  return elements;
}

std::vector<Register> pack_words(Emitter& emitter, std::span<const Register> elements,
                                 ElementType element) {
  PtxWriter& writer = emitter.writer();
  const std::size_t per_word = static_cast<std::size_t>(4 / size_bytes(element));
  std::vector<Register> words;
  for (std::size_t first = 0; first < elements.size(); first += per_word) {
    if (class_of(element) == RegisterClass::b16) {
      words.push_back(writer.value(b32, "mov.b32", {tuple(elements.subspan(first, 2))}));
      continue;
    }
    Register word = elements[first];
    for (std::size_t i = 1; i < per_word; ++i)
      word = writer.value(b32, "bfi.b32",
                          {elements[first + i], word, static_cast<int>(i) * bit_width(element),
                           bit_width(element)});
    words.push_back(word);
  }
  return words;
}

/// Registers as memory has them: a bool as a number.
std::vector<Register> stored_form(Emitter& emitter, std::span<const Register> values,
                                  ElementType element) {
  std::vector<Register> stored(values.begin(), values.end());
  if (element == ElementType::boolean)
    for (Register& value : stored) value = emitter.writer().value(b32, "selp.b32", {1, 0, value});
  return stored;
}

std::vector<Register> loaded_form(Emitter& emitter, std::vector<Register> values,
                                  ElementType element) {
  if (element == ElementType::boolean)
    for (Register& value : values)
      value = emitter.writer().value(RegisterClass::predicate, "setp.ne.u32", {value, 0});
  return values;
}

Status emit_load(Emitter& emitter, const choir::Operation& operation) {
  PtxWriter& writer = emitter.writer();
  const Memory& memory = emitter.memory(operation.operand(0));
  const ElementType element = memory.element;
  const auto width = static_cast<std::size_t>(kernel::width_of(operation.result()->type()));
  const Operand source = element_address(emitter, memory, operation.operand(1));
  const std::string_view space = memory.shared      ? "shared"
                                 : memory.read_only ? "global.nc"
                                                    : "global";
  const bool words = moves_as_words(width);
  const RegisterClass kind = words || element == ElementType::boolean ? b32 : class_of(element);
  std::vector<Register> values(words ? 2 * static_cast<std::size_t>(size_bytes(element)) : width);
  for (Register& value : values) value = writer.make_register(kind);
  writer.instruction(fmt::format("ld.{}{}.{}", space, width_suffix(values.size()),
                                 words ? "b32" : memory_type(element)),
                     {operand_of(values), source});
  if (words) values = unpack_words(emitter, values, element);
  emitter.define(operation.result(), loaded_form(emitter, std::move(values), element));
  return {};
}

Status emit_store(Emitter& emitter, const choir::Operation& operation) {
  const Memory& memory = emitter.memory(operation.operand(1));
  const ElementType element = memory.element;
  std::vector<Register> values =
      stored_form(emitter, emitter.components(operation.operand(0)), element);
  const bool words = moves_as_words(values.size());
  if (words) values = pack_words(emitter, values, element);
  const Operand destination = element_address(emitter, memory, operation.operand(2));
  emitter.writer().instruction(fmt::format("st.{}{}.{}", memory.shared ? "shared" : "global",
                                           width_suffix(values.size()),
                                           words ? "b32" : memory_type(element)),
                               {destination, operand_of(values)});
  return {};
}

Status emit_shared(Emitter& emitter, const choir::Operation& operation) {
  const auto type = kernel::as_shared(operation.result()->type());
  ACCY_ASSERT(type.has_value(), "kernel.shared has no shared type");
  PtxWriter& writer = emitter.writer();
  const std::string name = writer.add_shared(type->count * size_bytes(type->element));
  Memory memory;
  memory.base = writer.value(b32, "mov.u32", {name});
  memory.element = type->element;
  memory.shared = true;
  emitter.define_memory(operation.result(), memory);
  return {};
}

Status emit_extract(Emitter& emitter, const choir::Operation& operation) {
  const auto components = emitter.components(operation.operand(0));
  emitter.define(operation.result(),
                 components[static_cast<std::size_t>(kernel::lane_index(operation))]);
  return {};
}

Status emit_compose(Emitter& emitter, const choir::Operation& operation) {
  std::vector<Register> components;
  for (std::size_t i = 0; i < operation.operand_count(); ++i)
    components.push_back(emitter.scalar(operation.operand(i)));
  emitter.define(operation.result(), std::move(components));
  return {};
}

constexpr OperationEntry table[] = {
    {kernel::op::shared, emit_shared},   {kernel::op::load, emit_load},
    {kernel::op::store, emit_store},     {kernel::op::extract, emit_extract},
    {kernel::op::compose, emit_compose},
};

}  // namespace

std::span<const OperationEntry> memory_operations() { return table; }

}  // namespace accy::cuda
