#include "targets/vulkan/profile/profiles.hpp"

#include <algorithm>
#include <vector>

namespace accy::vulkan {

namespace {

/// What Vulkan guarantees (limits) and what every desktop driver of 1.3 offers beyond it.
TargetProfile generic() {
  TargetProfile profile;
  profile.target = "vulkan";
  profile.name = "generic";
  profile.subgroup_size_minimum = 4;
  profile.subgroup_size_maximum = 128;
  profile.workgroup_size_maximum = {128, 128, 64};
  profile.workgroup_invocations_maximum = 128;
  profile.grid_size_maximum = {65535, 65535, 65535};
  profile.shared_memory_bytes = 16384;
  profile.buffer_bytes_maximum = std::int64_t{1} << 27;
  profile.allocation_bytes_maximum = std::int64_t{1} << 30;
  profile.buffer_alignment = 256;
  profile.storage_8bit = true;
  profile.storage_16bit = true;
  profile.arithmetic_i8 = true;
  profile.arithmetic_i16 = true;
  profile.arithmetic_i64 = true;
  profile.code_version = 15;
  return profile;
}

TargetProfile lavapipe() {
  TargetProfile profile = generic();
  profile.name = "lavapipe";
  profile.vendor = "Mesa";
  profile.driver = "llvmpipe 22.3";
  profile.subgroup_size_minimum = 8;
  profile.subgroup_size_maximum = 8;
  profile.workgroup_size_maximum = {1024, 1024, 1024};
  profile.workgroup_invocations_maximum = 1024;
  profile.shared_memory_bytes = 32768;
  profile.allocation_bytes_maximum = std::int64_t{1} << 31;
  profile.buffer_alignment = 16;
  profile.loop_iterations_maximum = 65000;
  profile.arithmetic_f16 = true;
  profile.arithmetic_f64 = true;
  profile.subgroup_shuffle = true;
  profile.subgroup_arithmetic = true;
  profile.subgroup_size_control = true;
  profile.rounding_rte_f32 = true;
  profile.rounding_rte_f16 = true;
  profile.signed_zero_inf_nan_f32 = true;
  profile.subnormals_kept_f32 = true;
  profile.quirks = {
      {"loops_cut_after_65535_iterations",
       "Mesa src/gallium/auxiliary/gallivm/lp_bld_limits.h, LP_MAX_TGSI_LOOP_ITERATIONS"},
      {"float_zero_constants_folded",
       "measured on Mesa 22.3.6: x + 0.0 becomes x and x * 0.0 becomes +0 in spite of "
       "SignedZeroInfNanPreserve"},
      {std::string(quirk_subnormals_undeclared), "measured on Mesa 22.3.6 over 65,536 pairs"},
  };
  return profile;
}

/// A discrete or integrated desktop GPU with a current driver.
TargetProfile desktop(const char* name, const char* vendor, std::int64_t subgroup_minimum,
                      std::int64_t subgroup_maximum) {
  TargetProfile profile = generic();
  profile.name = name;
  profile.vendor = vendor;
  profile.subgroup_size_minimum = subgroup_minimum;
  profile.subgroup_size_maximum = subgroup_maximum;
  profile.workgroup_size_maximum = {1024, 1024, 64};
  profile.workgroup_invocations_maximum = 1024;
  profile.shared_memory_bytes = 32768;
  profile.buffer_bytes_maximum = (std::int64_t{1} << 32) - 1;
  profile.allocation_bytes_maximum = std::int64_t{1} << 32;
  profile.arithmetic_f16 = true;
  profile.subgroup_shuffle = true;
  profile.subgroup_arithmetic = true;
  profile.subgroup_size_control = true;
  profile.rounding_rte_f32 = true;
  profile.rounding_rte_f16 = true;
  profile.signed_zero_inf_nan_f32 = true;
  profile.subnormals_kept_f32 = true;
  return profile;
}

TargetProfile nvidia() {
  TargetProfile profile = desktop("nvidia", "NVIDIA", 32, 32);
  profile.shared_memory_bytes = 49152;
  profile.grid_size_maximum = {2147483647, 65535, 65535};
  profile.arithmetic_f64 = true;
  profile.forward_progress = true;
  return profile;
}

TargetProfile amd() {
  TargetProfile profile = desktop("amd", "AMD", 32, 64);
  profile.workgroup_size_maximum = {1024, 1024, 1024};
  profile.arithmetic_f64 = true;
  return profile;
}

TargetProfile intel() {
  TargetProfile profile = desktop("intel", "Intel", 8, 32);
  profile.buffer_bytes_maximum = (std::int64_t{1} << 30);
  return profile;
}

TargetProfile mobile() {
  TargetProfile profile = generic();
  profile.name = "mobile";
  profile.subgroup_size_minimum = 4;
  profile.subgroup_size_maximum = 128;
  profile.arithmetic_i64 = false;
  return profile;
}

}  // namespace

std::span<const TargetProfile> profiles() {
  static const std::vector<TargetProfile> list{generic(), lavapipe(), nvidia(),
                                               amd(),     intel(),    mobile()};
  return list;
}

bool has_quirk(const TracedProfile& profile, std::string_view name) {
  return std::ranges::any_of(profile.read(&TargetProfile::quirks),
                             [&](const Quirk& quirk) { return quirk.name == name; });
}

bool keeps_half_as_bits(bool exact, const TracedProfile& profile) {
  return exact || !profile.read(&TargetProfile::rounding_rte_f16) ||
         !profile.read(&TargetProfile::arithmetic_f16);
}

}  // namespace accy::vulkan
