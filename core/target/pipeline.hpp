// The target pipeline.
#pragma once

#include "choir/pass.hpp"
#include "target/backend.hpp"

namespace accy::target {

/// Backend and profile must outlive the pipeline.
choir::Pipeline target_pipeline(const Backend& backend, const TargetProfile& profile);

}  // namespace accy::target
