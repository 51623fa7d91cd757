// The float remainder (fmod) by integers.
#pragma once

#include "target/expansion_builder.hpp"

namespace accy::target {

/// a rem b of f32 or f64, exact: the sign of a, NaN for b = 0, an infinite a or a NaN; a where b is
/// infinite. Shifts the significand of a towards that of b a few bits at a time, at most 32 (f32)
/// or 187 (f64) times.
ExpansionBuilder::Value expand_remainder(ExpansionBuilder& build, ExpansionBuilder::Value a,
                                         ExpansionBuilder::Value b);

}  // namespace accy::target
