// The recipe: every stage's pipeline from one place, and the package that registers all passes.
#pragma once

#include <string_view>

#include "choir/pass_manager.hpp"
#include "choir/pass_registry.hpp"
#include "contract/passes/bind_dimensions.hpp"
#include "kernel/schedule_decisions.hpp"
#include "preparation/stage.hpp"
#include "profile/profile.hpp"
#include "target/passes/emit_code.hpp"
#include "tensor/pipeline.hpp"

namespace accy::preparation {

using TensorLoweringOptions = tensor::LoweringOptions;

/// What some passes need to be made; borrowed pointers must outlive the passes.
struct RecipeArguments {
  contract::DimensionBindings dimensions;
  TensorLoweringOptions tensor;
  kernel::ScheduleDecisions schedules;
  /// Needed by passes of the kernel and target stages.
  const TargetProfile* profile = nullptr;
  /// Needed by the passes of the target stage.
  const target::Backend* backend = nullptr;
  target::EmitOptions emit = {};
};

/// "accy-choir": every pass of every stage and the six pipelines.
choir::PackageExtension accy_choir_package_extension(const RecipeArguments& arguments = {});
/// A registry with that package.
choir::PassRegistry pass_registry(const RecipeArguments& arguments = {});

/// The passes that a stage registers, in the order in which they first run; none for semantic.
std::vector<choir::PassRegistration> stage_passes(Stage stage,
                                                  const RecipeArguments& arguments = {});
/// Name of the stage's pass or analysis of that number; empty when there is none.
std::string_view stage_pass_name(Stage stage, std::size_t index);
std::string_view stage_analysis_name(Stage stage, std::size_t index);

/// Name, description and plan of a stage's pipeline. Not for the semantic stage, which has none.
choir::PipelineRegistration stage_pipeline_registration(Stage stage);
std::string_view stage_pipeline_name(Stage stage);

/// A stage's pipeline. Errors: the semantic stage; an argument that one of its passes needs is
/// missing.
Result<choir::Pipeline> stage_pipeline(Stage stage, const RecipeArguments& arguments = {});
/// Adds a stage's steps to a pass manager.
Status add_stage_pipeline(choir::PassManager& manager, Stage stage,
                          const RecipeArguments& arguments = {});
Status add_tensor_pipeline(choir::PassManager& manager, const TensorLoweringOptions& options);

}  // namespace accy::preparation
