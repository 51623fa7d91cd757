// activation lower: replaces activations, reductions and normalizations that are composites.
#pragma once

#include <string>

#include "choir/pass_registry.hpp"

namespace accy::tensor {

struct ActivationOptions {
  /// How gelu is computed: "declared" as each operation says, "exact" or "tanh" for all of them.
  std::string gelu = "declared";
  friend bool operator==(const ActivationOptions&, const ActivationOptions&) = default;
};

/// Whatever declares an expansion of Family::function becomes primitive operations; the expansion
/// is the operation's meaning, so the result keeps its bits.
choir::Pass lower_activations_pass(const ActivationOptions& options = {});
/// `options` are the defaults of its options.
choir::PassRegistration lower_activations_registration(const ActivationOptions& options = {});

}  // namespace accy::tensor
