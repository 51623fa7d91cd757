// Instrumentation: who is told about each pass and analysis, and the one that times them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "accy/export.hpp"
#include "choir/pass.hpp"

namespace accy::choir {

/// A pass about to run or through. Called from the worker that runs it.
struct ACCY_EXPORT PassEvent {
  std::string_view pass;
  const Module& module;
  std::size_t worker = 0;  ///< 0 is the thread that called the manager
};

/// Told about everything that a PassManager runs; several may be added. Several workers may call
/// at once.
class ACCY_EXPORT PassInstrumentation {
 public:
  virtual ~PassInstrumentation() = default;
  virtual void before_pass(const PassEvent&) {}
  /// Behind before_pass, whether the pass succeeded or not.
  virtual void after_pass(const PassEvent&) {}
  virtual void before_analysis(std::string_view /*name*/, std::size_t /*worker*/) {}
  virtual void after_analysis(std::string_view /*name*/, std::size_t /*worker*/) {}
};

/// Nanoseconds from start to end: 0 when the clock went back, the largest value when it overflows.
ACCY_EXPORT std::uint64_t ns_between(std::int64_t start, std::int64_t end);
/// a + b, at most the largest value.
ACCY_EXPORT std::uint64_t saturating_add(std::uint64_t a, std::uint64_t b);
/// Nanoseconds of a steady clock.
ACCY_EXPORT std::int64_t steady_now();

/// Totals of an allocator so far.
struct ACCY_EXPORT AllocationSnapshot {
  std::uint64_t allocations = 0;
  std::uint64_t frees = 0;
  std::uint64_t bytes = 0;  ///< allocated, without what was freed
};
using AllocationSnapshotProvider = std::function<AllocationSnapshot()>;

struct ACCY_EXPORT TimingOptions {
  std::function<std::int64_t()> now = steady_now;  ///< nanoseconds
  bool operation_counts = true;  ///< count operations before and after each pass: one walk each
  AllocationSnapshotProvider allocations;  ///< none: no allocation figures
};

/// What one pass cost, all its runs together.
struct ACCY_EXPORT PassTiming {
  std::string name;
  std::uint64_t runs = 0;
  std::uint64_t elapsed_ns = 0;
  std::uint64_t operations_before = 0;
  std::uint64_t operations_after = 0;
  AllocationSnapshot allocations;
};

struct ACCY_EXPORT AnalysisTiming {
  std::string name;
  std::uint64_t runs = 0;
  std::uint64_t elapsed_ns = 0;
};

/// Time, operation counts and allocations per pass, time per analysis. The accessors give nothing
/// for a name that has not run, nor for figures that were not collected.
class ACCY_EXPORT TimingInstrumentation : public PassInstrumentation {
 public:
  explicit TimingInstrumentation(TimingOptions options = {});

  void before_pass(const PassEvent& event) override;
  void after_pass(const PassEvent& event) override;
  void before_analysis(std::string_view name, std::size_t worker) override;
  void after_analysis(std::string_view name, std::size_t worker) override;

  std::optional<std::uint64_t> pass_time(std::string_view name) const;  ///< ns
  std::optional<std::uint64_t> pass_count(std::string_view name) const;
  std::optional<std::uint64_t> pass_operations_before(std::string_view name) const;
  std::optional<std::uint64_t> pass_operations_after(std::string_view name) const;
  /// After less before; clamped to the 64-bit range.
  std::optional<std::int64_t> pass_operations_delta(std::string_view name) const;
  std::optional<std::uint64_t> pass_allocation_count(std::string_view name) const;
  std::optional<std::uint64_t> pass_free_count(std::string_view name) const;
  std::optional<std::uint64_t> pass_allocation_bytes(std::string_view name) const;
  std::optional<std::uint64_t> analysis_time(std::string_view name) const;  ///< ns
  std::optional<std::uint64_t> analysis_count(std::string_view name) const;
  bool collects_operation_counts() const { return options_.operation_counts; }
  /// Replaces the provider; an empty one stops collecting. Not while a pass runs.
  void set_allocation_snapshot_provider(AllocationSnapshotProvider provider);

  /// All passes, and all analyses, in the order in which they first ran.
  std::vector<PassTiming> passes() const;
  std::vector<AnalysisTiming> analyses() const;

 private:
  struct Running {
    std::int64_t start = 0;
    std::uint64_t operations = 0;
    AllocationSnapshot allocations;
  };
  const PassTiming* find_pass(std::string_view name) const;

  TimingOptions options_;
  mutable std::mutex mutex_;
  std::map<std::size_t, std::vector<Running>> running_;  ///< by worker; analyses nest in passes
  std::vector<PassTiming> passes_;
  std::vector<AnalysisTiming> analyses_;
};

}  // namespace accy::choir
