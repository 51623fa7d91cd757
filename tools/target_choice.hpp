// From what a user names to a target profile and the backend that emits for it.
#pragma once

#include <string_view>

#include "profile/profile.hpp"
#include "target/backend.hpp"

namespace accy::tools {

struct TargetChoice {
  const target::Backend* backend = nullptr;
  TargetProfile profile;
};

/// `name` is the id of a built-in profile, "cuda:sm_90a", or the path of a profile file, which ends
/// in ".json". Errors: an unknown id (with all that are known), a bad file, a profile whose target
/// is not part of this build.
Result<TargetChoice> choose_target(std::string_view name);

/// The profile with the backend of its target.
Result<TargetChoice> with_backend(TargetProfile profile);

}  // namespace accy::tools
