// Memory that is not there is an error value, found out before it is touched.
#include <gtest/gtest.h>

#include "accy/host_tensor.hpp"
#include "dialect/tensor/wide_tensor.hpp"
#include "evaluate/tensor_evaluator.hpp"
#include "semantic/job.hpp"
#include "support/host_memory.hpp"

namespace accy {
namespace {

constexpr std::int64_t too_many = std::int64_t{1} << 39;  // elements; f32 takes 2 TiB

TEST(HostMemory, SmallAmountsAreNotChecked) {
  EXPECT_GT(available_host_memory(), 0);
  EXPECT_TRUE(require_host_memory(0, "nothing"));
  EXPECT_TRUE(require_host_memory(std::int64_t{1} << 26, "a little"));
}

TEST(HostMemory, RefusesWhatIsNotThere) {
  const Status refused = require_host_memory(std::int64_t{1} << 60, "the plan");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::unsupported);
  EXPECT_NE(refused.error().message.find(
                "the plan takes 1152921504606846976 bytes of host memory, more than the "),
            std::string::npos);
}

TEST(HostMemory, TensorsAndEvaluatorsAsk) {
  const std::int64_t shape[] = {too_many};
  EXPECT_FALSE(HostTensor::zeros(ElementType::f32, shape).has_value());
  EXPECT_FALSE(tensor::wide_zeros(ElementType::f32, shape).has_value());
  const auto program = semantic::parse_semantic_module(R"(choir semantic v1
tensor.func @main {inputs = ["a"], outputs = ["y"]} (%a: tensor<f32, []>) {
  %b = tensor.broadcast %a {axes = []} : tensor<f32, [549755813888]>
  %y = tensor.exp %b
  tensor.return %y
}
)",
                                                       "p.choir");
  ASSERT_TRUE(program.has_value()) << program.error().to_string();
  const HostTensor input = *HostTensor::zeros(ElementType::f32, {});
  const tensor::NoWeights weights;
  const auto result = evaluate::evaluate(*semantic::find_function(program->module()),
                                         std::span(&input, 1), weights);
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().code, ErrorCode::unsupported);
  EXPECT_EQ(result.error().where.line, 3U);
}

TEST(HostMemory, ExceptionsBecomeErrors) {
  const Status status = or_out_of_memory([]() -> Status { throw std::bad_alloc(); });
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message, "host memory ran out");
  EXPECT_TRUE(or_out_of_memory([]() -> Status { return {}; }));
}

}  // namespace
}  // namespace accy
