// Device and workgroup memory: loads, stores, barriers, and the vectors they move.
#include <algorithm>
#include <array>

#include "targets/vulkan/emit/emitter.hpp"

namespace accy::vulkan {

namespace {

using choir::Operation;
using kernel::BufferType;

constexpr std::uint32_t word(auto enumerant) { return static_cast<std::uint32_t>(enumerant); }
constexpr std::int64_t widest_vector = 4;  // components without the Vector16 capability

/// Where an access goes: the pointer to its first element and the flags every access there has.
struct Place {
  Id pointer = 0;
  ElementType element = ElementType::f32;
  bool shared = false;
  bool visible_to_others = false;  ///< other invocations may reach it in this dispatch
};

Result<Place> place_of(Emitter& emitter, const choir::Value* memory, Id index) {
  ModuleBuilder& builder = emitter.builder();
  const ElementType element = kernel::element_of(memory->type());
  const Id stored = emitter.stored_type(element);
  if (kernel::as_shared(memory->type())) {
    const Id type = builder.pointer_type(spv::StorageClass::Workgroup, stored);
    return Place{builder.emit(spv::Op::OpAccessChain, type, {emitter.value(memory), index}),
                 element, true, true};
  }
  const std::optional<BufferType> buffer = kernel::as_buffer(memory->type());
  if (!buffer || buffer->binding != kernel::Binding::address)
    return fail(ErrorCode::unsupported, "vulkan takes buffers of binding class address only");
  const Id type = builder.pointer_type(spv::StorageClass::PhysicalStorageBuffer, stored);
  const Id pointer = builder.emit(spv::Op::OpAccessChain, type,
                                  {emitter.value(memory), builder.u32_constant(0), index});
  return Place{pointer, element, false, buffer->access == kernel::Access::read_write};
}

/// The memory operands of an access of `bytes` aligned bytes.
Words access_operands(const Place& place, std::int64_t bytes) {
  std::uint32_t flags = 0;
  if (place.visible_to_others) flags |= word(spv::MemoryAccessMask::NonPrivatePointer);
  if (place.shared) return {flags};
  flags |= word(spv::MemoryAccessMask::Aligned);
  return {flags, static_cast<std::uint32_t>(bytes)};
}

/// The pointer to `count` elements at `place`, seen as one vector.
Id vector_pointer(Emitter& emitter, const Place& place, std::uint32_t count) {
  ModuleBuilder& builder = emitter.builder();
  const Id vector = builder.vector_type(emitter.stored_type(place.element), count);
  return builder.emit(spv::Op::OpBitcast,
                      builder.pointer_type(spv::StorageClass::PhysicalStorageBuffer, vector),
                      {place.pointer});
}

Id load_object(Emitter& emitter, const Place& place, Id pointer, Id type, std::int64_t bytes) {
  Words operands{pointer};
  const Words access = access_operands(place, bytes);
  operands.insert(operands.end(), access.begin(), access.end());
  return emitter.builder().emit(spv::Op::OpLoad, type, operands);
}

void store_object(Emitter& emitter, const Place& place, Id pointer, Id object,
                  std::int64_t bytes) {
  Words operands{pointer, object};
  const Words access = access_operands(place, bytes);
  operands.insert(operands.end(), access.begin(), access.end());
  emitter.builder().add(ModuleBuilder::Section::function, spv::Op::OpStore, operands);
}

/// index + offset, in the index's own type.
Id offset_index(Emitter& emitter, const choir::Value* index, std::int64_t offset) {
  const Id base = emitter.value(index);
  if (offset == 0) return base;
  WordMath math(emitter, emitter.width(kernel::element_of(index->type())));
  return math.add(base, math.constant(static_cast<std::uint64_t>(offset)));
}

Status load_part(Emitter& emitter, const choir::Value* memory, const choir::Value* index,
                 std::int64_t first, std::int64_t count, Words& elements) {
  ModuleBuilder& builder = emitter.builder();
  ACCY_TRY_ASSIGN(const Place place,
                  place_of(emitter, memory, offset_index(emitter, index, first)));
  const std::int64_t bytes = accy::size_bytes(place.element) * count;
  const Id scalar = emitter.stored_type(place.element);
  if (count == 1) {
    const Id loaded = load_object(emitter, place, place.pointer, scalar, bytes);
    elements.push_back(from_stored(emitter, place.element, loaded));
    return {};
  }
  const auto width = static_cast<std::uint32_t>(count);
  const Id loaded = load_object(emitter, place, vector_pointer(emitter, place, width),
                                builder.vector_type(scalar, width), bytes);
  for (std::uint32_t lane = 0; lane < width; ++lane)
    elements.push_back(
        from_stored(emitter, place.element,
                    builder.emit(spv::Op::OpCompositeExtract, scalar, {loaded, lane})));
  return {};
}

Status store_part(Emitter& emitter, const choir::Value* memory, const choir::Value* index,
                  std::int64_t first, std::span<const Id> values) {
  ModuleBuilder& builder = emitter.builder();
  ACCY_TRY_ASSIGN(const Place place,
                  place_of(emitter, memory, offset_index(emitter, index, first)));
  const std::int64_t bytes =
      accy::size_bytes(place.element) * static_cast<std::int64_t>(values.size());
  Words stored;
  for (const Id value : values) stored.push_back(to_stored(emitter, place.element, value));
  if (stored.size() == 1) {
    store_object(emitter, place, place.pointer, stored.front(), bytes);
    return {};
  }
  const auto width = static_cast<std::uint32_t>(stored.size());
  const Id vector = builder.emit(
      spv::Op::OpCompositeConstruct,
      builder.vector_type(emitter.stored_type(place.element), width), std::span(stored));
  store_object(emitter, place, vector_pointer(emitter, place, width), vector, bytes);
  return {};
}

/// Workgroup memory is moved by elements: a logical pointer cannot be cast to one of a vector.
std::int64_t part_width(const choir::Value* memory, std::int64_t width) {
  return kernel::as_shared(memory->type()) ? 1 : std::min(width, widest_vector);
}

Status emit_load(Emitter& emitter, const Operation& operation) {
  const choir::Value* memory = operation.operand(0);
  const std::int64_t width = kernel::width_of(operation.result()->type());
  const std::int64_t part = part_width(memory, width);
  Words elements;
  for (std::int64_t first = 0; first < width; first += part)
    ACCY_TRY(load_part(emitter, memory, operation.operand(1), first, part, elements));
  emitter.bind(operation.result(), std::move(elements));
  return {};
}

Status emit_store(Emitter& emitter, const Operation& operation) {
  const choir::Value* memory = operation.operand(1);
  const std::span<const Id> values = emitter.elements(operation.operand(0));
  const auto width = static_cast<std::int64_t>(values.size());
  const std::int64_t part = part_width(memory, width);
  for (std::int64_t first = 0; first < width; first += part)
    ACCY_TRY(store_part(
        emitter, memory, operation.operand(2), first,
        values.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(part))));
  return {};
}

Status emit_shared(Emitter& emitter, const Operation& operation) {
  const std::optional<kernel::SharedType> shared = kernel::as_shared(operation.result()->type());
  ACCY_ASSERT(shared.has_value(), "kernel.shared gives shared memory");
  ModuleBuilder& builder = emitter.builder();
  const Id array = builder.array_type(emitter.stored_type(shared->element),
                                      static_cast<std::uint32_t>(shared->count));
  emitter.bind(operation.result(), builder.variable(spv::StorageClass::Workgroup, array));
  return {};
}

Status emit_barrier(Emitter& emitter, const Operation&) {
  const auto semantics =
      word(spv::MemorySemanticsMask::AcquireRelease) |
      word(spv::MemorySemanticsMask::UniformMemory) |
      word(spv::MemorySemanticsMask::WorkgroupMemory) |
      word(spv::MemorySemanticsMask::MakeAvailable) | word(spv::MemorySemanticsMask::MakeVisible);
  const Id workgroup = emitter.scope(spv::Scope::Workgroup);
  emitter.builder().emit_void(spv::Op::OpControlBarrier,
                              {workgroup, workgroup, emitter.builder().u32_constant(semantics)});
  return {};
}

Status emit_extract(Emitter& emitter, const Operation& operation) {
  const auto index = static_cast<std::size_t>(kernel::lane_index(operation));
  const Id element = emitter.elements(operation.operand(0))[index];
  emitter.bind(operation.result(), element);
  return {};
}

Status emit_compose(Emitter& emitter, const Operation& operation) {
  Words elements;
  for (std::size_t index = 0; index < operation.operand_count(); ++index)
    elements.push_back(emitter.operand(operation, index));
  emitter.bind(operation.result(), std::move(elements));
  return {};
}

constexpr std::array rules{
    OpRule{kernel::op::shared, emit_shared},   OpRule{kernel::op::load, emit_load},
    OpRule{kernel::op::store, emit_store},     OpRule{kernel::op::barrier, emit_barrier},
    OpRule{kernel::op::extract, emit_extract}, OpRule{kernel::op::compose, emit_compose},
};

}  // namespace

std::span<const OpRule> memory_rules() { return rules; }

}  // namespace accy::vulkan
