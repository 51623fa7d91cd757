// What a caller of the preparation functions may set.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string_view>

#include "choir/pass.hpp"
#include "choir/product.hpp"
#include "contract/passes/bind_dimensions.hpp"
#include "profile/profile.hpp"
#include "target/backend.hpp"

namespace accy::preparation {

/// Nanoseconds of a steady clock.
inline std::int64_t steady_now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// Borrowed pointers must outlive the call they are given to.
struct PreparationOptions {
  /// The device to prepare for; needed from the kernel stage on.
  const TargetProfile* profile = nullptr;
  /// The backend that emits for the profile; needed by the target stage.
  const target::Backend* backend = nullptr;
  /// Sizes of named dimensions.
  contract::DimensionBindings dimensions;
  /// Products of earlier runs; null: every stage runs.
  choir::ProductStore* store = nullptr;
  /// Lets a caller add passes of its own to a stage's pipeline before it runs.
  std::function<void(std::string_view stage, choir::Pipeline& pipeline)> edit_pipeline;
  /// Read at the start and the end of each stage's pipeline.
  std::function<std::int64_t()> now = steady_now;
};

}  // namespace accy::preparation
