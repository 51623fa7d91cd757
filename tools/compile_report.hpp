// What `accy compile` tells about one prepared module.
#pragma once

#include <nlohmann/json.hpp>
#include <ostream>

#include "choir/disk_store.hpp"
#include "preparation/preparation.hpp"
#include "profile/profile.hpp"

namespace accy::tools {

/// What each pass and analysis of one compile cost; those of reused stages did not run.
struct CompileTiming {
  std::vector<choir::PassTiming> passes;
  std::vector<choir::AnalysisTiming> analyses;
};

/// A compile that is through.
struct CompileResult {
  TargetProfile profile;
  preparation::BackendPreparedModule module;
  choir::RunRecord record;
  std::optional<CompileTiming> timing = {};
};

/// What the store on disk did for all targets of a compile.
struct CacheReport {
  choir::DiskStoreCounters counters;
  std::string failure;  ///< why a product could not be written; empty when each was
};

/// The "accy.compile/1" document: stages, launches in order with their kernels, memory sizes.
nlohmann::json to_document(const CompileResult& result);

nlohmann::json to_document(const CacheReport& report);

void print_for_people(const CompileResult& result, std::ostream& output);
void print_for_people(const CacheReport& report, std::ostream& output);

}  // namespace accy::tools
