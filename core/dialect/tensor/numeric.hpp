// The numeric contract as the ops see it: attributes of a reduction or contraction, and the
// `numeric = {accumulate, mode, order}` dictionary of the module around it.
#pragma once

#include <cstdint>
#include <string_view>

#include "accy/element_type.hpp"
#include "choir/operation.hpp"

namespace accy::tensor {

enum class NumericMode : std::uint8_t {
  fast,    ///< within the tolerance table
  strict,  ///< the same bits on every device
};

enum class ReductionOrder : std::uint8_t {
  free,   ///< any order of accumulation
  fixed,  ///< the 32-lane tree of docs/numerics.md
};

std::string_view to_string(NumericMode mode);

/// The mode of the module around the operation; fast when it says nothing.
NumericMode numeric_mode(const choir::Operation& operation);

/// The order of a reduction: its own attribute, else the module's, else free; fixed in strict mode.
ReductionOrder reduction_order(const choir::Operation& operation);

/// The type in which a reduction or contraction of `element` accumulates: its own attribute
/// `accumulate`, else the module's where that is a float type at least as wide as a float
/// `element`, else the default.
ElementType accumulate_type(const choir::Operation& operation, ElementType element);

/// f32 for the floats up to it, i32 or u32 for narrower integers, else the type itself.
ElementType default_accumulate_type(ElementType element);

}  // namespace accy::tensor
