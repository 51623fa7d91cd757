// Equations of tensor.einsum, as NumPy writes them: "...ij,...jk->...ik".
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "dialect/tensor/type.hpp"

namespace accy::tensor {

/// An index of an equation: a letter (a to z, then A to Z), or an axis of the ellipsis counted from
/// its last. At most 60 are different, so that a set of them fits 64 bits.
using EinsumLabel = std::uint8_t;
inline constexpr EinsumLabel einsum_letters = 52;

/// The labels of every axis of the operands and of the result.
struct EinsumEquation {
  std::vector<std::vector<EinsumLabel>> operands;
  std::vector<EinsumLabel> output;
};

/// Reads an equation for operands of these ranks. Without an arrow the result has the ellipsis and
/// then every letter that stands once, in alphabetical order (A to Z first). A letter repeated in
/// one term takes the diagonal.
Result<EinsumEquation> read_einsum_equation(std::string_view text,
                                            std::span<const std::size_t> ranks);

/// The size of each label, indexed by it. Equal letters have equal sizes; along the ellipsis a size
/// of 1 repeats.
Result<std::vector<Dimension>> einsum_sizes(const EinsumEquation& equation,
                                            std::span<const TensorType> operands);

}  // namespace accy::tensor
