#include "support/stages.hpp"

#include <random>

#include "choir/text.hpp"
#include "dialect/dialects.hpp"
#include "dialect/tensor/type.hpp"
#include "evaluate/comparison.hpp"

namespace accy::test {

using preparation::BackendPreparedModule;
using preparation::Stage;

HostTensor random_tensor(ElementType element, std::vector<std::int64_t> shape, std::uint64_t seed,
                         double range) {
  std::mt19937_64 generator(seed);
  HostTensor tensor = *HostTensor::zeros(element, shape);
  for (std::int64_t index = 0; index < tensor.count(); ++index) {
    const double unit = static_cast<double>(generator() >> 11) * 0x1p-53;
    double value = range * (2 * unit - 1);
    if (element == ElementType::boolean) value = unit < 0.5 ? 0 : 1;
    if (is_integer(element)) value = std::floor(value * 10);
    tensor.set(index, value);
  }
  return tensor;
}

std::vector<HostTensor> random_inputs(const choir::Module& contract, std::uint64_t seed) {
  std::vector<HostTensor> inputs;
  const choir::Block& body = semantic::find_function(contract)->body();
  for (std::size_t index = 0; index < body.argument_count(); ++index) {
    const auto type = tensor::TensorType::from(body.argument(index)->type());
    inputs.push_back(random_tensor(type->element(), type->static_shape(), seed * 1000 + index));
  }
  return inputs;
}

Result<BackendPreparedModule> prepare(std::string_view text,
                                      const preparation::PreparationOptions& options) {
  ACCY_TRY_ASSIGN(auto semantic, semantic::parse_semantic_module(text, "test.choir"));
  ACCY_TRY_ASSIGN(auto memory, preparation::prepare_memory_job_from_semantic_module(
                                   std::move(semantic), options));
  ACCY_TRY_ASSIGN(auto target,
                  preparation::prepare_target_job_from_memory_job(std::move(memory), options));
  return BackendPreparedModule::from(target);
}

Result<std::vector<HostTensor>> evaluate_stage(const BackendPreparedModule& module, Stage stage,
                                               std::span<const HostTensor> inputs,
                                               const tensor::WeightSource& weights) {
  const choir::Module& product = module.stage(stage)->module();
  if (stage <= Stage::tensor)
    return evaluate::evaluate(*semantic::find_function(product), inputs, weights);
  if (stage == Stage::dispatch) return evaluate::evaluate_items(product, inputs, weights);
  return evaluate::evaluate_blocks(product, inputs, weights);
}

void expect_round_trips(const BackendPreparedModule& module) {
  for (std::size_t index = 0; index < preparation::stage_count; ++index) {
    const auto stage = static_cast<Stage>(index);
    const choir::Module& product = module.stage(stage)->module();
    const std::string text = choir::print(product);
    const auto parsed = choir::parse_and_verify(text, "round_trip.choir", registry());
    ASSERT_TRUE(parsed.has_value()) << to_string(stage) << ": " << parsed.error().to_string();
    EXPECT_EQ(choir::print(*parsed), text) << to_string(stage);
    EXPECT_EQ(choir::content_digest(*parsed), module.stage(stage)->address().content);
    EXPECT_TRUE(preparation::stage_spec(stage).check(*parsed).has_value()) << to_string(stage);
  }
}

void expect_stages_agree(const BackendPreparedModule& module, std::span<const HostTensor> inputs,
                         const tensor::WeightSource& weights, bool exact) {
  const auto reference = evaluate_stage(module, Stage::semantic, inputs, weights);
  ASSERT_TRUE(reference.has_value()) << reference.error().to_string();
  const auto wide = evaluate::evaluate_wide(
      *semantic::find_function(module.stage<Stage::semantic>().module()), inputs, weights);
  ASSERT_TRUE(wide.has_value()) << wide.error().to_string();
  for (Stage stage : {Stage::contract, Stage::tensor, Stage::dispatch, Stage::memory, Stage::kernel}) {
    const auto outputs = evaluate_stage(module, stage, inputs, weights);
    ASSERT_TRUE(outputs.has_value()) << to_string(stage) << ": " << outputs.error().to_string();
    ASSERT_EQ(outputs->size(), reference->size());
    for (std::size_t index = 0; index < outputs->size(); ++index) {
      const auto same = stage == Stage::kernel && !exact
                            ? evaluate::compare((*outputs)[index], (*wide)[index])
                            : evaluate::compare_exact((*outputs)[index], (*reference)[index]);
      EXPECT_TRUE(same.pass) << to_string(stage) << ", output " << index << ": " << same.message;
    }
  }
}

}  // namespace accy::test
