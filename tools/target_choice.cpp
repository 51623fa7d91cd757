#include "tools/target_choice.hpp"

#include "support/file.hpp"
#include "targets/registry.hpp"

namespace accy::tools {
namespace {

constexpr std::int64_t profile_file_bytes_maximum = std::int64_t{1} << 20;

Result<TargetProfile> read_profile(const std::filesystem::path& path) {
  ACCY_TRY_ASSIGN(const std::vector<std::byte> content,
                  read_file(path, profile_file_bytes_maximum));
  return profile_from_json({reinterpret_cast<const char*>(content.data()), content.size()},
                           path.string());
}

}  // namespace

Result<TargetChoice> with_backend(TargetProfile profile) {
  const target::Backend* backend = targets::find_backend(profile.target);
  if (backend == nullptr)
    return fail(ErrorCode::unsupported, "target (" + profile.target + ") of profile (" +
                                            profile.id() + ") is not part of this build");
  return TargetChoice{backend, std::move(profile)};
}

Result<TargetChoice> choose_target(std::string_view name) {
  ACCY_TRY_ASSIGN(TargetProfile profile, name.ends_with(".json")
                                             ? read_profile(std::filesystem::path(name))
                                             : targets::find_profile(name));
  return with_backend(std::move(profile));
}

}  // namespace accy::tools
