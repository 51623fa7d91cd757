#include "choir/pass.hpp"

#include <algorithm>

#include "choir/text.hpp"

namespace accy::choir {

void AnalysisCache::invalidate(std::span<const std::string_view> preserved) {
  invalidations_ += std::erase_if(values_, [&](const auto& entry) {
    return std::find(preserved.begin(), preserved.end(), entry.first) == preserved.end();
  });
}

const std::any& AnalysisCache::lookup(const AnalysisDescriptor& descriptor, const Module& module) {
  if (auto found = values_.find(descriptor.name); found != values_.end()) {
    ++hits_;
    return found->second;
  }
  ++misses_;
  return values_.emplace(descriptor.name, descriptor.compute(module)).first->second;
}

std::string Pipeline::recipe() const {
  std::string text;
  for (const Pass& pass : passes) {
    text += pass.name;
    if (!pass.options.empty()) text += "{" + pass.options + "}";
    text += ';';
  }
  return text;
}

namespace {

Failure pass_failure(const Pipeline& pipeline, const Pass& pass, Error error) {
  return fail(std::move(error).with("running pass " + std::string(pass.name) + " of pipeline " +
                                    std::string(pipeline.name)));
}

}  // namespace

Status run_pipeline(const Pipeline& pipeline, Module& module, AnalysisCache& analyses,
                    PassStatistics& statistics) {
  const std::uint64_t hits = analyses.hits();
  const std::uint64_t misses = analyses.misses();
  const std::uint64_t invalidations = analyses.invalidations();
  for (const Pass& pass : pipeline.passes) {
    ++statistics.pass_runs;
    PassContext context{module, analyses};
    Result<PassChange> change = pass.run(context);
    if (!change) {
      ++statistics.pass_failures;
      return pass_failure(pipeline, pass, std::move(change.error()));
    }
    if (*change == PassChange::unchanged) continue;
    ++statistics.passes_modified;
    analyses.invalidate(pass.preserved);
    if (Status status = verify(module); !status) {
      ++statistics.pass_failures;
      status.error().code = ErrorCode::pass_failed;  // the program was valid before the pass
      return pass_failure(pipeline, pass, std::move(status.error()));
    }
  }
  statistics.analysis_hits += analyses.hits() - hits;
  statistics.analysis_misses += analyses.misses() - misses;
  statistics.analyses_invalidated += analyses.invalidations() - invalidations;
  return {};
}

}  // namespace accy::choir
