// The numeric contract: part of the program from its first day; no stage weakens it.
#pragma once

#include <string_view>

#include "accy/element_type.hpp"
#include "choir/module.hpp"
#include "dialect/tensor/numeric.hpp"

namespace accy::semantic {

using tensor::NumericMode;
using Order = tensor::ReductionOrder;
std::string_view to_string(Order order);

/// Module attribute `numeric = {mode = fast|strict, accumulate = f32, order = free|fixed}`. Absent
/// keys: fast, f32, free; strict implies fixed.
struct NumericContract {
  NumericMode mode = NumericMode::fast;
  ElementType accumulate = ElementType::f32;  ///< least type in which sums and products accumulate
  Order order = Order::free;

  /// The accumulate type of a reduction or contraction over `element`: at least the contract's for
  /// floats; integers accumulate in at least 32 bits of their own signedness.
  ElementType accumulate_for(ElementType element) const;
};

/// Reads the attribute; an unknown key or value is an error.
Result<NumericContract> numeric_contract(const choir::Module& module);
/// Writes all keys.
void set_numeric_contract(choir::Module& module, const NumericContract& contract);

}  // namespace accy::semantic
