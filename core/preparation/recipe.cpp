#include "preparation/recipe.hpp"

#include "contract/pipeline.hpp"
#include "dispatch/pipeline.hpp"
#include "kernel/pipeline.hpp"
#include "memory/pipeline.hpp"
#include "target/pipeline.hpp"
#include "tensor/pipeline.hpp"

namespace accy::preparation {

namespace {

constexpr std::size_t first_with_pipeline = static_cast<std::size_t>(Stage::contract);

}  // namespace

std::vector<choir::PassRegistration> stage_passes(Stage stage, const RecipeArguments& given) {
  switch (stage) {
    case Stage::semantic: return {};
    case Stage::contract: return contract::contract_stages(given.dimensions);
    case Stage::tensor: return tensor::tensor_stages(given.tensor);
    case Stage::dispatch: return dispatch::dispatch_stages();
    case Stage::memory: return memory::memory_stages();
    case Stage::kernel: return kernel::kernel_stages(given.profile, given.schedules);
    case Stage::target: return target::target_stages(given.backend, given.profile, given.emit);
  }
  ACCY_ASSERT(false, "unknown stage");
  return {};
}

std::string_view stage_pass_name(Stage stage, std::size_t index) {
  const auto passes = stage_passes(stage);
  return index < passes.size() ? passes[index].name : std::string_view();
}

std::string_view stage_analysis_name(Stage stage, std::size_t index) {
  for (const choir::PassRegistration& pass : stage_passes(stage))
    if (!pass.analysis.empty() && index-- == 0) return pass.analysis;
  return {};
}

choir::PipelineRegistration stage_pipeline_registration(Stage stage) {
  switch (stage) {
    case Stage::semantic: break;
    case Stage::contract: return contract::contract_pipeline_registration();
    case Stage::tensor: return tensor::tensor_pipeline_registration();
    case Stage::dispatch: return dispatch::dispatch_pipeline_registration();
    case Stage::memory: return memory::memory_pipeline_registration();
    case Stage::kernel: return kernel::kernel_pipeline_registration();
    case Stage::target: return target::target_pipeline_registration();
  }
  ACCY_ASSERT(false, "the semantic stage has no pipeline");
  return {};
}

std::string_view stage_pipeline_name(Stage stage) {
  return stage_pipeline_registration(stage).name;
}

choir::PackageExtension accy_choir_package_extension(const RecipeArguments& arguments) {
  choir::PackageExtension package{.name = "accy-choir", .passes = {}, .pipelines = {}};
  for (std::size_t index = first_with_pipeline; index < stage_count; ++index) {
    const auto stage = static_cast<Stage>(index);
    for (choir::PassRegistration& pass : stage_passes(stage, arguments))
      package.passes.push_back(std::move(pass));
    package.pipelines.push_back(stage_pipeline_registration(stage));
  }
  return package;
}

choir::PassRegistry pass_registry(const RecipeArguments& arguments) {
  choir::PassRegistry registry;
  const Status added = registry.add(accy_choir_package_extension(arguments));
  ACCY_ASSERT(added.has_value(), "the package's own names clash");
  return registry;
}

Result<choir::Pipeline> stage_pipeline(Stage stage, const RecipeArguments& arguments) {
  if (stage == Stage::semantic)
    return fail(ErrorCode::invalid_input, "the semantic stage has no pipeline");
  return pass_registry(arguments).make_pipeline(stage_pipeline_name(stage));
}

Status add_stage_pipeline(choir::PassManager& manager, Stage stage,
                          const RecipeArguments& arguments) {
  ACCY_TRY_ASSIGN(choir::Pipeline pipeline, stage_pipeline(stage, arguments));
  if (manager.root().steps.empty()) manager.root().name = pipeline.name;
  for (choir::PipelineStep& step : pipeline.steps) manager.root().steps.push_back(std::move(step));
  return {};
}

Status add_tensor_pipeline(choir::PassManager& manager, const TensorLoweringOptions& options) {
  return add_stage_pipeline(manager, Stage::tensor, {.tensor = options});
}

}  // namespace accy::preparation
