// Target profile: what a device can do, as plain data. Made from a live device, read from JSON, or
// built in. The kernel stage asks the profile, never a vendor's or target's name.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "accy/result.hpp"

namespace accy {

/// A known defect of a driver or device, by name, with a reference to its report.
struct Quirk {
  std::string name;
  std::string reference;
  friend bool operator==(const Quirk&, const Quirk&) = default;
};

/// Sizes are bytes unless said; counts are per workgroup or per invocation as named.
struct TargetProfile {
  std::string target;   ///< "cuda", "vulkan", "interpreter": which backend emits for it
  std::string name;     ///< "sm_90a", "lavapipe", "generic": unique within the target
  std::string vendor;
  std::string driver;

  std::int64_t subgroup_size_minimum = 1;
  std::int64_t subgroup_size_maximum = 1;
  std::array<std::int64_t, 3> workgroup_size_maximum{128, 128, 64};   ///< invocations by axis
  std::int64_t workgroup_invocations_maximum = 128;
  std::array<std::int64_t, 3> grid_size_maximum{65535, 65535, 65535}; ///< workgroups by axis
  std::int64_t shared_memory_bytes = 16384;      ///< per workgroup
  std::int64_t registers_per_invocation = 0;     ///< 32-bit registers; 0: unknown
  std::int64_t buffer_bytes_maximum = std::int64_t{1} << 27;     ///< one binding or allocation view
  std::int64_t allocation_bytes_maximum = std::int64_t{1} << 30;
  std::int64_t buffer_alignment = 256;
  /// Iterations of all loops of an invocation together before the device cuts them; 0: no limit.
  std::int64_t loop_iterations_maximum = 0;

  bool storage_8bit = false;     ///< 1-byte loads and stores
  bool storage_16bit = false;    ///< 2-byte loads and stores
  bool arithmetic_f16 = false;
  bool arithmetic_bf16 = false;
  bool arithmetic_f64 = false;
  bool arithmetic_i8 = false;
  bool arithmetic_i16 = false;
  bool arithmetic_i64 = false;

  bool subgroup_shuffle = false;
  bool subgroup_arithmetic = false;   ///< reductions and scans
  bool subgroup_size_control = false; ///< a kernel may require a size and full subgroups

  bool rounding_rte_f32 = false;      ///< round to nearest even can be demanded
  bool rounding_rte_f16 = false;
  bool signed_zero_inf_nan_f32 = false;
  bool subnormals_kept_f32 = false;   ///< declared or measured

  bool asynchronous_copy = false;     ///< cp.async and its like
  bool forward_progress = false;      ///< workgroups make progress while others wait
  std::vector<std::string> binding_classes{"address"};  ///< address, texel, storage
  std::vector<std::string> matrix_units;  ///< "m16n8k16.f16.f32.subgroup": shape, types, scope
  std::int64_t code_version = 0;  ///< PTX ISA or SPIR-V version * 10: 78 is PTX 7.8, 15 SPIR-V 1.5
  std::string architecture;       ///< "sm_90a"; empty where the code is portable
  std::vector<Quirk> quirks;

  /// "cuda:sm_90a": how the tool names it.
  std::string id() const { return target + ":" + name; }
  friend bool operator==(const TargetProfile&, const TargetProfile&) = default;
};

inline constexpr std::string_view profile_schema = "accy.profile/1";

/// Canonical JSON with "schema": keys sorted, two-space indentation.
std::string to_json(const TargetProfile& profile);
/// Reads a profile; unknown or missing keys, wrong types and out-of-range values are errors that
/// name the key, the value and the limit. `file` names the source in errors.
Result<TargetProfile> profile_from_json(std::string_view text, std::string_view file);

/// One field read by a stage, with its value as JSON text.
struct ProfileRead {
  std::string field;
  std::string value;
  friend auto operator<=>(const ProfileRead&, const ProfileRead&) = default;
};

/// Value of a field as canonical JSON text; the field must exist.
std::string profile_field_json(const TargetProfile& profile, std::string_view field);

/// A profile that records which fields were read: the second level of a product key. A plain
/// profile converts to one, for callers to whom the reads do not matter. Not for use by several
/// threads at once.
class TracedProfile {
 public:
  TracedProfile(const TargetProfile& profile) : profile_(profile) {}
  /// Reads a member and records its name: read(&TargetProfile::shared_memory_bytes).
  template <class Field>
  const Field& read(Field TargetProfile::*member) const {
    const Field& value = profile_.*member;
    record(&value);
    return value;
  }
  /// For messages alone: no product may depend on it.
  std::string id() const { return profile_.id(); }
  /// Every field read so far, sorted by name, each once.
  std::vector<ProfileRead> reads() const;

 private:
  void record(const void* member) const;
  const TargetProfile& profile_;
  mutable std::vector<std::string_view> fields_;
};

}  // namespace accy
