// What `accy compile` tells about one prepared module.
#pragma once

#include <nlohmann/json.hpp>
#include <ostream>

#include "preparation/preparation.hpp"
#include "profile/profile.hpp"

namespace accy::tools {

/// A compile that is through.
struct CompileResult {
  TargetProfile profile;
  preparation::BackendPreparedModule module;
  choir::RunRecord record;
};

/// The "accy.compile/1" document: stages, launches in order with their kernels, memory sizes.
nlohmann::json to_document(const CompileResult& result);

void print_for_people(const CompileResult& result, std::ostream& output);

}  // namespace accy::tools
