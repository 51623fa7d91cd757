#include "choir/instrumentation.hpp"

#include <algorithm>
#include <chrono>
#include <limits>

namespace accy::choir {

std::uint64_t ns_between(std::int64_t start, std::int64_t end) {
  if (end <= start) return 0;
  // In unsigned arithmetic the difference fits whatever the signs are.
  return static_cast<std::uint64_t>(end) - static_cast<std::uint64_t>(start);
}

std::uint64_t saturating_add(std::uint64_t a, std::uint64_t b) {
  const std::uint64_t sum = a + b;
  return sum < a ? std::numeric_limits<std::uint64_t>::max() : sum;
}

std::int64_t steady_now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

namespace {

AllocationSnapshot difference(const AllocationSnapshot& from, const AllocationSnapshot& to) {
  const auto less = [](std::uint64_t a, std::uint64_t b) { return b > a ? b - a : 0; };
  return {less(from.allocations, to.allocations), less(from.frees, to.frees),
          less(from.bytes, to.bytes)};
}

/// The entry of that name, added behind the others when there is none.
template <class Entry>
Entry& entry_of(std::vector<Entry>& entries, std::string_view name) {
  const auto found = std::ranges::find(entries, name, &Entry::name);
  if (found != entries.end()) return *found;
  entries.push_back({.name = std::string(name)});
  return entries.back();
}

}  // namespace

TimingInstrumentation::TimingInstrumentation(TimingOptions options)
    : options_(std::move(options)) {}

void TimingInstrumentation::before_pass(const PassEvent& event) {
  Running running;
  if (options_.operation_counts) running.operations = count_operations(event.module.operation());
  const std::scoped_lock lock(mutex_);
  if (options_.allocations) running.allocations = options_.allocations();
  running.start = options_.now();
  running_[event.worker].push_back(running);
}

void TimingInstrumentation::after_pass(const PassEvent& event) {
  std::unique_lock lock(mutex_);
  const std::int64_t end = options_.now();
  std::vector<Running>& stack = running_[event.worker];
  ACCY_ASSERT(!stack.empty(), "a pass ends that did not begin");
  const Running running = stack.back();
  stack.pop_back();
  AllocationSnapshot used;
  if (options_.allocations) used = difference(running.allocations, options_.allocations());
  std::uint64_t operations = 0;
  if (options_.operation_counts) {
    lock.unlock();
    operations = count_operations(event.module.operation());
    lock.lock();
  }
  PassTiming& timing = entry_of(passes_, event.pass);
  ++timing.runs;
  timing.elapsed_ns = saturating_add(timing.elapsed_ns, ns_between(running.start, end));
  timing.operations_before = saturating_add(timing.operations_before, running.operations);
  timing.operations_after = saturating_add(timing.operations_after, operations);
  timing.allocations.allocations = saturating_add(timing.allocations.allocations, used.allocations);
  timing.allocations.frees = saturating_add(timing.allocations.frees, used.frees);
  timing.allocations.bytes = saturating_add(timing.allocations.bytes, used.bytes);
}

void TimingInstrumentation::before_analysis(std::string_view, std::size_t worker) {
  const std::scoped_lock lock(mutex_);
  running_[worker].push_back({.start = options_.now(), .operations = 0, .allocations = {}});
}

void TimingInstrumentation::after_analysis(std::string_view name, std::size_t worker) {
  const std::scoped_lock lock(mutex_);
  const std::int64_t end = options_.now();
  std::vector<Running>& stack = running_[worker];
  ACCY_ASSERT(!stack.empty(), "an analysis ends that did not begin");
  AnalysisTiming& timing = entry_of(analyses_, name);
  ++timing.runs;
  timing.elapsed_ns = saturating_add(timing.elapsed_ns, ns_between(stack.back().start, end));
  stack.pop_back();
}

const PassTiming* TimingInstrumentation::find_pass(std::string_view name) const {
  const auto found = std::ranges::find(passes_, name, &PassTiming::name);
  return found == passes_.end() ? nullptr : &*found;
}

std::optional<std::uint64_t> TimingInstrumentation::pass_time(std::string_view name) const {
  const std::scoped_lock lock(mutex_);
  const PassTiming* timing = find_pass(name);
  return timing == nullptr ? std::nullopt : std::optional(timing->elapsed_ns);
}

std::optional<std::uint64_t> TimingInstrumentation::pass_count(std::string_view name) const {
  const std::scoped_lock lock(mutex_);
  const PassTiming* timing = find_pass(name);
  return timing == nullptr ? std::nullopt : std::optional(timing->runs);
}

std::optional<std::uint64_t>
TimingInstrumentation::pass_operations_before(std::string_view name) const {
  const std::scoped_lock lock(mutex_);
  const PassTiming* timing = find_pass(name);
  if (timing == nullptr || !options_.operation_counts) return std::nullopt;
  return timing->operations_before;
}

std::optional<std::uint64_t>
TimingInstrumentation::pass_operations_after(std::string_view name) const {
  const std::scoped_lock lock(mutex_);
  const PassTiming* timing = find_pass(name);
  if (timing == nullptr || !options_.operation_counts) return std::nullopt;
  return timing->operations_after;
}

std::optional<std::int64_t>
TimingInstrumentation::pass_operations_delta(std::string_view name) const {
  const std::scoped_lock lock(mutex_);
  const PassTiming* timing = find_pass(name);
  if (timing == nullptr || !options_.operation_counts) return std::nullopt;
  const std::uint64_t before = timing->operations_before;
  const std::uint64_t after = timing->operations_after;
  constexpr std::uint64_t limit = std::numeric_limits<std::int64_t>::max();
  if (after >= before) return static_cast<std::int64_t>(std::min(after - before, limit));
  return -static_cast<std::int64_t>(std::min(before - after, limit));
}

std::optional<std::uint64_t>
TimingInstrumentation::pass_allocation_count(std::string_view name) const {
  const std::scoped_lock lock(mutex_);
  const PassTiming* timing = find_pass(name);
  if (timing == nullptr || !options_.allocations) return std::nullopt;
  return timing->allocations.allocations;
}

std::optional<std::uint64_t> TimingInstrumentation::pass_free_count(std::string_view name) const {
  const std::scoped_lock lock(mutex_);
  const PassTiming* timing = find_pass(name);
  if (timing == nullptr || !options_.allocations) return std::nullopt;
  return timing->allocations.frees;
}

std::optional<std::uint64_t>
TimingInstrumentation::pass_allocation_bytes(std::string_view name) const {
  const std::scoped_lock lock(mutex_);
  const PassTiming* timing = find_pass(name);
  if (timing == nullptr || !options_.allocations) return std::nullopt;
  return timing->allocations.bytes;
}

std::optional<std::uint64_t> TimingInstrumentation::analysis_time(std::string_view name) const {
  const std::scoped_lock lock(mutex_);
  const auto found = std::ranges::find(analyses_, name, &AnalysisTiming::name);
  return found == analyses_.end() ? std::nullopt : std::optional(found->elapsed_ns);
}

std::optional<std::uint64_t> TimingInstrumentation::analysis_count(std::string_view name) const {
  const std::scoped_lock lock(mutex_);
  const auto found = std::ranges::find(analyses_, name, &AnalysisTiming::name);
  return found == analyses_.end() ? std::nullopt : std::optional(found->runs);
}

void TimingInstrumentation::set_allocation_snapshot_provider(AllocationSnapshotProvider provider) {
  const std::scoped_lock lock(mutex_);
  options_.allocations = std::move(provider);
}

std::vector<PassTiming> TimingInstrumentation::passes() const {
  const std::scoped_lock lock(mutex_);
  return passes_;
}

std::vector<AnalysisTiming> TimingInstrumentation::analyses() const {
  const std::scoped_lock lock(mutex_);
  return analyses_;
}

}  // namespace accy::choir
