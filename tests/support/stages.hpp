// Running a program through all stages and evaluating every product.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "accy/host_tensor.hpp"
#include "evaluate/host_evaluator.hpp"
#include "evaluate/tensor_evaluator.hpp"
#include "preparation/preparation.hpp"
#include "semantic/job.hpp"

namespace accy::test {

/// Deterministic values in [-range, range] for floats, small integers otherwise.
HostTensor random_tensor(ElementType element, std::vector<std::int64_t> shape, std::uint64_t seed,
                         double range = 2.0);

/// One tensor for each input of the program's function after its dimensions are bound.
std::vector<HostTensor> random_inputs(const choir::Module& contract, std::uint64_t seed);

/// All products of one program for one target.
Result<preparation::BackendPreparedModule> prepare(std::string_view text,
                                                   const preparation::PreparationOptions& options);

/// Outputs of the product of one stage, evaluated on the host (semantic to kernel).
Result<std::vector<HostTensor>> evaluate_stage(const preparation::BackendPreparedModule& module,
                                               preparation::Stage stage,
                                               std::span<const HostTensor> inputs,
                                               const tensor::WeightSource& weights);

/// Prints every product, parses the text back and checks that it is the same module and verifies.
void expect_round_trips(const preparation::BackendPreparedModule& module);

/// Evaluates every product from semantic to kernel: tensor-level stages and memory must give equal
/// bits; the kernel stage equal bits where `exact`, else values inside the wide evaluator's bounds.
void expect_stages_agree(const preparation::BackendPreparedModule& module,
                         std::span<const HostTensor> inputs, const tensor::WeightSource& weights,
                         bool exact);

}  // namespace accy::test
