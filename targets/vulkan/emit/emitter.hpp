// Emitter: the state of one kernel.func on its way to SPIR-V, and the tables of the op families.
//
// A scalar value is one id; a kernel vector is the list of its elements' ids, joined only at the
// access that moves it. Stored types differ from computed ones: a bool is a byte in memory, bf16
// (and f16, where conversions are done by integer code) is its bits.
#pragma once

#include <array>
#include <map>
#include <optional>

#include "choir/value_table.hpp"
#include "dialect/kernel/kernel.hpp"
#include "profile/profile.hpp"
#include "targets/vulkan/emit/module_builder.hpp"

namespace accy::vulkan {

class Emitter;

/// How one operation is emitted.
struct OpRule {
  std::string_view name;
  Status (*emit)(Emitter& emitter, const choir::Operation& operation);
};

// The families; each file of that name holds its rules.
std::span<const OpRule> structure_rules();
std::span<const OpRule> arithmetic_rules();
std::span<const OpRule> integer_rules();
std::span<const OpRule> math_rules();
std::span<const OpRule> conversion_rules();
std::span<const OpRule> memory_rules();
std::span<const OpRule> control_rules();
std::span<const OpRule> subgroup_rules();

/// The rule of an operation, or null when the emitter has none.
const OpRule* find_rule(std::string_view name);

class Emitter {
 public:
  Emitter(const choir::Operation& function, const TracedProfile& profile);

  /// The whole module.
  Result<Words> run();

  ModuleBuilder& builder() { return builder_; }
  const TracedProfile& profile() const { return profile_; }
  const choir::Operation& function() const { return function_; }
  bool exact() const { return exact_; }
  /// Whether an f16 value is kept as its 16 bits and converted by integer code.
  bool half_as_bits() const { return half_as_bits_; }

  // Values.
  Id value(const choir::Value* value) const;
  std::span<const Id> elements(const choir::Value* value) const;
  void bind(const choir::Value* value, Id id) { values_[value] = {id, {}}; }
  void bind(const choir::Value* value, Words ids) { values_[value] = {0, std::move(ids)}; }
  Id operand(const choir::Operation& operation, std::size_t index) const {
    return value(operation.operand(index));
  }

  // Types; each declares the capability that it needs.
  Id type(ElementType element);         ///< of a computed value
  Id stored_type(ElementType element);  ///< of an element in memory
  std::uint32_t width(ElementType element) const;

  /// Emits every operation of the block; returns the ids of its terminator's operands.
  Result<Words> emit_block(const choir::Block& block);

  /// A value that is zero at run time (u32), which no compiler can know.
  Id opaque_zero() const { return opaque_zero_; }
  /// The float value, hidden from constant folding; lavapipe folds x + 0.0 to x.
  Id opaque(ElementType element, Id value);
  /// The same in every function. In an exact one float constants are opaque already.
  Id opaque_always(ElementType element, Id value);
  /// A float constant; opaque in an exact function.
  Id float_constant(ElementType element, std::uint64_t bits);
  /// Marks the result of an add, sub or mul; in exact functions it must not be contracted.
  Id precise(Id result);

  /// Workgroup id, local id component or the subgroup lane as u32.
  Id builtin(spv::BuiltIn name, std::optional<std::uint32_t> component);
  Id scope(spv::Scope scope) { return builder_.u32_constant(static_cast<std::uint32_t>(scope)); }

 private:
  void header(Id entry);
  void float_controls(Id entry);
  Status parameters();
  Id make_stored_type(ElementType element);
  Id buffer_view(ElementType element);
  /// Loads the pointer to the argument block, as that pointer type.
  Id argument_block(Id pointer);
  Id make_opaque_zero();
  Id hide(ElementType element, Id value, Id zero);

  const choir::Operation& function_;
  const TracedProfile& profile_;
  ModuleBuilder builder_;
  bool exact_;
  bool half_as_bits_;
  Id argument_words_ = 0;  ///< the address of the argument block; 0 where there is none
  Id opaque_zero_ = 0;
  /// A scalar's id, or those of a vector's elements.
  struct Ids {
    Id scalar = 0;
    Words vector;
  };
  choir::ValueTable<Ids> values_;
  std::array<Id, 13> stored_types_{};  ///< by element; 0: not declared yet
  std::map<ElementType, Id> buffer_views_;
  std::map<std::uint32_t, Id> builtins_;
};

/// Short names for u32 arithmetic in expansions.
class WordMath {
 public:
  explicit WordMath(Emitter& emitter, std::uint32_t width = 32);
  Id constant(std::uint64_t value) { return builder_.int_constant(width_, value); }
  Id add(Id a, Id b) { return binary(spv::Op::OpIAdd, a, b); }
  Id sub(Id a, Id b) { return binary(spv::Op::OpISub, a, b); }
  Id bit_and(Id a, Id b) { return binary(spv::Op::OpBitwiseAnd, a, b); }
  Id bit_or(Id a, Id b) { return binary(spv::Op::OpBitwiseOr, a, b); }
  Id bit_xor(Id a, Id b) { return binary(spv::Op::OpBitwiseXor, a, b); }
  Id shl(Id a, Id n) { return binary(spv::Op::OpShiftLeftLogical, a, n); }
  Id shr(Id a, Id n) { return binary(spv::Op::OpShiftRightLogical, a, n); }
  Id sar(Id a, Id n) { return binary(spv::Op::OpShiftRightArithmetic, a, n); }
  Id neg(Id a) { return builder_.emit(spv::Op::OpSNegate, type_, {a}); }
  Id less(Id a, Id b) { return test(spv::Op::OpULessThan, a, b); }
  Id less_signed(Id a, Id b) { return test(spv::Op::OpSLessThan, a, b); }
  Id equal(Id a, Id b) { return test(spv::Op::OpIEqual, a, b); }
  Id select(Id condition, Id a, Id b) {
    return builder_.emit(spv::Op::OpSelect, type_, {condition, a, b});
  }
  Id both(Id a, Id b) { return test(spv::Op::OpLogicalAnd, a, b); }
  Id either(Id a, Id b) { return test(spv::Op::OpLogicalOr, a, b); }
  Id invert(Id a) { return builder_.emit(spv::Op::OpLogicalNot, bool_, {a}); }
  /// The bits of a value of the same width, and back.
  Id bits(Id value) { return builder_.emit(spv::Op::OpBitcast, type_, {value}); }
  Id binary(spv::Op op, Id a, Id b) { return builder_.emit(op, type_, {a, b}); }
  Id test(spv::Op op, Id a, Id b) { return builder_.emit(op, bool_, {a, b}); }
  Id type() const { return type_; }

 private:
  ModuleBuilder& builder_;
  std::uint32_t width_;
  Id type_;
  Id bool_;
};

// What families share.
/// Compares floats so that a NaN gives false (true for ne), also where the device promises nothing.
Id compare_floats(Emitter& emitter, ElementType element, kernel::Predicate predicate, Id a, Id b);
/// Whether a float is NaN, by its bits.
Id is_nan(Emitter& emitter, ElementType element, Id value);
/// min or max of the dialect on any type but bool.
Id minimum_or_maximum(Emitter& emitter, ElementType element, bool minimum, Id a, Id b);
/// A stored element to its computed value, and back.
Id from_stored(Emitter& emitter, ElementType element, Id stored);
Id to_stored(Emitter& emitter, ElementType element, Id value);

}  // namespace accy::vulkan
