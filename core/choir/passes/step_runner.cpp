#include "choir/passes/step_runner.hpp"

#include <exception>

#include "choir/text.hpp"

namespace accy::choir {

namespace {

/// The symbol of the operation around the place that an error names; empty when it is not found.
std::string symbol_around(const Module& module, const Error& error) {
  std::string symbol;
  module.operation().walk([&](const Operation& operation) {
    if (!symbol.empty() || operation.location().first() != error.where) return;
    if (!error.op.empty() && operation.name() != error.op) return;
    for (const Operation* around = &operation; around != nullptr; around = around->parent())
      if (symbol.empty()) symbol = around->symbol();
  });
  return symbol;
}

PassFailure describe(const RunScope& scope, const Pass& pass) {
  return {.pipeline = std::string(scope.pipeline),
          .kind = FailureKind::pass_failed,
          .pass = std::string(pass.name),
          .pass_options = pass.options,
          .steps = pass.options.empty() ? std::string(pass.name)
                                        : std::string(pass.name) + "{" + pass.options + "}",
          .op = {},
          .symbol = {},
          .verifier_error = {},
          .error = {},
          .workers = scope.options.workers,
          .module_text = {}};
}

}  // namespace

Status StepRunner::run(const std::vector<PipelineStep>& steps) {
  analyses_.set_instrumentations(scope_.instrumentations, scope_.worker);
  const std::uint64_t hits = analyses_.hits();
  const std::uint64_t misses = analyses_.misses();
  const std::uint64_t invalidations = analyses_.invalidations();
  Status status;
  for (const PipelineStep& step : steps) {
    is_last_ = &step == &steps.back();
    status = std::visit([&](const auto& concrete) { return run(concrete); }, step);
    if (!status) break;
  }
  analyses_.set_instrumentations({});
  outcome_.statistics.analysis_hits += analyses_.hits() - hits;
  outcome_.statistics.analysis_misses += analyses_.misses() - misses;
  outcome_.statistics.analyses_invalidated += analyses_.invalidations() - invalidations;
  return status;
}

void StepRunner::announce(const Pass& pass) {
  if (!scope_.options.keep_module_text && !scope_.options.before_each) return;
  text_before_ = print(module_);
  if (!scope_.options.before_each) return;
  PassFailure pending = describe(scope_, pass);
  pending.module_text = text_before_;
  scope_.options.before_each(pending);
}

Result<PassChange> StepRunner::call(const Pass& pass) {
  PassContext context{module_, analyses_, outcome_.facts, outcome_.decisions};
  const PassEvent event{pass.name, module_, scope_.worker};
  for (PassInstrumentation* listener : scope_.instrumentations) listener->before_pass(event);
  const std::size_t decided = outcome_.decisions.list().size();
  Result<PassChange> change = PassChange::unchanged;
  try {
    change = pass.run(context);
  } catch (const std::exception& exception) {
    outcome_.failure.kind = FailureKind::exception;
    change = fail(ErrorCode::pass_failed, std::string("exception: ") + exception.what());
  }
  outcome_.decisions.attribute(decided, scope_.stage, pass.name);
  for (PassInstrumentation* listener : scope_.instrumentations) listener->after_pass(event);
  return change;
}

Status StepRunner::check_result(const Pass& pass) {
  const std::uint64_t operations = count_operations(module_.operation());
  const std::uint64_t limit = scope_.options.operations_maximum;
  if (operations > limit) {
    Error error{.code = ErrorCode::unsupported,
                .message = "the module has " + std::to_string(operations) +
                           " operations, more than the limit of " + std::to_string(limit)};
    return failed(pass, FailureKind::limit_exceeded, std::move(error));
  }
  if (!scope_.options.verify_each || (is_last_ && !scope_.options.verify_last)) return {};
  Status status = verify(module_);
  if (status) return {};
  status.error().code = ErrorCode::pass_failed;  // the program was valid before the pass
  return failed(pass, FailureKind::verifier_failed, std::move(status.error()));
}

Status StepRunner::run(const Pass& pass) {
  outcome_.failure = {};
  announce(pass);
  ++outcome_.statistics.pass_runs;
  Result<PassChange> change = call(pass);
  if (!change) return failed(pass, outcome_.failure.kind, std::move(change.error()));
  if (*change == PassChange::unchanged) return {};
  ++outcome_.statistics.passes_modified;
  analyses_.invalidate(pass.preserved);
  return check_result(pass);
}

Status StepRunner::run(const Nest& nest) {
  const PassStatistics before = outcome_.statistics;
  ACCY_TRY(run_nest(nest, scope_, module_, outcome_));
  if (outcome_.statistics.passes_modified != before.passes_modified) analyses_.invalidate({});
  return {};
}

Status StepRunner::failed(const Pass& pass, FailureKind kind, Error error) {
  ++outcome_.statistics.pass_failures;
  PassFailure failure = describe(scope_, pass);
  failure.kind = kind;
  failure.op = error.op;
  failure.symbol = symbol_around(module_, error);
  if (kind == FailureKind::verifier_failed) failure.verifier_error = error.to_string();
  if (scope_.options.keep_module_text) failure.module_text = std::move(text_before_);
  error = std::move(error).with("running pass " + std::string(pass.name) + " of pipeline " +
                                std::string(scope_.pipeline));
  failure.error = error.to_string();
  outcome_.failure = std::move(failure);
  return fail(std::move(error));
}

}  // namespace accy::choir
