// The passes of the target stage: legalize every kernel for a profile, emit its code.
// Backend and profile must outlive them; what they read of it is among the run's facts.
#pragma once

#include "choir/pass_registry.hpp"
#include "target/backend.hpp"

namespace accy::target {

/// Rewrites every kernel.func into what the backend emits for the profile.
choir::Pass legalize_pass(const Backend* backend, const TargetProfile* profile);
/// Building it fails without profile or backend.
choir::PassRegistration legalize_registration(const Backend* backend, const TargetProfile* profile);

struct EmitOptions {
  /// The backend's validator accepts every code before it is written. Emitters are meant to write
  /// no code that it refuses, and on Vulkan it takes longer than they do.
  bool validate = validation_requested();
  friend bool operator==(const EmitOptions&, const EmitOptions&) = default;

  /// The environment has ACCY_VALIDATE_CODE=1, as all tests do.
  static bool validation_requested();
};

/// Replaces every kernel.func by a target.code.
choir::Pass emit_code_pass(const Backend* backend, const TargetProfile* profile,
                           const EmitOptions& options = {});
/// Option: validate. Building it fails without profile or backend.
choir::PassRegistration emit_code_registration(const Backend* backend, const TargetProfile* profile,
                                               const EmitOptions& options = {});

}  // namespace accy::target
