// Conversion of a whole tensor, also used by the ops that accumulate in a wider type.
#pragma once

#include "dialect/tensor/evaluation.hpp"

namespace accy::tensor {

/// The tensor in another element type, as tensor.cast defines it.
Result<HostTensor> cast_tensor(const HostTensor& tensor, ElementType target, NumericMode mode);
Result<WideTensor> cast_tensor(const WideTensor& tensor, ElementType target, NumericMode mode);

}  // namespace accy::tensor
