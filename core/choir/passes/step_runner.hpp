// StepRunner: runs a list of steps on one module; what PassManager and nested pipelines share.
#pragma once

#include <optional>

#include "choir/pass_manager.hpp"

namespace accy::choir {

/// What runs on one worker need and do not change.
struct RunScope {
  std::string_view pipeline;
  std::string_view stage;
  const RunOptions& options;
  std::span<PassInstrumentation* const> instrumentations;
  std::size_t worker = 0;
};

/// What came of a run; also of one that failed.
struct RunOutcome {
  PassStatistics statistics;
  FactTrace facts;
  DecisionLog decisions;
  std::vector<PartRun> parts;
  PassFailure failure;
};

class StepRunner {
 public:
  StepRunner(const RunScope& scope, Module& module, AnalysisCache& analyses, RunOutcome& outcome)
      : scope_(scope), module_(module), analyses_(analyses), outcome_(outcome) {}

  /// Stops at the first step that fails; the outcome's failure then says where.
  Status run(const std::vector<PipelineStep>& steps);

 private:
  Status run(const Pass& pass);
  Status run(const Nest& nest);
  Result<PassChange> call(const Pass& pass);
  Status check_result(const Pass& pass);
  /// Fills in the failure and adds to the error what was running.
  Status failed(const Pass& pass, FailureKind kind, Error error);
  void announce(const Pass& pass);

  const RunScope& scope_;
  Module& module_;
  AnalysisCache& analyses_;
  RunOutcome& outcome_;
  std::string text_before_;
  bool is_last_ = false;  ///< whether no step follows the one that runs
};

/// Runs a nested pipeline on the module's operations of its kind; see Nest.
Status run_nest(const Nest& nest, const RunScope& scope, Module& module, RunOutcome& outcome);

}  // namespace accy::choir
