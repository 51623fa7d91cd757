// The function's frame: header, parameters, built-ins, and the walk over its operations.
#include <array>
#include <unordered_map>

#include "targets/vulkan/emit/emitter.hpp"
#include "targets/vulkan/profile/profiles.hpp"

namespace accy::vulkan {

namespace {

using Section = ModuleBuilder::Section;

constexpr std::uint32_t word(auto enumerant) { return static_cast<std::uint32_t>(enumerant); }

}  // namespace

namespace {

using RuleTable = std::unordered_map<std::string_view, const OpRule*>;

RuleTable make_rules() {
  RuleTable table;
  for (const std::span<const OpRule> family :
       {structure_rules(), arithmetic_rules(), integer_rules(), math_rules(), conversion_rules(),
        memory_rules(), control_rules(), subgroup_rules()})
    for (const OpRule& rule : family) table.emplace(rule.name, &rule);
  return table;
}

}  // namespace

const OpRule* find_rule(std::string_view name) {
  static const RuleTable table = make_rules();
  const auto found = table.find(name);
  return found == table.end() ? nullptr : found->second;
}

Emitter::Emitter(const choir::Operation& function, const TracedProfile& profile)
    : function_(function), profile_(profile), exact_(kernel::is_exact(function)),
      half_as_bits_(keeps_half_as_bits(exact_, profile)) {}

Id Emitter::value(const choir::Value* value) const {
  const std::span<const Id> ids = elements(value);
  ACCY_ASSERT(ids.size() == 1, "value is one scalar");
  return ids.front();
}

std::span<const Id> Emitter::elements(const choir::Value* value) const {
  const Ids* found = values_.find(value);
  ACCY_ASSERT(found != nullptr, "value is bound before its use");
  if (found->vector.empty()) return {&found->scalar, 1};
  return found->vector;
}

std::uint32_t Emitter::width(ElementType element) const {
  return static_cast<std::uint32_t>(bit_width(element));
}

Id Emitter::type(ElementType element) {
  if (element == ElementType::boolean) return builder_.bool_type();
  return stored_type(element);
}

Id Emitter::stored_type(ElementType element) {
  Id& known = stored_types_[static_cast<std::size_t>(element)];
  if (known == 0) known = make_stored_type(element);
  return known;
}

Id Emitter::make_stored_type(ElementType element) {
  const std::uint32_t bits = width(element);
  const bool as_float = element == ElementType::f32 || element == ElementType::f64 ||
                        (element == ElementType::f16 && !half_as_bits_);
  if (as_float) {
    if (bits == 16) builder_.capability(spv::Capability::Float16);
    if (bits == 64) builder_.capability(spv::Capability::Float64);
    return builder_.float_type(bits);
  }
  if (bits == 8) builder_.capability(spv::Capability::Int8);
  if (bits == 16) builder_.capability(spv::Capability::Int16);
  if (bits == 64) builder_.capability(spv::Capability::Int64);
  return builder_.int_type(bits);
}

void Emitter::float_controls(Id entry) {
  const auto mode = [&](spv::Capability capability, spv::ExecutionMode execution_mode,
                        std::uint32_t bits) {
    builder_.capability(capability);
    builder_.add(Section::execution_modes, spv::Op::OpExecutionMode,
                 {entry, word(execution_mode), bits});
  };
  if (profile_.read(&TargetProfile::rounding_rte_f32))
    mode(spv::Capability::RoundingModeRTE, spv::ExecutionMode::RoundingModeRTE, 32);
  if (profile_.read(&TargetProfile::rounding_rte_f16) && !half_as_bits_)
    mode(spv::Capability::RoundingModeRTE, spv::ExecutionMode::RoundingModeRTE, 16);
  if (profile_.read(&TargetProfile::signed_zero_inf_nan_f32))
    mode(spv::Capability::SignedZeroInfNanPreserve,
         spv::ExecutionMode::SignedZeroInfNanPreserve, 32);
  if (exact_ && profile_.read(&TargetProfile::subnormals_kept_f32) &&
      !has_quirk(profile_, quirk_subnormals_undeclared))
    mode(spv::Capability::DenormPreserve, spv::ExecutionMode::DenormPreserve, 32);
}

void Emitter::header(Id entry) {
  builder_.capability(spv::Capability::Shader);
  builder_.capability(spv::Capability::VulkanMemoryModel);
  builder_.capability(spv::Capability::PhysicalStorageBufferAddresses);
  const auto size = kernel::workgroup_size(function_);
  builder_.add(Section::execution_modes, spv::Op::OpExecutionMode,
               {entry, word(spv::ExecutionMode::LocalSize), static_cast<std::uint32_t>(size[0]),
                static_cast<std::uint32_t>(size[1]), static_cast<std::uint32_t>(size[2])});
  float_controls(entry);
}

Id Emitter::buffer_view(ElementType element) {
  Id& view = buffer_views_[element];
  if (view != 0) return view;
  const std::uint32_t bytes = static_cast<std::uint32_t>(accy::size_bytes(element));
  if (bytes == 1) builder_.capability(spv::Capability::StorageBuffer8BitAccess);
  if (bytes == 2) builder_.capability(spv::Capability::StorageBuffer16BitAccess);
  const std::array members{builder_.runtime_array_type(stored_type(element), bytes)};
  const std::array<std::uint32_t, 1> offsets{0};
  view = builder_.pointer_type(spv::StorageClass::PhysicalStorageBuffer,
                               builder_.block_type(members, offsets));
  return view;
}

Id Emitter::argument_block(Id pointer) {
  // The pointer is pushed as two words: for a variable that holds it as a pointer, spirv-val asks
  // for push constants of the narrowest type in the block.
  const Id word_type = builder_.int_type(32);
  const Id pair = builder_.vector_type(word_type, 2);
  const std::array members{pair};
  const std::array<std::uint32_t, 1> offsets{0};
  const Id variable = builder_.variable(spv::StorageClass::PushConstant,
                                        builder_.block_type(members, offsets));
  const Id place = builder_.emit(spv::Op::OpAccessChain,
                                 builder_.pointer_type(spv::StorageClass::PushConstant, pair),
                                 {variable, builder_.u32_constant(0)});
  const Id words = builder_.emit(spv::Op::OpLoad, pair, {place});
  argument_words_ = words;
  if (exact_) opaque_zero_ = make_opaque_zero();
  return builder_.emit(spv::Op::OpBitcast, pointer, {words});
}

Id Emitter::make_opaque_zero() {
  // The block is 8-byte aligned, so the lowest bit of its address is zero.
  const Id low = builder_.emit(spv::Op::OpCompositeExtract, builder_.int_type(32),
                               {argument_words_, 0});
  return WordMath(*this).bit_and(low, builder_.u32_constant(1));
}

Status Emitter::parameters() {
  ACCY_TRY_ASSIGN(const kernel::ArgumentLayout layout, kernel::argument_layout(function_));
  const choir::Block& block = function_.body();
  opaque_zero_ = builder_.u32_constant(0);
  if (layout.slots.empty()) return {};
  std::vector<Id> members;
  std::vector<std::uint32_t> offsets;
  for (const kernel::ArgumentSlot& slot : layout.slots) {
    const bool narrow_bool = !slot.is_buffer && slot.element == ElementType::boolean;
    if (!slot.is_buffer && slot.size_bytes == 1)
      builder_.capability(spv::Capability::StorageBuffer8BitAccess);
    if (!slot.is_buffer && slot.size_bytes == 2)
      builder_.capability(spv::Capability::StorageBuffer16BitAccess);
    members.push_back(slot.is_buffer ? buffer_view(slot.element)
                      : narrow_bool  ? builder_.int_type(32)
                                     : stored_type(slot.element));
    offsets.push_back(static_cast<std::uint32_t>(slot.offset_bytes));
  }
  const Id arguments = builder_.pointer_type(spv::StorageClass::PhysicalStorageBuffer,
                                             builder_.block_type(members, offsets));
  const Id address = argument_block(arguments);
  for (std::size_t index = 0; index < layout.slots.size(); ++index) {
    const kernel::ArgumentSlot& slot = layout.slots[index];
    const choir::Value* argument = block.argument(index);
    if (!argument->has_uses()) continue;
    const Id pointer = builder_.emit(
        spv::Op::OpAccessChain,
        builder_.pointer_type(spv::StorageClass::PhysicalStorageBuffer, members[index]),
        {address, builder_.u32_constant(static_cast<std::uint32_t>(index))});
    const Id loaded =
        builder_.emit(spv::Op::OpLoad, members[index],
                      {pointer, word(spv::MemoryAccessMask::Aligned),
                       static_cast<std::uint32_t>(slot.size_bytes)});
    const bool is_bool = !slot.is_buffer && slot.element == ElementType::boolean;
    bind(argument, is_bool ? builder_.emit(spv::Op::OpINotEqual, builder_.bool_type(),
                                           {loaded, builder_.u32_constant(0)})
                           : loaded);
  }
  return {};
}

Id Emitter::builtin(spv::BuiltIn name, std::optional<std::uint32_t> component) {
  Id& variable = builtins_[word(name)];
  const Id scalar = builder_.int_type(32);
  const Id type = component ? builder_.vector_type(scalar, 3) : scalar;
  if (variable == 0) {
    variable = builder_.variable(spv::StorageClass::Input, type);
    builder_.decorate(variable, spv::Decoration::BuiltIn, {word(name)});
  }
  const Id loaded = builder_.emit(spv::Op::OpLoad, type, {variable});
  return component ? builder_.emit(spv::Op::OpCompositeExtract, scalar, {loaded, *component})
                   : loaded;
}

Id Emitter::opaque(ElementType element, Id value) {
  return exact_ ? hide(element, value, opaque_zero_) : value;
}

Id Emitter::opaque_always(ElementType element, Id value) {
  if (exact_ || argument_words_ == 0) return value;
  return hide(element, value, make_opaque_zero());
}

Id Emitter::hide(ElementType element, Id value, Id zero) {
  if (element == ElementType::f32) {
    WordMath math(*this);
    return builder_.emit(spv::Op::OpBitcast, type(element),
                         {math.bit_or(math.bits(value), zero)});
  }
  if (element != ElementType::f64) return value;
  const Id pair = builder_.vector_type(builder_.int_type(32), 2);
  const Id zeros = builder_.emit(spv::Op::OpCompositeConstruct, pair, {zero, zero});
  const Id bits = builder_.emit(spv::Op::OpBitcast, pair, {value});
  return builder_.emit(spv::Op::OpBitcast, type(element),
                       {builder_.emit(spv::Op::OpBitwiseOr, pair, {bits, zeros})});
}

Id Emitter::float_constant(ElementType element, std::uint64_t bits) {
  const Id unused = type(element);  // declares the capability
  static_cast<void>(unused);
  return opaque(element, builder_.float_constant(width(element), bits));
}

Id Emitter::precise(Id result) {
  if (exact_) builder_.decorate(result, spv::Decoration::NoContraction);
  return result;
}

Result<Words> Emitter::emit_block(const choir::Block& block) {
  for (const choir::Operation* operation : block.operations()) {
    const OpRule* rule = find_rule(operation->name());
    if (rule == nullptr)
      return fail(ErrorCode::unsupported,
                  "vulkan emits no operation of that name (" + std::string(operation->name()) +
                      ")",
                  operation->location().first(), std::string(operation->name()));
    ACCY_TRY(rule->emit(*this, *operation));
  }
  const choir::Operation* terminator = block.terminator();
  Words results;
  for (std::size_t index = 0; terminator != nullptr && index < terminator->operand_count();
       ++index)
    results.push_back(operand(*terminator, index));
  return results;
}

Result<Words> Emitter::run() {
  const Id entry = builder_.new_id();
  const Id nothing = builder_.void_type();
  builder_.add(Section::names, spv::Op::OpName, [&] {
    Words operands{entry};
    const Words name = string_words(function_.symbol());
    operands.insert(operands.end(), name.begin(), name.end());
    return operands;
  }());
  builder_.emit_as(entry, spv::Op::OpFunction, nothing, {0, builder_.function_type(nothing)});
  builder_.label(builder_.new_id());
  header(entry);
  ACCY_TRY(parameters());
  ACCY_TRY_ASSIGN(const Words results, emit_block(function_.body()));
  ACCY_ASSERT(results.empty(), "kernel.return has no operands");
  builder_.emit_void(spv::Op::OpReturn, {});
  builder_.emit_void(spv::Op::OpFunctionEnd, {});
  Words operands{word(spv::ExecutionModel::GLCompute), entry};
  const Words name = string_words(function_.symbol());
  operands.insert(operands.end(), name.begin(), name.end());
  const auto variables = builder_.interface_variables();
  operands.insert(operands.end(), variables.begin(), variables.end());
  builder_.add(Section::entry_points, spv::Op::OpEntryPoint, operands);
  return builder_.finish();
}

WordMath::WordMath(Emitter& emitter, std::uint32_t width)
    : builder_(emitter.builder()),
      width_(width),
      type_(emitter.builder().int_type(width)),
      bool_(emitter.builder().bool_type()) {
  if (width == 64) builder_.capability(spv::Capability::Int64);
}

}  // namespace accy::vulkan
