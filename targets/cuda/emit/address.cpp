// Addresses: the constant part of an index becomes the offset of the access, and what is left is
// computed once for all accesses that differ in the constant only.
#include <fmt/format.h>

#include "targets/cuda/emit/emitter.hpp"

namespace accy::cuda {

namespace {

constexpr RegisterClass b32 = RegisterClass::b32;
constexpr RegisterClass b64 = RegisterClass::b64;

/// An index as variable + constant, modulo 2^width of the index type.
struct SplitIndex {
  std::optional<Register> variable;
  std::int64_t constant = 0;
};

/// Largest constant part, in elements: far from where the offset in bytes leaves 32 bits.
constexpr std::int64_t constant_maximum = std::int64_t{1} << 20;
/// Operations looked through; an index deeper than that is taken as it is.
constexpr int depth_maximum = 6;

bool is_part(std::int64_t constant) { return constant >= 0 && constant <= constant_maximum; }

std::string typed(std::string_view opcode, Register like) {
  return fmt::format("{}.{}", opcode, like.kind == b64 ? "s64" : "s32");
}

SplitIndex split(Emitter& emitter, const choir::Value* index, int depth);

SplitIndex split_sum(Emitter& emitter, const choir::Operation& sum, int depth) {
  const SplitIndex a = split(emitter, sum.operand(0), depth);
  const SplitIndex b = split(emitter, sum.operand(1), depth);
  const Register whole = emitter.scalar(sum.result());
  if ((a.constant == 0 && b.constant == 0) || !is_part(a.constant + b.constant)) return {whole, 0};
  SplitIndex result{a.variable ? a.variable : b.variable, a.constant + b.constant};
  if (a.variable && b.variable)
    result.variable = emitter.reused(whole.kind, typed("add", whole), {*a.variable, *b.variable});
  return result;
}

SplitIndex split_product(Emitter& emitter, const choir::Operation& product, int depth) {
  const Register whole = emitter.scalar(product.result());
  for (std::size_t i = 0; i < 2; ++i) {
    const auto factor = kernel::constant_integer(product.operand(i));
    if (!factor || !is_part(*factor)) continue;
    const SplitIndex other = split(emitter, product.operand(1 - i), depth);
    // Both are at most 2^20, so their product does not overflow.
    if (!other.variable || other.constant == 0 || !is_part(other.constant * *factor)) continue;
    return {emitter.reused(whole.kind, typed("mul.lo", whole), {*other.variable, *factor}),
            other.constant * *factor};
  }
  return {whole, 0};
}

/// Takes sums and products with constants apart. The parts are right modulo 2^width. That the
/// address adds them in 64 bits is right as well, for every index is in bounds, so not negative:
/// were variable + constant, the constant not negative and small, to pass the end of i32, the
/// wrapped index would be negative.
SplitIndex split(Emitter& emitter, const choir::Value* index, int depth) {
  if (const auto constant = kernel::constant_integer(index); constant && is_part(*constant))
    return {std::nullopt, *constant};
  const choir::Operation* defining = index->defining_operation();
  if (defining != nullptr && depth < depth_maximum) {
    if (defining->name() == kernel::op::add) return split_sum(emitter, *defining, depth + 1);
    if (defining->name() == kernel::op::mul) return split_product(emitter, *defining, depth + 1);
  }
  return {emitter.scalar(index), 0};
}

Register global_address(Emitter& emitter, Register base, Register index, std::int64_t size) {
  if (index.kind == b64) return emitter.reused(b64, "mad.lo.s64", {index, size, base});
  const Register offset = emitter.reused(b64, "mul.wide.s32", {index, size});
  return emitter.reused(b64, "add.s64", {base, offset});
}

Register shared_address(Emitter& emitter, Register base, Register index, std::int64_t size) {
  if (index.kind == b64) index = emitter.reused(b32, "cvt.u32.u64", {index});
  return emitter.reused(b32, "mad.lo.s32", {index, size, base});
}

}  // namespace

Operand element_address(Emitter& emitter, const Memory& memory, const choir::Value* index) {
  const std::int64_t size = size_bytes(memory.element);
  const SplitIndex parts = split(emitter, index, 0);
  Register base = memory.base;
  if (parts.variable)
    base = memory.shared ? shared_address(emitter, base, *parts.variable, size)
                         : global_address(emitter, base, *parts.variable, size);
  return address(base, parts.constant * size);
}

}  // namespace accy::cuda
