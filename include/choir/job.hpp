// Jobs: handles on stage products that travel through the pipeline and fork.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "accy/export.hpp"
#include "choir/pass_manager.hpp"
#include "choir/product.hpp"

namespace accy::choir {

/// What one stage did in one run.
struct ACCY_EXPORT StageRun {
  std::string stage;
  std::uint64_t elapsed_ns = 0;  ///< its pipeline, without verification, digest and copies
  PassStatistics statistics;
  std::uint64_t operations = 0;      ///< in the product
  bool reused = false;               ///< came from the store; no pass ran
  std::uint64_t plan_fingerprint = 0;  ///< of the product, for people; no key depends on it
  std::vector<PartRun> parts;          ///< of nested pipelines; empty when the product was reused
};

/// The stages run so far, in order, and the run's frame.
struct ACCY_EXPORT RunRecord {
  std::vector<StageRun> stages;
  std::uint64_t initial_operations = 0;  ///< in the module that the run started from
  std::optional<std::int64_t> started_at;  ///< readings of the injected clock, ns
  std::int64_t finished_at = 0;
  /// Of the semantic product; none when the run started later.
  std::optional<std::uint64_t> semantic_fingerprint;

  const StageRun* find(std::string_view stage) const {
    for (const StageRun& run : stages)
      if (run.stage == stage) return &run;
    return nullptr;
  }
};

/// A module that goes on in place: the draft that a revision is a copy of, with the analyses that
/// hold for it.
struct ACCY_EXPORT WarmDraft {
  Draft draft;
  AnalysisCache analyses;
};

/// A handle on a sealed product of one stage with the record of how it came about. The next stage
/// consumes the handle, never the revision; fork() makes another handle on the same revision.
template <class Stage>
class Job {
 public:
  Job(RevisionRef revision, RunRecord record, std::optional<WarmDraft> warm = std::nullopt)
      : revision_(std::move(revision)), record_(std::move(record)), warm_(std::move(warm)) {}
  Job(Job&&) noexcept = default;
  Job& operator=(Job&&) noexcept = default;

  const RevisionRef& revision() const { return revision_; }
  const Module& module() const { return revision_->module(); }
  const RunRecord& record() const { return record_; }
  RunRecord take_record() && { return std::move(record_); }
  /// Whether the next stage goes on in place with warm analyses; otherwise it copies the revision.
  bool warm() const { return warm_.has_value(); }
  std::optional<WarmDraft> take_warm() && { return std::move(warm_); }
  /// Without the warm draft, which has one owner.
  Job fork() const { return Job(revision_, record_); }

  /// That the revision is this stage's and passes its gates.
  Status verify() const {
    const StageSpec& spec = Stage::spec();
    if (revision_->address().stage != spec.stage)
      return fail(ErrorCode::invalid_input, "product is of stage " + revision_->address().stage +
                                                ", not " + std::string(spec.stage));
    const std::vector<SchemaGate> gates{operation_schema(), spec.schema()};
    return revision_->require_gates(gates);
  }

 private:
  RevisionRef revision_;
  RunRecord record_;
  std::optional<WarmDraft> warm_;
};

/// Seals a module at a stage that a program starts from: the product has no predecessor. Errors: a
/// module of another stage, one that breaks the stage's rules.
template <class Stage>
Result<Job<Stage>> seal_job(Module module) {
  const StageSpec& spec = Stage::spec();
  if (module.stage() != spec.stage)
    return fail(ErrorCode::invalid_input, "program is at stage " + std::string(module.stage()) +
                                              ", not " + std::string(spec.stage));
  Draft draft(spec, std::move(module));
  const ProductKey key{content_digest(draft.module())};
  ACCY_TRY_ASSIGN(RevisionRef revision, std::move(draft).seal({}, key));
  StageRun run{.stage = std::string(spec.stage),
               .operations = count_operations(revision->module().operation())};
  RunRecord record{.initial_operations = run.operations};
  record.stages.push_back(std::move(run));
  return Job<Stage>(std::move(revision), std::move(record));
}

}  // namespace accy::choir
