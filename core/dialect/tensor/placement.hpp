// Where the elements of an op's result come from: declared by the ops that move elements, read by
// the evaluator, by fusion and by the kernel generators.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "choir/operation.hpp"

namespace accy::tensor {

/// The index along one operand axis: scale * (the result's index along `axis`) + offset.
struct AxisSource {
  static constexpr int none = -1;
  int axis = none;  ///< none: the offset alone
  std::int64_t scale = 1;
  std::int64_t offset = 0;
};

/// Offered by the ops that are not elementwise but compute no numbers.
struct Placement {
  static const char key;
  /// One source an operand axis, for static shapes of operand and result. Null where the op is not
  /// of that form.
  std::vector<AxisSource> (*sources)(const choir::Operation& operation,
                                     std::span<const std::int64_t> from,
                                     std::span<const std::int64_t> to) = nullptr;
  bool row_major = false;  ///< the same elements in row-major order (reshape)
};

/// Whether the op has one operand whose elements it moves, to places known beforehand.
inline bool is_movement(const choir::Operation& operation) {
  const auto* placement = operation.definition().interface<Placement>();
  return placement != nullptr && (placement->row_major || placement->sources != nullptr);
}

/// Whether an element of the result depends on operand elements at other indices than its own, and
/// the op is no reduction or contraction.
inline bool is_displacing(const choir::Operation& operation) {
  return operation.definition().interface<Placement>() != nullptr;
}

}  // namespace accy::tensor
