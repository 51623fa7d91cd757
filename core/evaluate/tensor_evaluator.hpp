// The tensor evaluator: executes tensor ops on the host, in two ways. Typed: every op rounds to its
// declared type and reductions take the fixed order; the reference of every stage. Wide: f64 with
// forward error bounds; what "agrees" means for a device.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "accy/host_tensor.hpp"
#include "choir/operation.hpp"
#include "dialect/tensor/type.hpp"
#include "dialect/tensor/weight_source.hpp"
#include "dialect/tensor/wide_tensor.hpp"

namespace accy::evaluate {

using tensor::NoWeights;
using tensor::WeightSource;
using tensor::WideTensor;

/// Sizes of dimension symbols by name.
using Bindings = std::map<std::string, std::int64_t, std::less<>>;

/// Runs a verified tensor.func on one tensor per argument, in order; gives one per returned value.
/// Symbols of the argument types are bound from the inputs. Errors: an input of another element
/// type or shape, one symbol with two sizes, a weight that does not load, memory.
Result<std::vector<HostTensor>> evaluate(const choir::Operation& function,
                                         std::span<const HostTensor> inputs,
                                         const WeightSource& weights = NoWeights());

/// The same with f64 values and error bounds, for the mode of the module around the function. The
/// inputs count as exact.
Result<std::vector<WideTensor>> evaluate_wide(const choir::Operation& function,
                                              std::span<const HostTensor> inputs,
                                              const WeightSource& weights = NoWeights());

/// Runs a block of tensor ops that ends in any terminator; gives the values of the terminator's
/// operands. Operands must be arguments or results of the block. `bindings` holds sizes of symbols
/// that the arguments may not tell.
Result<std::vector<HostTensor>> evaluate_block(const choir::Block& block,
                                               std::span<const HostTensor> inputs,
                                               const WeightSource& weights = NoWeights(),
                                               Bindings bindings = {});
Result<std::vector<WideTensor>> evaluate_block(const choir::Block& block,
                                               std::span<const WideTensor> inputs,
                                               const WeightSource& weights = NoWeights(),
                                               Bindings bindings = {});

/// Runs one tensor op with one result, primitive or composite, on operands that fit its types.
Result<HostTensor> evaluate_operation(const choir::Operation& operation,
                                      std::span<const HostTensor* const> operands,
                                      const WeightSource& weights = NoWeights(),
                                      const Bindings& bindings = {});

/// The sizes of a type's dimensions; an error names a symbol that has none.
Result<std::vector<std::int64_t>> resolve_shape(tensor::TensorType type, const Bindings& bindings);

/// Checks a tensor's element type and shape against a type and binds the type's symbols. `what`
/// names the tensor in errors: "input x".
Status bind_shape(tensor::TensorType type, ElementType element,
                  std::span<const std::int64_t> shape, std::string_view what, Bindings& bindings);

}  // namespace accy::evaluate
