// The passes by name, for the tool and the case files: one line a pass.
#pragma once

#include <string_view>
#include <vector>

#include "accy/result.hpp"
#include "choir/pass.hpp"
#include "contract/passes/bind_dimensions.hpp"
#include "profile/profile.hpp"
#include "target/backend.hpp"

namespace accy::preparation {

/// What some passes need to be made; borrowed pointers must outlive the pass.
struct PassArguments {
  contract::DimensionBindings dimensions;
  /// Needed by the passes of the kernel and target stages.
  TracedProfile* profile = nullptr;
  /// Needed by the passes of the target stage.
  const target::Backend* backend = nullptr;
};

/// The names of all passes, in the order in which the stages first run them.
std::vector<std::string_view> pass_names();

/// The pass of that name with its default options. Errors: an unknown name, with the known ones; a
/// missing argument.
Result<choir::Pass> make_pass(std::string_view name, const PassArguments& arguments);

}  // namespace accy::preparation
