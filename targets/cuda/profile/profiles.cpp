#include "targets/cuda/profile/profiles.hpp"

#include <array>
#include <limits>
#include <vector>

namespace accy::cuda {

namespace {

struct Architecture {
  std::string_view name;
  int major = 0;
  int minor = 0;
  std::int64_t ptx_floor = 0;  ///< the lowest PTX ISA that knows it
  bool exact_match = false;    ///< its PTX runs on this compute capability only
};

constexpr std::array<Architecture, 8> architectures{{
    {"sm_75", 7, 5, 63, false},
    {"sm_80", 8, 0, 70, false},
    {"sm_86", 8, 6, 71, false},
    {"sm_89", 8, 9, 78, false},
    {"sm_90", 9, 0, 78, false},
    {"sm_90a", 9, 0, 80, true},
    {"sm_100", 10, 0, 86, false},
    {"sm_120", 12, 0, 87, false},
}};

/// Shared memory that a kernel may declare statically on every architecture.
constexpr std::int64_t static_shared_bytes = 48 * 1024;

std::vector<std::string> matrix_units(const Architecture& architecture) {
  if (architecture.major < 8) return {"m16n8k8.f16.f32.subgroup"};
  return {"m16n8k16.bf16.f32.subgroup", "m16n8k16.f16.f32.subgroup", "m16n8k8.tf32.f32.subgroup"};
}

TargetProfile make_profile(const Architecture& architecture) {
  TargetProfile profile;
  profile.target = "cuda";
  profile.name = architecture.name;
  profile.vendor = "NVIDIA";
  profile.subgroup_size_minimum = 32;
  profile.subgroup_size_maximum = 32;
  profile.workgroup_size_maximum = {1024, 1024, 64};
  profile.workgroup_invocations_maximum = 1024;
  profile.grid_size_maximum = {std::numeric_limits<std::int32_t>::max(), 65535, 65535};
  profile.shared_memory_bytes = static_shared_bytes;
  profile.registers_per_invocation = 255;
  profile.buffer_bytes_maximum = std::int64_t{1} << 40;
  profile.allocation_bytes_maximum = std::int64_t{1} << 40;
  profile.buffer_alignment = 256;
  profile.loop_iterations_maximum = 0;
  profile.storage_8bit = true;
  profile.storage_16bit = true;
  profile.arithmetic_f16 = true;
  profile.arithmetic_bf16 = architecture.major >= 8;
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
  profile.asynchronous_copy = architecture.major >= 8;
  profile.forward_progress = true;
  profile.binding_classes = {"address"};
  profile.matrix_units = matrix_units(architecture);
  profile.code_version = architecture.ptx_floor;
  profile.architecture = architecture.name;
  return profile;
}

bool runs_on(const Architecture& architecture, int major, int minor) {
  if (architecture.exact_match) return architecture.major == major && architecture.minor == minor;
  return architecture.major < major || (architecture.major == major && architecture.minor <= minor);
}

}  // namespace

std::span<const TargetProfile> profiles() {
  static const std::vector<TargetProfile> all = [] {
    std::vector<TargetProfile> made;
    for (const Architecture& architecture : architectures)
      made.push_back(make_profile(architecture));
    return made;
  }();
  return all;
}

const TargetProfile* profile_for(int major, int minor, std::int64_t ptx_version) {
  const TargetProfile* best = nullptr;
  for (std::size_t i = 0; i < architectures.size(); ++i) {
    if (architectures[i].ptx_floor > ptx_version) continue;
    if (runs_on(architectures[i], major, minor)) best = &profiles()[i];
  }
  return best;
}

const TargetProfile* profile_for(int major, int minor) {
  return profile_for(major, minor, std::numeric_limits<std::int64_t>::max());
}

std::int64_t ptx_version_of_driver(int driver_version) {
  struct Row {
    int driver = 0;
    std::int64_t ptx = 0;
  };
  static constexpr std::array<Row, 23> rows{{
      {10000, 63}, {10010, 64}, {10020, 65}, {11000, 70}, {11010, 71}, {11020, 72},
      {11030, 73}, {11040, 74}, {11050, 75}, {11060, 76}, {11070, 77}, {11080, 78},
      {12000, 80}, {12010, 81}, {12020, 82}, {12030, 83}, {12040, 84}, {12050, 85},
      {12070, 86}, {12080, 87}, {12090, 88}, {13000, 90}, {13010, 91},
  }};
  std::int64_t version = 0;
  for (const Row& row : rows)
    if (row.driver <= driver_version) version = row.ptx;
  return version;
}

}  // namespace accy::cuda
