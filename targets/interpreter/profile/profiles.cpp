#include "targets/interpreter/profile/profiles.hpp"

#include <limits>

namespace accy::interpreter {
namespace {

TargetProfile generic() {
  constexpr std::int64_t grid = std::numeric_limits<std::int32_t>::max();
  TargetProfile profile;
  profile.target = "interpreter";
  profile.name = "generic";
  profile.vendor = "accy";
  profile.driver = "kernel interpreter";
  profile.subgroup_size_minimum = 32;
  profile.subgroup_size_maximum = 32;
  profile.workgroup_size_maximum = {1024, 1024, 64};
  profile.workgroup_invocations_maximum = 1024;
  profile.grid_size_maximum = {grid, grid, grid};
  profile.shared_memory_bytes = std::int64_t{1} << 16;
  profile.buffer_bytes_maximum = std::int64_t{1} << 32;
  profile.allocation_bytes_maximum = std::int64_t{1} << 34;
  profile.storage_8bit = true;
  profile.storage_16bit = true;
  profile.arithmetic_f16 = true;
  profile.arithmetic_bf16 = true;
  profile.arithmetic_f64 = true;
  profile.arithmetic_i8 = true;
  profile.arithmetic_i16 = true;
  profile.arithmetic_i64 = true;
  profile.subgroup_shuffle = true;
  profile.subgroup_arithmetic = true;
  profile.subgroup_size_control = true;
  profile.rounding_rte_f32 = true;
  profile.rounding_rte_f16 = true;
  profile.signed_zero_inf_nan_f32 = true;
  profile.subnormals_kept_f32 = true;
  profile.code_version = 10;
  return profile;
}

}  // namespace

std::span<const TargetProfile> profiles() {
  static const TargetProfile profile = generic();
  return std::span(&profile, 1);
}

}  // namespace accy::interpreter
