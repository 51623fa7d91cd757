#include "preparation/compiler_identity.hpp"

#include <accy_source_digest.hpp>

namespace accy::preparation {

std::string_view compiler_identity() { return ACCY_SOURCE_DIGEST; }

}  // namespace accy::preparation
