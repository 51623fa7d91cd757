// Pipelines as values: building, listing, and the text that is their recipe.
#include "choir/instrumentation.hpp"
#include "choir/pass.hpp"

namespace accy::choir {

void Pipeline::add(Pass pass) { steps.emplace_back(std::move(pass)); }

Nest& Pipeline::nest(std::string anchor) {
  steps.emplace_back(Nest{std::move(anchor), {}});
  return std::get<Nest>(steps.back());
}

namespace {

void collect(const std::vector<PipelineStep>& steps, std::vector<const Pass*>& passes) {
  for (const PipelineStep& step : steps) {
    if (const Pass* pass = std::get_if<Pass>(&step))
      passes.push_back(pass);
    else
      collect(std::get<Nest>(step).steps, passes);
  }
}

std::string text_of(const std::vector<PipelineStep>& steps) {
  std::string text;
  for (const PipelineStep& step : steps) {
    if (!text.empty()) text += ',';
    if (const Pass* pass = std::get_if<Pass>(&step)) {
      text += pass->name;
      if (!pass->options.empty()) text += "{" + pass->options + "}";
    } else {
      text += std::get<Nest>(step).recipe();
    }
  }
  return text;
}

}  // namespace

std::vector<const Pass*> Pipeline::passes() const {
  std::vector<const Pass*> passes;
  collect(steps, passes);
  return passes;
}

std::string Pipeline::recipe() const { return text_of(steps); }
std::string Nest::recipe() const { return anchor + "(" + text_of(steps) + ")"; }

PassStatistics& PassStatistics::operator+=(const PassStatistics& other) {
  pass_runs = saturating_add(pass_runs, other.pass_runs);
  pass_failures = saturating_add(pass_failures, other.pass_failures);
  passes_modified = saturating_add(passes_modified, other.passes_modified);
  analysis_hits = saturating_add(analysis_hits, other.analysis_hits);
  analysis_misses = saturating_add(analysis_misses, other.analysis_misses);
  analyses_invalidated = saturating_add(analyses_invalidated, other.analyses_invalidated);
  return *this;
}

}  // namespace accy::choir
