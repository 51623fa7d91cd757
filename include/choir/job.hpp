// Jobs: handles on stage products that travel through the pipeline and fork.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "accy/export.hpp"
#include "choir/pass.hpp"
#include "choir/product.hpp"

namespace accy::choir {

/// What one stage did in one run.
struct ACCY_EXPORT StageRun {
  std::string stage;
  std::uint64_t elapsed_ns = 0;      ///< the pipeline and the copy before it, without verification
  PassStatistics statistics;
  std::uint64_t operations = 0;      ///< in the product
  bool reused = false;               ///< came from the store; no pass ran
};

/// The stages run so far, in order.
struct ACCY_EXPORT RunRecord {
  std::vector<StageRun> stages;
  const StageRun* find(std::string_view stage) const {
    for (const StageRun& run : stages)
      if (run.stage == stage) return &run;
    return nullptr;
  }
};

/// A handle on a sealed product of one stage with the record of how it came about. The next stage
/// consumes the handle, never the revision; fork() makes another handle on the same revision.
template <class Stage>
class Job {
 public:
  Job(RevisionRef revision, RunRecord record)
      : revision_(std::move(revision)), record_(std::move(record)) {}
  Job(Job&&) noexcept = default;
  Job& operator=(Job&&) noexcept = default;

  const RevisionRef& revision() const { return revision_; }
  const Module& module() const { return revision_->module(); }
  const RunRecord& record() const { return record_; }
  RunRecord take_record() && { return std::move(record_); }
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
};

}  // namespace accy::choir
