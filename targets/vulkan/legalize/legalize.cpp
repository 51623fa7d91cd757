#include "targets/vulkan/legalize/legalize.hpp"

#include "dialect/kernel/kernel.hpp"
#include "target/expand_math.hpp"
#include "target/loop_limit.hpp"
#include "targets/vulkan/legalize/exact_division.hpp"
#include "targets/vulkan/legalize/requirements.hpp"

namespace accy::vulkan {

Status legalize(choir::Operation& function, const TracedProfile& profile) {
  ACCY_TRY(check_frame(function, profile));
  ACCY_TRY(check_exactness(function, profile));
  // Native exp and log promise no particular bits.
  const bool exact = kernel::is_exact(function);
  target::MathExpansion expansion;
  expansion.exp = exact;
  expansion.log = exact;
  ACCY_TRY(target::expand_math(function, expansion));
  if (exact) expand_exact_division(function);
  ACCY_TRY(check_types(function, profile));
  return target::check_loop_limit(function, profile);
}

}  // namespace accy::vulkan
