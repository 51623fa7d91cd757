// The tensor pipeline.
#pragma once

#include "choir/pass.hpp"

namespace accy::tensor {

choir::Pipeline tensor_pipeline();

}  // namespace accy::tensor
