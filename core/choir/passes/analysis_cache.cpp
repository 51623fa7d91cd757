#include <algorithm>

#include "choir/instrumentation.hpp"

namespace accy::choir {

void AnalysisCache::invalidate(std::span<const std::string_view> preserved) {
  invalidations_ += std::erase_if(values_, [&](const auto& entry) {
    return std::ranges::find(preserved, entry.first) == preserved.end();
  });
}

const std::any& AnalysisCache::lookup(const AnalysisDescriptor& descriptor, const Module& module) {
  if (auto found = values_.find(descriptor.name); found != values_.end()) {
    ++hits_;
    return found->second;
  }
  ++misses_;
  for (PassInstrumentation* listener : instrumentations_)
    listener->before_analysis(descriptor.name, worker_);
  std::any value = descriptor.compute(module);
  for (PassInstrumentation* listener : instrumentations_)
    listener->after_analysis(descriptor.name, worker_);
  return values_.emplace(descriptor.name, std::move(value)).first->second;
}

}  // namespace accy::choir
