// The module attribute `dimensions`: what a program says of its named dimensions.
#pragma once

#include <cstdint>
#include <optional>

#include "choir/diagnostics.hpp"
#include "choir/module.hpp"

namespace accy::semantic {

/// `n = {default = 16, minimum = 1, maximum = 64}`; every key may be absent.
struct DimensionRange {
  std::optional<std::int64_t> fallback;
  std::int64_t minimum = 0;
  std::int64_t maximum = 0;
};

/// What the module declares of a symbol; the widest range where it declares nothing. The attribute
/// must be verified.
DimensionRange dimension_range(const choir::Module& module, std::string_view symbol);

/// Reports entries of another form, unknown keys, sizes out of range, empty ranges and defaults
/// outside their range.
void verify_dimensions(const choir::Module& module, choir::Diagnostics& diagnostics);

}  // namespace accy::semantic
