// The kernel pipeline.
#pragma once

#include "choir/pass.hpp"
#include "profile/profile.hpp"

namespace accy::kernel {

/// The profile must outlive the pipeline; what its passes read of it is in its trace.
choir::Pipeline kernel_pipeline(TracedProfile& profile);

}  // namespace accy::kernel
