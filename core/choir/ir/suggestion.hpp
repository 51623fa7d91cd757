// A helpful guess at what a misspelled operation name should have been.
#pragma once

#include <string>
#include <string_view>

#include "choir/definition.hpp"

namespace accy::choir {

/// "; did you mean 'dialect.name'?" or an empty text when no operation of the registry is close.
std::string suggest_operation(std::string_view name, const Registry& registry);

}  // namespace accy::choir
