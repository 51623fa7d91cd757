// ModuleBuilder: assembles one SPIR-V module. Sections are kept apart and joined by finish(); types
// and constants are interned, so that equal declarations share one id, in order of first use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <set>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <spirv/unified1/spirv.hpp11>

namespace accy::vulkan {

using Id = std::uint32_t;
using Words = std::vector<std::uint32_t>;

/// A SPIR-V string operand: UTF-8, terminated and padded by zeros to whole words.
Words string_words(std::string_view text);

/// One module under construction. Nothing here fails; the validator judges the result.
class ModuleBuilder {
 public:
  /// Sections in the order of the specification's logical layout.
  enum class Section : std::uint8_t {
    entry_points, execution_modes, names, decorations, declarations, function
  };

  Id new_id() { return next_id_++; }
  void capability(spv::Capability value) {
    capabilities_.insert(static_cast<std::uint32_t>(value));
  }
  /// The id of GLSL.std.450, imported on first use.
  Id glsl_instructions();

  /// Appends an instruction without a result to a section.
  void add(Section section, spv::Op op, std::span<const std::uint32_t> operands);
  void add(Section section, spv::Op op, std::initializer_list<std::uint32_t> operands);

  // Types. Integers are signless: every type has signedness 0 and instructions carry the sign.
  Id void_type();
  Id bool_type();
  Id int_type(std::uint32_t width);
  Id float_type(std::uint32_t width);
  Id vector_type(Id element, std::uint32_t count);
  Id array_type(Id element, std::uint32_t count);
  /// A runtime array whose ArrayStride is `stride` bytes.
  Id runtime_array_type(Id element, std::uint32_t stride);
  /// A new Block structure with the given member offsets; never interned.
  Id block_type(std::span<const Id> members, std::span<const std::uint32_t> offsets);
  Id pointer_type(spv::StorageClass storage, Id pointee);
  Id function_type(Id result);

  // Constants. `bits` beyond the width must be zero.
  Id bool_constant(bool value);
  Id int_constant(std::uint32_t width, std::uint64_t bits);
  Id float_constant(std::uint32_t width, std::uint64_t bits);
  Id u32_constant(std::uint32_t value) { return int_constant(32, value); }

  /// A module-scope variable, listed in the entry point's interface.
  Id variable(spv::StorageClass storage, Id pointee);
  std::span<const Id> interface_variables() const { return interface_; }
  void decorate(Id target, spv::Decoration decoration,
                std::initializer_list<std::uint32_t> operands = {});

  // The function body.
  /// Appends an instruction with a result and returns its id.
  Id emit(spv::Op op, Id type, std::span<const std::uint32_t> operands);
  Id emit(spv::Op op, Id type, std::initializer_list<std::uint32_t> operands);
  /// Appends an instruction with a result whose id was taken before.
  void emit_as(Id result, spv::Op op, Id type, std::initializer_list<std::uint32_t> operands);
  void emit_void(spv::Op op, std::initializer_list<std::uint32_t> operands);
  Id extended(Id type, std::uint32_t instruction, std::initializer_list<std::uint32_t> operands);
  /// Opens a block; later phis name it as their predecessor.
  void label(Id id);
  Id current_block() const { return current_block_; }
  /// A phi of two edges whose second value is not known yet; returns {id, place to patch}.
  std::pair<Id, std::size_t> open_phi(Id type, Id value, Id predecessor, Id later_predecessor);
  void patch_phi(std::size_t place, Id value);

  /// The whole module, version 1.5.
  Words finish() const;

 private:
  Words& section(Section section) { return sections_[static_cast<std::size_t>(section)]; }
  static void append(Words& words, spv::Op op, std::span<const std::uint32_t> operands);
  /// The id of a declaration `op [type] id operands`, made on first use.
  Id intern(spv::Op op, Id type, std::vector<std::uint32_t> operands, bool* created = nullptr);

  Id next_id_ = 1;
  Id glsl_ = 0;
  Id current_block_ = 0;
  std::set<std::uint32_t> capabilities_;
  std::map<std::vector<std::uint32_t>, Id> interned_;
  std::vector<Id> interface_;
  Words sections_[6];
};

}  // namespace accy::vulkan
