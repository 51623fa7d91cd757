// The seam between the compiler and a target: what a target folder must offer for the target stage.
// Nothing here touches a device; the runtime's seam is runtime/adapter.hpp.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "accy/result.hpp"
#include "choir/operation.hpp"
#include "profile/profile.hpp"

namespace accy::target {

/// Target code of one kernel.
struct KernelCode {
  std::string format;            ///< "ptx", "spirv", "choir-kernel"
  std::string file_extension;    ///< ".ptx", ".spv", ".choir"
  std::string entry;             ///< name of the entry point inside the code
  std::vector<std::byte> bytes;  ///< the text without a terminator, or little-endian words
};

/// A target's compiler half: immutable, shared by threads.
struct Backend {
  std::string_view name;  ///< "cuda"
  /// Built-in profiles, the portable floor first.
  std::span<const TargetProfile> (*profiles)();
  /// Rewrites one kernel.func in place into the ops that emit() takes for this profile. An
  /// unsupported op or type is an error that names the missing profile field.
  Status (*legalize)(choir::Operation& function, const TracedProfile& profile);
  /// Emits one legalized kernel.func. Never fails on legalized, verified input but for a defect.
  Result<KernelCode> (*emit)(const choir::Operation& function, const TracedProfile& profile);
  /// Checks emitted code with the target's own tools where they are linked in (spirv-val), and by
  /// our rules.
  Status (*validate)(const KernelCode& code, const TracedProfile& profile);
};

}  // namespace accy::target
