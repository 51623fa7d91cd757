// Which compiler this is, for stores that outlive it.
#pragma once

#include <string_view>

namespace accy::preparation {

/// Changes with every change to the code that makes products, even one that changes no version.
std::string_view compiler_identity();

}  // namespace accy::preparation
