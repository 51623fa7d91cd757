// Correctly rounded f32 division and square root from operations every device does exactly.
#pragma once

#include "choir/operation.hpp"

namespace accy::vulkan {

/// Expands every f32 div and sqrt of an exact function: a seed by Newton steps, corrected by the
/// exact integer remainder, rounded to nearest even in integers; subnormals, zeros, infinities and
/// NaN included. f64 ones are left.
void expand_exact_division(choir::Operation& function);

}  // namespace accy::vulkan
