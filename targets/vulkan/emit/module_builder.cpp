#include "targets/vulkan/emit/module_builder.hpp"

namespace accy::vulkan {

namespace {

constexpr std::uint32_t version_1_5 = 0x00010500;
constexpr std::uint32_t generator = 0;  // unregistered

constexpr std::uint32_t word(auto enumerant) { return static_cast<std::uint32_t>(enumerant); }

Words constant_words(std::uint32_t width, std::uint64_t bits) {
  Words words{static_cast<std::uint32_t>(bits)};
  if (width == 64) words.push_back(static_cast<std::uint32_t>(bits >> 32U));
  return words;
}

}  // namespace

Words string_words(std::string_view text) {
  Words words(text.size() / 4 + 1, 0);
  for (std::size_t index = 0; index < text.size(); ++index) {
    const auto byte = static_cast<std::uint32_t>(static_cast<unsigned char>(text[index]));
    words[index / 4] |= byte << (index % 4 * 8);
  }
  return words;
}

void ModuleBuilder::append(Words& words, spv::Op op, std::span<const std::uint32_t> operands) {
  words.push_back(static_cast<std::uint32_t>(operands.size() + 1) << 16U | word(op));
  words.insert(words.end(), operands.begin(), operands.end());
}

Id ModuleBuilder::glsl_instructions() {
  if (glsl_ == 0) glsl_ = new_id();
  return glsl_;
}

void ModuleBuilder::add(Section target, spv::Op op, std::span<const std::uint32_t> operands) {
  append(section(target), op, operands);
}

void ModuleBuilder::add(Section target, spv::Op op,
                        std::initializer_list<std::uint32_t> operands) {
  append(section(target), op, std::span(operands.begin(), operands.size()));
}

Id ModuleBuilder::intern(spv::Op op, Id type, std::vector<std::uint32_t> operands, bool* created) {
  std::vector<std::uint32_t> key{word(op), type};
  key.insert(key.end(), operands.begin(), operands.end());
  const auto [place, is_new] = interned_.try_emplace(std::move(key), next_id_);
  if (created != nullptr) *created = is_new;
  if (!is_new) return place->second;
  const Id id = new_id();
  operands.insert(operands.begin(), id);
  if (type != 0) operands.insert(operands.begin(), type);
  append(section(Section::declarations), op, operands);
  return id;
}

Id ModuleBuilder::void_type() { return intern(spv::Op::OpTypeVoid, 0, {}); }
Id ModuleBuilder::bool_type() { return intern(spv::Op::OpTypeBool, 0, {}); }
Id ModuleBuilder::int_type(std::uint32_t width) {
  return intern(spv::Op::OpTypeInt, 0, {width, 0});
}
Id ModuleBuilder::float_type(std::uint32_t width) {
  return intern(spv::Op::OpTypeFloat, 0, {width});
}
Id ModuleBuilder::vector_type(Id element, std::uint32_t count) {
  return intern(spv::Op::OpTypeVector, 0, {element, count});
}
Id ModuleBuilder::array_type(Id element, std::uint32_t count) {
  return intern(spv::Op::OpTypeArray, 0, {element, u32_constant(count)});
}

Id ModuleBuilder::runtime_array_type(Id element, std::uint32_t stride) {
  bool created = false;
  const Id type = intern(spv::Op::OpTypeRuntimeArray, 0, {element}, &created);
  if (created) decorate(type, spv::Decoration::ArrayStride, {stride});
  return type;
}

Id ModuleBuilder::block_type(std::span<const Id> members, std::span<const std::uint32_t> offsets) {
  Words operands{new_id()};
  operands.insert(operands.end(), members.begin(), members.end());
  append(section(Section::declarations), spv::Op::OpTypeStruct, operands);
  const Id type = operands.front();
  decorate(type, spv::Decoration::Block);
  for (std::uint32_t index = 0; index < offsets.size(); ++index)
    add(Section::decorations, spv::Op::OpMemberDecorate,
        {type, index, word(spv::Decoration::Offset), offsets[index]});
  return type;
}

Id ModuleBuilder::pointer_type(spv::StorageClass storage, Id pointee) {
  return intern(spv::Op::OpTypePointer, 0, {word(storage), pointee});
}
Id ModuleBuilder::function_type(Id result) {
  return intern(spv::Op::OpTypeFunction, 0, {result});
}

Id ModuleBuilder::bool_constant(bool value) {
  return intern(value ? spv::Op::OpConstantTrue : spv::Op::OpConstantFalse, bool_type(), {});
}
Id ModuleBuilder::int_constant(std::uint32_t width, std::uint64_t bits) {
  return intern(spv::Op::OpConstant, int_type(width), constant_words(width, bits));
}
Id ModuleBuilder::float_constant(std::uint32_t width, std::uint64_t bits) {
  return intern(spv::Op::OpConstant, float_type(width), constant_words(width, bits));
}

Id ModuleBuilder::variable(spv::StorageClass storage, Id pointee) {
  const Id type = pointer_type(storage, pointee);
  const Id id = new_id();
  add(Section::declarations, spv::Op::OpVariable, {type, id, word(storage)});
  interface_.push_back(id);
  return id;
}

void ModuleBuilder::decorate(Id target, spv::Decoration decoration,
                             std::initializer_list<std::uint32_t> operands) {
  Words words{target, word(decoration)};
  words.insert(words.end(), operands.begin(), operands.end());
  add(Section::decorations, spv::Op::OpDecorate, words);
}

Id ModuleBuilder::emit(spv::Op op, Id type, std::span<const std::uint32_t> operands) {
  const Id id = new_id();
  Words& words = section(Section::function);
  words.insert(words.end(),
               {static_cast<std::uint32_t>(operands.size() + 3) << 16U | word(op), type, id});
  words.insert(words.end(), operands.begin(), operands.end());
  return id;
}

Id ModuleBuilder::emit(spv::Op op, Id type, std::initializer_list<std::uint32_t> operands) {
  return emit(op, type, std::span(operands.begin(), operands.size()));
}

void ModuleBuilder::emit_as(Id result, spv::Op op, Id type,
                            std::initializer_list<std::uint32_t> operands) {
  Words words{type, result};
  words.insert(words.end(), operands.begin(), operands.end());
  add(Section::function, op, words);
}

void ModuleBuilder::emit_void(spv::Op op, std::initializer_list<std::uint32_t> operands) {
  add(Section::function, op, operands);
}

Id ModuleBuilder::extended(Id type, std::uint32_t instruction,
                           std::initializer_list<std::uint32_t> operands) {
  Words words{glsl_instructions(), instruction};
  words.insert(words.end(), operands.begin(), operands.end());
  return emit(spv::Op::OpExtInst, type, words);
}

void ModuleBuilder::label(Id id) {
  add(Section::function, spv::Op::OpLabel, {id});
  current_block_ = id;
}

std::pair<Id, std::size_t> ModuleBuilder::open_phi(Id type, Id value, Id predecessor,
                                                   Id later_predecessor) {
  const Id id = emit(spv::Op::OpPhi, type, {value, predecessor, 0, later_predecessor});
  return {id, section(Section::function).size() - 2};
}

void ModuleBuilder::patch_phi(std::size_t place, Id value) {
  section(Section::function)[place] = value;
}

Words ModuleBuilder::finish() const {
  Words words{spv::MagicNumber, version_1_5, generator, next_id_, 0};
  for (const std::uint32_t capability : capabilities_)
    append(words, spv::Op::OpCapability, Words{capability});
  if (glsl_ != 0) {
    Words operands{glsl_};
    const Words name = string_words("GLSL.std.450");
    operands.insert(operands.end(), name.begin(), name.end());
    append(words, spv::Op::OpExtInstImport, operands);
  }
  append(words, spv::Op::OpMemoryModel,
         Words{word(spv::AddressingModel::PhysicalStorageBuffer64),
               word(spv::MemoryModel::Vulkan)});
  for (const Words& part : sections_) words.insert(words.end(), part.begin(), part.end());
  return words;
}

}  // namespace accy::vulkan
