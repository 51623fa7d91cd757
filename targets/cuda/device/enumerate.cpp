#include "targets/cuda/device/enumerate.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>

#include "targets/cuda/device/session.hpp"
#include "targets/cuda/profile/profiles.hpp"

namespace accy::cuda {

namespace {

using driver::Api;

Status check(const Api& api, driver::Code code, std::string_view symbol) {
  if (code == driver::success) return {};
  return fail(driver_error(api, code, symbol));
}

Result<std::int64_t> attribute(const Api& api, driver::Attribute which, driver::Ordinal device) {
  int value = 0;
  ACCY_TRY(check(api, api.device_get_attribute(&value, which, device),
                 driver::symbols::device_get_attribute));
  return value;
}

Result<std::string> device_description(const Api& api, driver::Ordinal device) {
  std::array<char, 256> name{};
  ACCY_TRY(check(api, api.device_get_name(name.data(), static_cast<int>(name.size()) - 1, device),
                 driver::symbols::device_get_name));
  return std::string(name.data());
}

Result<std::string> device_uuid(const Api& api, driver::Ordinal device) {
  driver::Uuid uuid{};
  ACCY_TRY(check(api, api.device_get_uuid(&uuid, device), driver::symbols::device_get_uuid));
  std::string text;
  for (const unsigned char byte : uuid.bytes) text += fmt::format("{:02x}", byte);
  return text;
}

/// Replaces the built-in limits by the device's own.
Status read_limits(const Api& api, driver::Ordinal device, TargetProfile& profile) {
  static constexpr std::array block{driver::max_block_dim_x, driver::max_block_dim_y,
                                    driver::max_block_dim_z};
  static constexpr std::array grid{driver::max_grid_dim_x, driver::max_grid_dim_y,
                                   driver::max_grid_dim_z};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    ACCY_TRY_ASSIGN(profile.workgroup_size_maximum[axis], attribute(api, block[axis], device));
    ACCY_TRY_ASSIGN(profile.grid_size_maximum[axis], attribute(api, grid[axis], device));
  }
  ACCY_TRY_ASSIGN(profile.workgroup_invocations_maximum,
                  attribute(api, driver::max_threads_per_block, device));
  ACCY_TRY_ASSIGN(profile.shared_memory_bytes,
                  attribute(api, driver::max_shared_memory_per_block, device));
  ACCY_TRY_ASSIGN(const std::int64_t warp, attribute(api, driver::warp_size_attribute, device));
  profile.subgroup_size_minimum = warp;
  profile.subgroup_size_maximum = warp;
  std::size_t memory = 0;
  ACCY_TRY(
      check(api, api.device_total_memory(&memory, device), driver::symbols::device_total_memory));
  profile.allocation_bytes_maximum = static_cast<std::int64_t>(memory);
  profile.buffer_bytes_maximum = static_cast<std::int64_t>(memory);
  return {};
}

/// The driver's version as "CUDA 12.4".
std::string driver_name(int version) {
  return fmt::format("CUDA {}.{}", version / 1000, version % 1000 / 10);
}

Result<TargetProfile> device_profile(const Api& api, driver::Ordinal device, int driver_version) {
  ACCY_TRY_ASSIGN(const std::int64_t major,
                  attribute(api, driver::compute_capability_major, device));
  ACCY_TRY_ASSIGN(const std::int64_t minor,
                  attribute(api, driver::compute_capability_minor, device));
  const std::int64_t ptx = ptx_version_of_driver(driver_version);
  const TargetProfile* built_in =
      profile_for(static_cast<int>(major), static_cast<int>(minor), ptx);
  if (built_in == nullptr)
    return fail(ErrorCode::unsupported,
                fmt::format("compute capability {}.{} with a driver of {} has no profile (needs at "
                            "least 7.5 and CUDA 10.0)",
                            major, minor, driver_name(driver_version)));
  TargetProfile profile = *built_in;
  profile.driver = driver_name(driver_version);
  profile.code_version = ptx;
  ACCY_TRY(read_limits(api, device, profile));
  return profile;
}

}  // namespace

Status initialize(const Api& api) { return check(api, api.init(0), driver::symbols::init); }

Result<driver::Ordinal> ordinal_of(std::string_view name) {
  constexpr std::string_view prefix = "cuda:";
  driver::Ordinal ordinal = 0;
  if (name.starts_with(prefix)) {
    const std::string_view digits = name.substr(prefix.size());
    const char* end = digits.data() + digits.size();
    const auto parsed = std::from_chars(digits.data(), end, ordinal);
    if (parsed.ec == std::errc() && parsed.ptr == end && ordinal >= 0) return ordinal;
  }
  return fail(ErrorCode::not_found,
              fmt::format("no CUDA device is named '{}' (cuda:0, ...)", name));
}

Result<runtime::DeviceInfo> describe_device(const Api& api, driver::Ordinal ordinal) {
  driver::Ordinal device = 0;
  ACCY_TRY(check(api, api.device_get(&device, ordinal), driver::symbols::device_get));
  int version = 0;
  ACCY_TRY(check(api, api.driver_get_version(&version), driver::symbols::driver_get_version));
  runtime::DeviceInfo info;
  info.name = fmt::format("cuda:{}", ordinal);
  info.adapter = "cuda";
  info.driver = driver_name(version);
  ACCY_TRY_ASSIGN(info.description, device_description(api, device));
  ACCY_TRY_ASSIGN(info.uuid, device_uuid(api, device));
  ACCY_TRY_ASSIGN(const std::int64_t integrated, attribute(api, driver::integrated, device));
  info.kind = integrated != 0 ? runtime::DeviceKind::integrated : runtime::DeviceKind::discrete;
  ACCY_TRY_ASSIGN(info.profile, device_profile(api, device, version));
  return info;
}

runtime::DeviceList enumerate(const Api& api) {
  runtime::DeviceList list;
  int count = 0;
  Status status = initialize(api);
  if (status) status = check(api, api.device_get_count(&count), driver::symbols::device_get_count);
  if (status && count == 0) status = fail(ErrorCode::not_found, "the driver lists no device");
  if (!status) list.unavailable.push_back({"cuda", status.error().message});
  for (int ordinal = 0; status && ordinal < count; ++ordinal) {
    auto info = describe_device(api, ordinal);
    if (info) {
      list.devices.push_back(std::move(*info));
    } else {
      list.unavailable.push_back({fmt::format("cuda:{}", ordinal), info.error().message});
    }
  }
  return list;
}

}  // namespace accy::cuda
