// Running one stage: the product is looked up, or made by the stage's pipeline and sealed.
#pragma once

#include "choir/job.hpp"
#include "preparation/options.hpp"

namespace accy::preparation {

/// What a stage starts from: the revision before, and perhaps its draft, to go on in place.
struct StageInput {
  choir::RevisionRef source;
  std::optional<choir::WarmDraft> warm;
};

/// What it leaves.
struct StageOutput {
  choir::RevisionRef product;
  std::optional<choir::WarmDraft> warm;  ///< none when the product came from the store
  choir::StageRun run;
  std::int64_t started_at = 0;
  std::int64_t finished_at = 0;
};

/// Runs a stage that has a pipeline. `inside` runs within the stage's time, before its pipeline.
Result<StageOutput> run_stage(Stage stage, StageInput input, const PreparationOptions& options,
                              const std::function<void()>& inside = {});

/// The first half of a product's digest, as people compare it.
std::uint64_t fingerprint(const choir::Revision& revision);

}  // namespace accy::preparation
