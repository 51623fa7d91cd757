// resolve_numeric: writes the module's numeric contract onto every reduction and contraction.
#pragma once

#include "choir/pass.hpp"

namespace accy::contract {

/// Whether an operation accumulates: its `accumulate` and `order` are part of its meaning.
bool accumulates(const choir::Operation& operation);

/// An attribute that is there already stays when it is at least as strict; a weaker one is an
/// error.
choir::Pass resolve_numeric_pass();

}  // namespace accy::contract
