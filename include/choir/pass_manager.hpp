// PassManager: runs a pipeline on a module, with instrumentation, workers, reuse of what nested
// pipelines made before, and a reproducer when a pass fails.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "accy/export.hpp"
#include "choir/instrumentation.hpp"
#include "choir/pass.hpp"

namespace accy::choir {

class ProductStore;

enum class FailureKind : std::uint8_t {
  pass_failed,      ///< the pass returned an error
  verifier_failed,  ///< the module that it left breaks a rule
  exception,        ///< it let an exception out
  limit_exceeded,   ///< the module that it left is larger than the run allows
  stage_refused,    ///< every pass was content, but the stage does not seal what they left
  crashed,          ///< the process got a fatal signal; only in a reproducer
};
ACCY_EXPORT std::string_view to_string(FailureKind kind);
/// The kind of that name, if there is one.
ACCY_EXPORT std::optional<FailureKind> failure_kind_named(std::string_view name);

/// Where and why a pipeline stopped.
struct ACCY_EXPORT PassFailure {
  std::string pipeline;
  FailureKind kind = FailureKind::pass_failed;
  std::string pass;            ///< empty when it is no single one
  std::string pass_options;    ///< canonical text
  std::string steps;           ///< textual pipeline that fails so again on `module_text`
  std::string op;              ///< name of the operation it stopped at; empty: unknown
  std::string symbol;          ///< of the function or kernel around that operation
  std::string verifier_error;  ///< text of the verifier's error; empty for other kinds
  std::string error;           ///< text of the whole error
  std::size_t workers = 1;
  /// The module before the failing pass, or the part that a nested pass failed on; empty when the
  /// run did not keep it (RunOptions::keep_module_text).
  std::string module_text;
};

/// What a nested pipeline did to one operation.
struct ACCY_EXPORT PartRun {
  std::string symbol;   ///< of the operation before the pipeline
  bool reused = false;  ///< taken from the store; no pass ran
};

/// How a pipeline is run. Borrowed pointers must outlive the run.
struct ACCY_EXPORT RunOptions {
  bool verify_each = true;  ///< verify the module after each pass that changed it
  bool verify_last = true;  ///< also after the last; false when it is sealed at once
  std::size_t workers = 1;  ///< threads for nested pipelines; the result does not depend on it
  /// Most operations that a pass may leave in a module.
  std::uint64_t operations_maximum = std::uint64_t{1} << 24;
  /// Prints the module before each pass, so that a failure has its text. Slow.
  bool keep_module_text = false;
  /// Called with what would be the failure's record before each pass, from the worker that runs
  /// it; implies keep_module_text. For reproducers of crashes.
  std::function<void(const PassFailure& pending)> before_each;
  /// Products of nested pipelines: looked up before, inserted after; null: always run.
  ProductStore* store = nullptr;
  /// Where a nest finds its operations by symbol, when the module has their outlines alone.
  const Module* bodies = nullptr;
  /// Present value of a fact, for look-ups in the store.
  std::function<std::string(std::string_view)> fact_value;
};

class ACCY_EXPORT PassManager {
 public:
  explicit PassManager(std::string_view name = {}) { root_.name = name; }
  explicit PassManager(Pipeline root) : root_(std::move(root)) {}

  Pipeline& root() { return root_; }
  const Pipeline& root() const { return root_; }
  void add_pass(Pass pass) { root_.add(std::move(pass)); }
  /// Borrowed; it must outlive the runs.
  void add_instrumentation(PassInstrumentation& instrumentation) {
    instrumentations_.push_back(&instrumentation);
  }
  /// Turns on the decisions' log.
  void record_decisions(bool on) { decisions_ = DecisionLog(on); }

  /// Runs the steps in order, with a fresh cache. The error names pipeline and pass.
  Status run(Module& module, const RunOptions& options = {});
  /// The same with analyses that are valid for the module, and stay so.
  Status run_with_analysis_cache(Module& module, AnalysisCache& analyses,
                                 const RunOptions& options = {});

  // Of all runs so far.
  const PassStatistics& statistics() const { return statistics_; }
  const FactTrace& facts() const { return facts_; }
  const DecisionLog& decisions() const { return decisions_; }
  DecisionLog take_decisions() { return std::move(decisions_); }
  const std::vector<PartRun>& parts() const { return parts_; }
  /// Of the latest run; null when it succeeded.
  const PassFailure* last_failure() const { return failed_ ? &failure_ : nullptr; }

 private:
  Pipeline root_;
  std::vector<PassInstrumentation*> instrumentations_;
  PassStatistics statistics_;
  FactTrace facts_;
  DecisionLog decisions_;
  std::vector<PartRun> parts_;
  PassFailure failure_;
  bool failed_ = false;
};

}  // namespace accy::choir
