// The tensor dialect: registration of its type and ops, and what generic code asks of an op.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "choir/definition.hpp"
#include "dialect/tensor/interfaces.hpp"
#include "dialect/tensor/ops.hpp"
#include "dialect/tensor/type.hpp"

namespace accy::tensor {

/// Adds the type and every op.
void register_tensor_dialect(choir::Registry& registry);

}  // namespace accy::tensor
