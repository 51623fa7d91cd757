#include "runtime/hazards.hpp"

#include <algorithm>

namespace accy::runtime {

namespace {

struct RangeAccess {
  SlotRange range;
  bool writes = false;
};

std::vector<RangeAccess> accesses_of(const PlanStep& step) {
  std::vector<RangeAccess> list;
  if (const auto* launch = std::get_if<LaunchStep>(&step))
    for (const BufferArgument& argument : launch->buffers)
      list.push_back({argument.range, argument.access != Access::read});
  if (const auto* copy = std::get_if<CopyStep>(&step)) {
    list.push_back({copy->source, false});
    list.push_back({copy->destination, true});
  }
  return list;
}

bool overlap(const SlotRange& a, const SlotRange& b) {
  return a.slot == b.slot && a.offset_bytes < b.offset_bytes + b.size_bytes &&
         b.offset_bytes < a.offset_bytes + a.size_bytes;
}

std::string describe(const RangeAccess& first, const RangeAccess& second) {
  const std::int64_t begin = std::max(first.range.offset_bytes, second.range.offset_bytes);
  const std::int64_t end = std::min(first.range.offset_bytes + first.range.size_bytes,
                                    second.range.offset_bytes + second.range.size_bytes);
  return std::string(second.writes ? "write" : "read") + " after " +
         (first.writes ? "write" : "read") + " of slot " + std::to_string(first.range.slot) +
         ", bytes " + std::to_string(begin) + " to " + std::to_string(end);
}

/// Why the second step may not run with the first, or nothing.
std::string conflict(std::span<const RangeAccess> first, std::span<const RangeAccess> second) {
  for (const RangeAccess& a : first)
    for (const RangeAccess& b : second)
      if ((a.writes || b.writes) && overlap(a.range, b.range)) return describe(a, b);
  return {};
}

}  // namespace

std::vector<Hazard> find_hazards(const PlanDescription& plan) {
  std::vector<Hazard> hazards;
  std::size_t segment = 0;
  for (std::size_t step = 0; step < plan.steps.size(); ++step) {
    if (std::holds_alternative<BarrierStep>(plan.steps[step])) {
      segment = step + 1;
      continue;
    }
    const auto second = accesses_of(plan.steps[step]);
    for (std::size_t before = segment; before < step; ++before)
      if (std::string reason = conflict(accesses_of(plan.steps[before]), second); !reason.empty())
        hazards.push_back({before, step, std::move(reason)});
  }
  return hazards;
}

Status check_hazards(const PlanDescription& plan) {
  const std::vector<Hazard> hazards = find_hazards(plan);
  if (hazards.empty()) return {};
  return fail(ErrorCode::internal,
              "steps " + std::to_string(hazards[0].first_step) + " and " +
                  std::to_string(hazards[0].second_step) +
                  " of the plan have no barrier between (" + hazards[0].reason + "; " +
                  std::to_string(hazards.size()) + " hazards)");
}

PlanDescription with_barriers(PlanDescription plan) {
  std::vector<PlanStep> steps;
  std::vector<RangeAccess> since_barrier;
  for (PlanStep& step : plan.steps) {
    const auto accesses = accesses_of(step);
    if (!conflict(since_barrier, accesses).empty()) {
      steps.emplace_back(BarrierStep{});
      since_barrier.clear();
    }
    since_barrier.insert(since_barrier.end(), accesses.begin(), accesses.end());
    steps.push_back(std::move(step));
  }
  plan.steps = std::move(steps);
  return plan;
}

}  // namespace accy::runtime
