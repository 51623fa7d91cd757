// Passes: free functions over a module, listed in a pipeline and run by a PassManager.
#pragma once

#include <any>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "accy/export.hpp"
#include "accy/result.hpp"
#include "choir/decision.hpp"
#include "choir/fact.hpp"
#include "choir/module.hpp"

namespace accy::choir {

/// One kind of analysis: a recomputable view of the module.
struct ACCY_EXPORT AnalysisDescriptor {
  std::string_view name;
  std::any (*compute)(const Module& module);
};

class PassInstrumentation;

/// Analyses of one module, computed on demand and kept until a pass that does not preserve them.
/// What it holds points into that module.
class ACCY_EXPORT AnalysisCache {
 public:
  /// The analysis' value; T is what its `compute` puts into the std::any.
  template <class T>
  const T& get(const AnalysisDescriptor& descriptor, const Module& module) {
    return std::any_cast<const T&>(lookup(descriptor, module));
  }
  bool contains(std::string_view name) const { return values_.contains(name); }
  std::size_t size() const { return values_.size(); }
  /// Drops all but the named ones.
  void invalidate(std::span<const std::string_view> preserved);
  std::uint64_t hits() const { return hits_; }
  std::uint64_t misses() const { return misses_; }
  std::uint64_t invalidations() const { return invalidations_; }

  /// Who is told when an analysis is computed; borrowed for as long as it is set.
  void set_instrumentations(std::span<PassInstrumentation* const> list, std::size_t worker = 0) {
    instrumentations_ = list;
    worker_ = worker;
  }

 private:
  const std::any& lookup(const AnalysisDescriptor& descriptor, const Module& module);
  std::map<std::string_view, std::any> values_;
  std::span<PassInstrumentation* const> instrumentations_;
  std::size_t worker_ = 0;
  std::uint64_t hits_ = 0;
  std::uint64_t misses_ = 0;
  std::uint64_t invalidations_ = 0;
};

/// What a pass works on, and where it notes what it read and decided.
struct ACCY_EXPORT PassContext {
  Module& module;
  AnalysisCache& analyses;
  FactTrace& facts;
  DecisionLog& decisions;
};

enum class PassChange : std::uint8_t { unchanged, changed };

/// A pass: data, not a class to derive from. Its options are bound into `run` when a pipeline is
/// built, and spelled in `options` because they are part of the product's key. `run` may be called
/// by several threads at once, each with a module of its own.
struct ACCY_EXPORT Pass {
  std::string_view name;  ///< "accy-choir-canonicalize"; lives as long as the program
  std::string_view description;
  std::string options;  ///< canonical text of the options; empty: all are defaults
  std::function<Result<PassChange>(PassContext&)> run;
  std::vector<std::string_view> preserved;  ///< analyses that stay valid when it changes the module
};

struct Nest;
/// One step of a pipeline: a pass over the module, or a pipeline over each operation of one kind.
using PipelineStep = std::variant<Pass, Nest>;

/// The ordered steps of one stage.
struct ACCY_EXPORT Pipeline {
  std::string_view name;
  std::vector<PipelineStep> steps;

  void add(Pass pass);
  /// Adds a nested pipeline and returns it to be filled.
  Nest& nest(std::string anchor);
  /// Every pass, also nested ones, in order.
  std::vector<const Pass*> passes() const;
  /// The steps as text, which `parse_pipeline` reads back: "a,b{n = 2},kernel.func(c,d)". It is the
  /// recipe part of a product's key.
  std::string recipe() const;
};

/// Runs its steps on every top-level operation of the kind `anchor`, each moved into a module of
/// its own, so that workers share nothing; what a module holds afterwards takes the operation's
/// place. Facts, decisions and faults are merged in the operations' order.
struct ACCY_EXPORT Nest {
  std::string anchor;  ///< "kernel.func"
  std::vector<PipelineStep> steps;

  void add(Pass pass) { steps.emplace_back(std::move(pass)); }
  std::string recipe() const;
};

/// Counters of one run; nested passes count once for each operation that they ran on.
struct ACCY_EXPORT PassStatistics {
  std::uint64_t pass_runs = 0;
  std::uint64_t pass_failures = 0;
  std::uint64_t passes_modified = 0;
  std::uint64_t analysis_hits = 0;
  std::uint64_t analysis_misses = 0;
  std::uint64_t analyses_invalidated = 0;

  PassStatistics& operator+=(const PassStatistics& other);
  friend bool operator==(const PassStatistics&, const PassStatistics&) = default;
};

}  // namespace accy::choir
