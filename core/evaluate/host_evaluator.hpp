// Evaluators of host functions: the products of the dispatch, memory and kernel stages, run on the
// host.
#pragma once

#include <span>
#include <vector>

#include "accy/host_tensor.hpp"
#include "choir/module.hpp"
#include "evaluate/kernel_interpreter.hpp"
#include "evaluate/tensor_evaluator.hpp"

namespace accy::evaluate {

/// Runs a host function in value form (dispatch stage): every item by the typed evaluator.
Result<std::vector<HostTensor>> evaluate_items(const choir::Module& module,
                                               std::span<const HostTensor> inputs,
                                               const WeightSource& weights = NoWeights());

/// Runs a host function over real bytes (memory and kernel stage). The arena starts poisoned, and
/// an arena block is poisoned again behind its last use, so that a wrong overlap shows: every float
/// in it is then NaN. Items run by the typed evaluator, launches by the kernel interpreter.
Result<std::vector<HostTensor>> evaluate_blocks(const choir::Module& module,
                                                std::span<const HostTensor> inputs,
                                                const WeightSource& weights = NoWeights(),
                                                const InterpreterOptions& options = {});

/// The bytes of a host.constant: its value, or the weight it names.
Result<HostTensor> constant_bytes(const choir::Operation& constant, const WeightSource& weights);

/// What the poisoned arena holds.
inline constexpr std::byte poison_byte{0xff};

}  // namespace accy::evaluate
