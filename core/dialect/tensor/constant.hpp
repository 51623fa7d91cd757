// Constants as tensors: what an op holds, and making one.
#pragma once

#include "accy/host_tensor.hpp"
#include "choir/builder.hpp"

namespace accy::tensor {

/// The value of a verified tensor.constant whose type has the given shape once symbols are bound.
Result<HostTensor> constant_value(const choir::Operation& constant,
                                  std::span<const std::int64_t> shape);

/// The same for a `value` attribute by itself.
Result<HostTensor> constant_value(choir::Attribute value, ElementType element,
                                  std::span<const std::int64_t> shape);

/// Creates a tensor.constant of the tensor's type; equal elements become one scalar.
choir::Operation* create_constant(choir::Builder& builder, const HostTensor& tensor);

/// Creates a constant of a tensor type, whose shape may hold symbols, with `value` everywhere.
choir::Value* create_splat(choir::Builder& builder, choir::Type type, double value);

}  // namespace accy::tensor
