// einsum lower: replaces einsums by matrix products, in a good order.
#pragma once

#include <string>

#include "choir/pass_registry.hpp"

namespace accy::tensor {

struct EinsumOptions {
  /// In which order operands are contracted: "declared" as each operation says, "optimal" or
  /// "given" for all of them.
  std::string path = "declared";
  friend bool operator==(const EinsumOptions&, const EinsumOptions&) = default;
};

choir::Pass lower_einsum_pass(const EinsumOptions& options = {});
/// `options` are the defaults of its options.
choir::PassRegistration lower_einsum_registration(const EinsumOptions& options = {});

}  // namespace accy::tensor
