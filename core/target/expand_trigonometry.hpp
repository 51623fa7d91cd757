// Sine and cosine of f32 as kernel arithmetic.
#pragma once

#include "target/expansion_builder.hpp"

namespace accy::target {

/// Within 2.5 ulp for every f32, or 2^-24; infinities and NaN give NaN, and sin(-0) is -0.
ExpansionBuilder::Value expand_sin(ExpansionBuilder& build, ExpansionBuilder::Value x);
ExpansionBuilder::Value expand_cos(ExpansionBuilder& build, ExpansionBuilder::Value x);

}  // namespace accy::target
