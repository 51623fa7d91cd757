// Passes: free functions over a module, listed in a pipeline and run by a PassManager.
#pragma once

#include <any>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "accy/export.hpp"
#include "accy/result.hpp"
#include "choir/module.hpp"

namespace accy::choir {

/// One kind of analysis: a recomputable view of the module.
struct ACCY_EXPORT AnalysisDescriptor {
  std::string_view name;
  std::any (*compute)(const Module& module);
};

/// Analyses computed on demand and kept until a pass that does not preserve them.
class ACCY_EXPORT AnalysisCache {
 public:
  /// The analysis' value; T is what its `compute` puts into the std::any.
  template <class T>
  const T& get(const AnalysisDescriptor& descriptor, const Module& module) {
    return std::any_cast<const T&>(lookup(descriptor, module));
  }
  /// Drops all but the named ones.
  void invalidate(std::span<const std::string_view> preserved);
  std::uint64_t hits() const { return hits_; }
  std::uint64_t misses() const { return misses_; }
  std::uint64_t invalidations() const { return invalidations_; }

 private:
  const std::any& lookup(const AnalysisDescriptor& descriptor, const Module& module);
  std::map<std::string_view, std::any> values_;
  std::uint64_t hits_ = 0;
  std::uint64_t misses_ = 0;
  std::uint64_t invalidations_ = 0;
};

/// What a pass works on.
struct ACCY_EXPORT PassContext {
  Module& module;
  AnalysisCache& analyses;
};

enum class PassChange : std::uint8_t { unchanged, changed };

/// A pass: data, not a class to derive from. Its options are bound into `run` when a pipeline is
/// built, and spelled in `options` because they are part of the product's key.
struct ACCY_EXPORT Pass {
  std::string_view name;         ///< "accy-choir-canonicalize"
  std::string_view description;
  std::string options;           ///< canonical text of the options; empty: none
  std::function<Result<PassChange>(PassContext&)> run;
  std::vector<std::string_view> preserved;  ///< analyses that stay valid when it changes the module
};

/// The ordered passes of one stage.
struct ACCY_EXPORT Pipeline {
  std::string_view name;
  std::vector<Pass> passes;
  /// Names and options in order: the recipe part of a product's key.
  std::string recipe() const;
};

/// Counters of one run.
struct ACCY_EXPORT PassStatistics {
  std::uint64_t pass_runs = 0;
  std::uint64_t pass_failures = 0;
  std::uint64_t passes_modified = 0;
  std::uint64_t analysis_hits = 0;
  std::uint64_t analysis_misses = 0;
  std::uint64_t analyses_invalidated = 0;
};

/// Runs the passes in order and verifies the module after each that changed it. The error names
/// pipeline and pass.
ACCY_EXPORT Status run_pipeline(const Pipeline& pipeline, Module& module, AnalysisCache& analyses,
                                PassStatistics& statistics);

}  // namespace accy::choir
