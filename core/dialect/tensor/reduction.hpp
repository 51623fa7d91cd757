// The functions of tensor.reduce.
#pragma once

#include <cstdint>

#include "dialect/tensor/checks.hpp"

namespace accy::tensor {

enum class ReduceFunction : std::uint8_t { sum, product, max, min };

/// The attribute `function` of a tensor.reduce.
inline Result<ReduceFunction> reduce_function(const choir::Operation& operation) {
  static constexpr std::string_view names[] = {"sum", "product", "max", "min"};
  ACCY_TRY(required_attribute(operation, "function", choir::AttributeKind::word));
  ACCY_TRY_ASSIGN(const std::size_t index, choice_attribute(operation, "function", names));
  return static_cast<ReduceFunction>(index);
}

/// Whether the function combines in a type of its own, and rounds: sums and products.
inline bool accumulates(ReduceFunction function) {
  return function == ReduceFunction::sum || function == ReduceFunction::product;
}

}  // namespace accy::tensor
