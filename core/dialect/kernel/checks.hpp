// What the verify and infer hooks of the families share.
#pragma once

#include <string>
#include <vector>

#include "accy/result.hpp"
#include "choir/diagnostics.hpp"
#include "choir/operation.hpp"
#include "dialect/kernel/kernel.hpp"

namespace accy::kernel {

using Types = Result<std::vector<choir::Type>>;

/// "i32", "vector<f32, 4>": a type for a message.
std::string describe(choir::Type type);

/// An inference error at the operation.
Failure reject(const choir::Operation& operation, std::string message);

/// Element type groups that operations take.
bool is_integer_scalar(choir::Type type);  ///< any integer, not bool
bool is_computable(choir::Type type);      ///< integers, f32, f64: what arithmetic takes
bool is_wide_float(choir::Type type);      ///< f32, f64

/// All operands of one type, and that type passes the test; otherwise an error saying `expected`.
Status check_operands(const choir::Operation& operation, bool (*accepts)(choir::Type),
                      const char* expected);

/// The integer attribute within [low, high]; reports and returns nothing otherwise.
std::optional<std::int64_t> integer_attribute(const choir::Operation& operation,
                                              std::string_view name, std::int64_t low,
                                              std::int64_t high, choir::Diagnostics& diagnostics);

/// The scalar i32, in the operation's context.
choir::Type i32_type(const choir::Operation& operation);

}  // namespace accy::kernel
