#include "targets/cuda/emit/emitter.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace accy::cuda {

namespace {

using Table = std::unordered_map<std::string_view, OperationEmitter>;

Table make_table() {
  Table table;
  for (const std::span<const OperationEntry> family :
       {structure_operations(), arithmetic_operations(), logic_operations(), cast_operations(),
        memory_operations(), control_operations(), subgroup_operations(), math_operations()})
    for (const OperationEntry& entry : family) table.emplace(entry.name, entry.emit);
  return table;
}

}  // namespace

OperationEmitter operation_emitter(std::string_view name) {
  static const Table table = make_table();
  const auto found = table.find(name);
  return found == table.end() ? nullptr : found->second;
}

RegisterClass class_of(ElementType element) {
  switch (element) {
    case ElementType::boolean: return RegisterClass::predicate;
    case ElementType::f16:
    case ElementType::bf16: return RegisterClass::b16;
    case ElementType::i64:
    case ElementType::u64: return RegisterClass::b64;
    case ElementType::f32: return RegisterClass::f32;
    case ElementType::f64: return RegisterClass::f64;
    default: return RegisterClass::b32;
  }
}

std::string_view arithmetic_type(ElementType element) {
  switch (element) {
    case ElementType::boolean: return "pred";
    case ElementType::f16: return "f16";
    case ElementType::bf16: return "bf16";
    case ElementType::f32: return "f32";
    case ElementType::f64: return "f64";
    case ElementType::i64: return "s64";
    case ElementType::u64: return "u64";
    default: return is_signed(element) ? "s32" : "u32";
  }
}

std::string_view bits_type(ElementType element) {
  switch (class_of(element)) {
    case RegisterClass::predicate: return "pred";
    case RegisterClass::b16: return "b16";
    case RegisterClass::b32:
    case RegisterClass::f32: return "b32";
    default: return "b64";
  }
}

Failure unsupported(const choir::Operation& operation, std::string message) {
  return fail(ErrorCode::unsupported, std::move(message), operation.location().first(),
              std::string(operation.name()));
}

Status Emitter::emit_block(const choir::Block& block) {
  reusable_.emplace_back();
  for (const choir::Operation* operation = block.front(); operation != nullptr;
       operation = operation->next()) {
    if (operation->has(choir::Trait::terminator)) continue;
    const OperationEmitter emit = operation_emitter(operation->name());
    if (emit == nullptr) return unsupported(*operation, "PTX has no form of this operation");
    ACCY_TRY(emit(*this, *operation));
  }
  reusable_.pop_back();
  return {};
}

Register Emitter::reused(RegisterClass kind, std::string_view opcode,
                         std::initializer_list<Operand> operands) {
  std::string text(opcode);
  for (const Operand& operand : operands) text += " " + operand.text();
  for (const auto& block : reusable_)
    if (const auto found = block.find(text); found != block.end()) return found->second;
  const Register made = writer_.value(kind, opcode, operands);
  reusable_.back().emplace(std::move(text), made);
  return made;
}

Register Emitter::scalar(const choir::Value* value) const {
  const std::span<const Register> all = components(value);
  ACCY_ASSERT(all.size() == 1, "value is no scalar");
  return all.front();
}

std::span<const Register> Emitter::components(const choir::Value* value) const {
  const Components* found = registers_.find(value);
  ACCY_ASSERT(found != nullptr, "value has no registers");
  if (found->vector.empty()) return {&found->scalar, 1};
  return found->vector;
}

void Emitter::define(const choir::Value* value, Register scalar) {
  registers_[value] = {scalar, {}};
}

void Emitter::define(const choir::Value* value, std::vector<Register> components) {
  registers_[value] = {{}, std::move(components)};
}

const Memory& Emitter::memory(const choir::Value* value) const {
  const Memory* found = memories_.find(value);
  ACCY_ASSERT(found != nullptr, "value is no memory");
  return *found;
}

void Emitter::define_memory(const choir::Value* value, const Memory& memory) {
  memories_[value] = memory;
}

void Emitter::move(Register destination, Operand source) {
  static constexpr std::string_view opcodes[register_class_count] = {
      "mov.pred", "mov.b16", "mov.b32", "mov.b64", "mov.f32", "mov.f64"};
  writer_.instruction(opcodes[static_cast<std::size_t>(destination.kind)],
                      {destination, std::move(source)});
}

Register Emitter::normalized(Register value, ElementType element) {
  switch (element) {
    case ElementType::i8: return writer_.value(RegisterClass::b32, "cvt.s32.s8", {value});
    case ElementType::i16: return writer_.value(RegisterClass::b32, "cvt.s32.s16", {value});
    case ElementType::u8: return writer_.value(RegisterClass::b32, "and.b32", {value, 255});
    case ElementType::u16: return writer_.value(RegisterClass::b32, "and.b32", {value, 65535});
    default: return value;
  }
}

}  // namespace accy::cuda
