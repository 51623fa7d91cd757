// The options of a case file, understood.
#pragma once

#include <optional>
#include <string_view>

#include "contract/passes/bind_dimensions.hpp"
#include "profile/profile.hpp"
#include "support/case_file.hpp"
#include "target/backend.hpp"

namespace accy::test {

struct CaseOptions {
  contract::DimensionBindings dimensions;
  std::optional<TargetProfile> profile;
  const target::Backend* backend = nullptr;  ///< of the profile

  /// `profile` names a built-in profile; any other option is the size of a dimension.
  static Result<CaseOptions> from(const CaseFile& file);
  Status set_profile(std::string_view id);
};

}  // namespace accy::test
