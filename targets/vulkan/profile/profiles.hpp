// Built-in profiles of the Vulkan target.
#pragma once

#include <span>

#include "profile/profile.hpp"

namespace accy::vulkan {

/// generic (the floor of every desktop Vulkan 1.3 driver) first, then lavapipe, nvidia, amd, intel
/// and mobile. A profile made from a live device is always the better one.
std::span<const TargetProfile> profiles();

/// The quirk of a device that keeps subnormals without declaring it: the execution mode that
/// demands them must not be used there.
inline constexpr std::string_view quirk_subnormals_undeclared = "subnormals_kept_undeclared";

/// Whether the profile carries a quirk of that name.
bool has_quirk(const TracedProfile& profile, std::string_view name);

/// Whether an f16 value is kept as its 16 bits and converted by integer code: always when exact,
/// and where the device has no Float16 or rounds its conversions as it likes.
bool keeps_half_as_bits(bool exact, const TracedProfile& profile);

}  // namespace accy::vulkan
