// Reproducers: a failed compile as one file, which fails again by itself.
//
//   // accy-reproducer 1
//   // {JSON: compiler, pipeline, kind, pass, steps, op, symbol, error, workers, profile}
//   choir STAGE v1 ...      the module before the failing pass, or the kernel that a nested one had
//
// Both heading lines are comments of the text form, so that the file reads as a program too.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "choir/pass_manager.hpp"
#include "profile/profile.hpp"
#include "target/backend.hpp"

namespace accy::preparation {

struct Reproducer {
  choir::PassFailure failure;            ///< with steps and module_text
  std::optional<TargetProfile> profile;  ///< of a failure in the kernel or target stage
  std::string compiler;                  ///< compiler_identity() of the one that failed
};

std::string format_reproducer(const Reproducer& reproducer);

/// Errors name `file` and what is missing or malformed. The module's text is not read yet.
Result<Reproducer> parse_reproducer(std::string_view text, std::string_view file);

/// A file name for a failure of a program: letters, digits, '-', '_' and '.' only.
std::string reproducer_name(std::string_view program, const choir::PassFailure& failure);

/// Runs the steps on the module. The failure of this run; nothing when it did not fail. `backend`
/// is the one of the profile's target, null when there is no profile. Errors: the module cannot be
/// read, a pass is unknown.
Result<std::optional<choir::PassFailure>>
reproduce(const Reproducer& reproducer, std::string_view file, const target::Backend* backend);

/// Whether two failures are the same: kind, pass, operation and symbol. After a crash, any.
bool same_failure(const choir::PassFailure& recorded, const choir::PassFailure& seen);

}  // namespace accy::preparation
