#include "choir/pass_manager.hpp"

#include "choir/passes/step_runner.hpp"

namespace accy::choir {

std::string_view to_string(FailureKind kind) {
  switch (kind) {
    case FailureKind::pass_failed: return "pass_failed";
    case FailureKind::verifier_failed: return "verifier_failed";
    case FailureKind::exception: return "exception";
    case FailureKind::limit_exceeded: return "limit_exceeded";
    case FailureKind::stage_refused: return "stage_refused";
    case FailureKind::crashed: return "crashed";
  }
  ACCY_ASSERT(false, "unknown failure kind");
  return {};
}

std::optional<FailureKind> failure_kind_named(std::string_view name) {
  for (auto kind = FailureKind::pass_failed; kind <= FailureKind::crashed;
       kind = static_cast<FailureKind>(static_cast<std::uint8_t>(kind) + 1))
    if (to_string(kind) == name) return kind;
  return std::nullopt;
}

Status PassManager::run(Module& module, const RunOptions& options) {
  AnalysisCache analyses;
  return run_with_analysis_cache(module, analyses, options);
}

Status PassManager::run_with_analysis_cache(Module& module, AnalysisCache& analyses,
                                            const RunOptions& options) {
  const RunScope scope{root_.name, module.stage(), options, instrumentations_};
  RunOutcome outcome;
  outcome.decisions = DecisionLog(decisions_.on());
  Status status = StepRunner(scope, module, analyses, outcome).run(root_.steps);
  statistics_ += outcome.statistics;
  facts_.add(outcome.facts.facts());
  decisions_.append(std::move(outcome.decisions));
  parts_.insert(parts_.end(), outcome.parts.begin(), outcome.parts.end());
  failed_ = !status;
  failure_ = std::move(outcome.failure);
  return status;
}

}  // namespace accy::choir
