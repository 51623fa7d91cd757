// Wide values of tensor ops and their error bounds, and the comparison of results with them.
#include <algorithm>
#include <array>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>

#include "evaluate/comparison.hpp"
#include "support/tensor_evaluator_fixture.hpp"

namespace accy::evaluate {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

WideTensor run_wide(std::vector<HostTensor> inputs, std::string_view body,
                    std::string_view mode = "strict") {
  const choir::Module module = module_of(inputs, body, mode);
  auto outputs = evaluate_wide(*module.lookup("main"), inputs);
  EXPECT_TRUE(outputs) << outputs.error().to_string();
  return std::move(outputs->at(0));
}

TEST(WideEvaluator, ExactOpsHaveNoError) {
  const auto sum =
      run_wide({f32({2}, {1, 3}), f32({2}, {2, 0.5})}, "%r = tensor.add %a, %b", "fast");
  EXPECT_THAT(sum.value, ElementsAre(3, 3.5));
  EXPECT_THAT(sum.bound, ElementsAre(0, 0));
  const auto wrapped =
      run_wide({make(ElementType::i32, {1}, {2147483647})}, "%r = tensor.add %a, %a");
  EXPECT_THAT(wrapped.value, ElementsAre(-2));
  EXPECT_THAT(wrapped.bound, ElementsAre(0));
  const auto matrix =
      run_wide({filled(ElementType::f32, {2, 100}, 3), filled(ElementType::f32, {100, 2}, 5)},
               "%r = tensor.matmul %a, %b");
  EXPECT_THAT(matrix.value, testing::Each(1500));
  EXPECT_THAT(matrix.bound, testing::Each(0));
}

TEST(WideEvaluator, RoundingIsHalfAnUlp) {
  // 1/3 rounds with at most half an ulp of 2^-25 in strict mode plus the one the table allows.
  const auto strict = run_wide({f32({1}, {1}), f32({1}, {3})}, "%r = tensor.div %a, %b");
  EXPECT_DOUBLE_EQ(strict.value[0], 1.0 / 3);
  EXPECT_GE(strict.bound[0], 1.5 * 0x1p-25);
  EXPECT_LE(strict.bound[0], 1.51 * 0x1p-25);
  const auto fast = run_wide({f32({1}, {1}), f32({1}, {3})}, "%r = tensor.div %a, %b", "fast");
  EXPECT_GE(fast.bound[0], 3 * 0x1p-25);
  EXPECT_LE(fast.bound[0], 3.01 * 0x1p-25);
  const auto product = run_wide({f32({1}, {0.1F})}, "%r = tensor.mul %a, %a");
  EXPECT_GE(product.bound[0], std::fabs(0.1F * 0.1F - product.value[0]));
  EXPECT_LE(product.bound[0], 0.51 * 0x1p-30);
  // exp(10): 3 + 2 * 10 ulps, and the half, of 2^-9 * 2^-... : 22026 has ulp 2^-9.
  const auto power = run_wide({f32({1}, {10})}, "%r = tensor.exp %a", "fast");
  EXPECT_GE(power.bound[0], 23.5 * 0x1p-9);
  EXPECT_LE(power.bound[0], 23.6 * 0x1p-9);
}

TEST(WideEvaluator, OverflowAndNanAreHonest) {
  const auto overflow = run_wide({f32({2}, {1e30F, nan_value})}, "%r = tensor.mul %a, %a", "fast");
  EXPECT_EQ(overflow.value[0], infinity);
  EXPECT_EQ(overflow.bound[0], 0);
  EXPECT_TRUE(std::isnan(overflow.value[1]));
  EXPECT_EQ(overflow.bound[1], 0);
  // As an output, an f16 sum of 65520 is infinite (R13); in between, f32 may hold it.
  const auto output = run_wide({filled(ElementType::f16, {65520}, 1)},
                               "%r = tensor.reduce %a {axes = [0], function = sum}", "fast");
  EXPECT_EQ(output.value[0], infinity);
  EXPECT_EQ(output.bound[0], 0);
  const auto between =
      run_wide({make(ElementType::f16, {1}, {60000}), make(ElementType::f16, {1}, {0.25})},
               "%x = tensor.add %a, %a\n%r = tensor.mul %x, %b", "fast");
  EXPECT_EQ(between.value[0], 30000);
  EXPECT_EQ(between.bound[0], infinity);
  // -inf masks: exp(-inf) is exactly 0.
  const auto masked =
      run_wide({f32({1, 2}, {0, -infinity})}, "%r = tensor.softmax %a {axis = 1}", "fast");
  EXPECT_EQ(masked.value[1], 0);
  EXPECT_LT(masked.bound[1], 1e-30);
}

TEST(WideEvaluator, UncertainComparisonsCoverBothArms) {
  // x = (1/3)*3 may or may not be 1; then the choice between 10 and 20 may be either.
  const auto chosen =
      run_wide({f32({1}, {1}), f32({1}, {3}), f32({1}, {10}), f32({1}, {20})},
               "%q = tensor.div %a, %b\n%x = tensor.mul %q, %b\n"
               "%l = tensor.compare %x, %a {predicate = lt}\n%r = tensor.select %l, %c, %d");
  EXPECT_EQ(chosen.bound[0], 10);
  EXPECT_TRUE(chosen.value[0] == 10 || chosen.value[0] == 20);
  const auto certain =
      run_wide({f32({1}, {1}), f32({1}, {3})}, "%r = tensor.compare %a, %b {predicate = lt}");
  EXPECT_EQ(certain.value[0], 1);
  EXPECT_EQ(certain.bound[0], 0);
}

TEST(Comparison, CountsInBoundsAndUlps) {
  WideTensor expected{ElementType::f32, {3}, {1, infinity, nan_value}, {0x1p-22, 0, 0}};
  EXPECT_TRUE(compare(f32({3}, {1 + 0x1p-23, infinity, nan_value}), expected).pass);
  const Comparison close = compare(f32({3}, {1 + 0x1p-23, infinity, nan_value}), expected);
  EXPECT_EQ(close.max_ulp, 1);
  EXPECT_EQ(close.worst_ratio, 0.5);
  EXPECT_EQ(close.worst_index, 0);
  const Comparison far = compare(f32({3}, {1 + 0x1p-20, infinity, nan_value}), expected);
  EXPECT_FALSE(far.pass);
  EXPECT_EQ(far.failures, 1);
  EXPECT_EQ(far.max_ulp, 8);
  EXPECT_FALSE(compare(f32({3}, {1, -infinity, nan_value}), expected).pass);
  EXPECT_FALSE(compare(f32({3}, {1, infinity, 0}), expected).pass);
  EXPECT_FALSE(compare(f32({3}, {nan_value, infinity, nan_value}), expected).pass);
  EXPECT_THAT(compare(f32({2}, {1, 2}), expected).message,
              HasSubstr("result is f32 [2], expected f32 [3]"));
  EXPECT_TRUE(compare_exact(f32({1}, {nan_value}), f32({1}, {-nan_value})).pass);
  EXPECT_FALSE(compare_exact(f32({1}, {0.0}), f32({1}, {-0.0})).pass);
}

// ---- typed within wide, on random programs

struct RandomProgram {
  std::vector<HostTensor> inputs;
  std::string body;
};

/// A chain of ops on [3, 5] tensors of one float type; the last value is %r.
RandomProgram random_program(std::mt19937& random, ElementType element) {
  const std::string type = "tensor<" + std::string(to_string(element)) + ", [3, 5]>";
  std::normal_distribution<double> draw(0, 1.5);
  RandomProgram made;
  for (int input = 0; input < 2; ++input) {
    std::vector<double> values(15);
    for (double& value : values) value = draw(random);
    made.inputs.push_back(make(element, {3, 5}, values));
  }
  std::vector<std::string> names{"%a", "%b"};
  const auto any = [&] { return names[random() % names.size()]; };
  const char* const two[] = {"add", "sub", "mul", "div", "max", "min"};
  const char* const one[] = {"neg", "abs", "exp", "tanh", "erf", "sigmoid", "gelu", "relu"};
  const int length = 2 + static_cast<int>(random() % 5);
  for (int step = 0; step < length; ++step) {
    const std::string name = step + 1 == length ? "%r" : "%v" + std::to_string(step);
    std::string line;
    switch (random() % 5) {
      case 0:
      case 1: line = "tensor." + std::string(two[random() % 6]) + " " + any() + ", " + any(); break;
      case 2: line = "tensor." + std::string(one[random() % 8]) + " " + any(); break;
      case 3:
        line = "tensor.softmax " + any() + " {axis = " + std::to_string(random() % 2) + "}";
        break;
      default: {
        made.body += name + "t = tensor.transpose " + any() + " {permutation = [1, 0]}\n" + name +
                     "m = tensor.matmul " + any() + ", " + name + "t\n" + name +
                     "s = tensor.reduce " + name + "m {axes = [1], function = sum}\n";
        line = "tensor.broadcast " + name + "s {axes = [0]}";
      }
    }
    made.body += name + " = " + line + " : " + type + "\n";
    names.push_back(name);
  }
  return made;
}

TEST(WideEvaluator, TypedResultsLieWithinTheBounds) {
  std::mt19937 random(20261201);
  int compared = 0;
  int tight = 0;
  for (int trial = 0; trial < 600; ++trial) {
    const ElementType element = std::array{ElementType::f32, ElementType::f16, ElementType::f64,
                                           ElementType::bf16}[random() % 4];
    const RandomProgram program = random_program(random, element);
    for (const std::string_view mode : {"fast", "strict"}) {
      const choir::Module module = module_of(program.inputs, program.body, mode);
      const auto typed = evaluate(*module.lookup("main"), program.inputs);
      const auto wide = evaluate_wide(*module.lookup("main"), program.inputs);
      ASSERT_TRUE(typed && wide);
      const Comparison result = compare(typed->at(0), wide->at(0));
      ASSERT_TRUE(result.pass) << result.message << "\n" << program.body << to_string(element);
      for (std::size_t index = 0; index < wide->at(0).value.size(); ++index) {
        ++compared;
        const double value = std::fabs(wide->at(0).value[index]);
        if (wide->at(0).bound[index] <= 0.1 * value + 0.01) ++tight;
      }
    }
  }
  // Cancellation, division by sums near zero and chains of exp may blow up; most must not.
  EXPECT_GT(tight, compared * 8 / 10) << compared;
}

TEST(WideEvaluator, BoundsAreNotAbsurdlyLoose) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> draw(-1, 1);
  std::vector<double> values(64 * 64);
  for (double& value : values) value = draw(random);
  const HostTensor a = f32({64, 64}, values);
  for (double& value : values) value = draw(random);
  const HostTensor b = f32({64, 64}, values);
  const choir::Module module = module_of(std::array{a, b}, "%r = tensor.matmul %a, %b", "fast");
  const std::vector<HostTensor> inputs{a, b};
  const auto typed = evaluate(*module.lookup("main"), inputs);
  const auto wide = evaluate_wide(*module.lookup("main"), inputs);
  ASSERT_TRUE(typed && wide);
  const Comparison result = compare(typed->at(0), wide->at(0));
  EXPECT_TRUE(result.pass);
  // A random-walk error is some 64 times below the worst case of 64 terms, no more.
  EXPECT_GT(result.worst_ratio, 0.01);
  EXPECT_LT(*std::max_element(wide->at(0).bound.begin(), wide->at(0).bound.end()),
            64 * 64 * 0x1p-24);
  // One changed low-order digit is found.
  HostTensor changed = typed->at(0);
  changed.set(77, changed.at(77) * (1 + 1e-3) + 1e-3);
  const Comparison found = compare(changed, wide->at(0));
  EXPECT_FALSE(found.pass);
  EXPECT_EQ(found.worst_index, 77);
}

}  // namespace
}  // namespace accy::evaluate
