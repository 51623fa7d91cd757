// Conversions of the 16-bit floats by integer code.
#pragma once

#include "targets/vulkan/emit/emitter.hpp"

namespace accy::vulkan {

// The 16 bits are the low half of a u32 in all of these.
Id bfloat16_bits_from_f32(Emitter& emitter, Id value);
Id f32_from_bfloat16_bits(Emitter& emitter, Id bits);
Id half_bits_from_f32(Emitter& emitter, Id value);
Id f32_from_half_bits(Emitter& emitter, Id bits);

/// An f64 as the f32 that is exact, or truncated with its lowest bit set ("round to odd"): rounding
/// that to 16 bits gives what rounding the f64 at once would.
Id f32_to_odd_from_f64(Emitter& emitter, Id value);

}  // namespace accy::vulkan
