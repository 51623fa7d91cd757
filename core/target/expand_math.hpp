// Expansions of elementary functions into kernel arithmetic, shared by the targets.
#pragma once

#include "accy/result.hpp"
#include "choir/operation.hpp"

namespace accy::target {

/// Which operations to expand.
struct MathExpansion {
  bool exp = false;   ///< f32: into add, sub, mul, floor and bits; within 1.5 ulp
  bool log = false;   ///< f32: likewise; within 2 ulp
  bool tanh = true;   ///< f32: into arithmetic, div and exp
  bool erf = true;    ///< f32: into arithmetic and exp
  bool trigonometry = true;  ///< f32 sin and cos: into arithmetic and bits
  bool remainder = true;  ///< f32 and f64 rem: the exact remainder, by a loop over integers
};

/// Rewrites the function in place. The expansions use no fma, so in an exact function they give the
/// same bits on every device (with div and exp that do). An f64 operation that is to be expanded
/// and has no expansion is an error naming it.
Status expand_math(choir::Operation& function, MathExpansion options = {});

}  // namespace accy::target
