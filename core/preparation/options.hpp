// What a caller of the preparation functions may set.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "choir/instrumentation.hpp"
#include "choir/pass_manager.hpp"
#include "choir/product.hpp"
#include "preparation/recipe.hpp"

namespace accy::preparation {

using choir::steady_now;

/// Borrowed pointers must outlive the call they are given to.
struct PreparationOptions {
  /// The device to prepare for; needed from the kernel stage on.
  const TargetProfile* profile = nullptr;
  /// The backend that emits for the profile; needed by the target stage.
  const target::Backend* backend = nullptr;
  /// Sizes of named dimensions.
  contract::DimensionBindings dimensions;
  /// How composite operations are lowered.
  TensorLoweringOptions tensor;
  /// Schedules that go before the model's.
  kernel::ScheduleDecisions schedules;
  /// Whether the backend's validator accepts each code.
  target::EmitOptions emit;

  /// Products of earlier runs; null: every stage runs.
  choir::ProductStore* store = nullptr;
  /// Threads for what a stage does kernel by kernel. No product depends on it.
  std::size_t workers = 1;
  /// Lets a caller change a stage's pipeline before it runs; what it adds is part of the key.
  std::function<void(std::string_view stage, choir::Pipeline& pipeline)> edit_pipeline;

  /// Told about every pass and analysis; null: nobody.
  choir::PassInstrumentation* instrumentation = nullptr;
  /// Filled in when a pipeline fails; null: the error value alone.
  choir::PassFailure* failure = nullptr;
  /// Keeps the module before the failing pass in `failure`. Slow.
  bool keep_module_text = false;
  /// Called before each pass with the failure that it would be; see choir::RunOptions.
  std::function<void(const choir::PassFailure& pending)> before_each;
  /// Takes the decisions of the passes that run; null: they are not recorded.
  choir::DecisionLog* decisions = nullptr;
  /// Nanoseconds; read once at the start of a run and twice a stage.
  std::function<std::int64_t()> now = steady_now;

  RecipeArguments recipe_arguments() const {
    return {dimensions, tensor, schedules, profile, backend, emit};
  }
};

}  // namespace accy::preparation
