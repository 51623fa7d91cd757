// Typed values of every tensor op against numbers worked out by hand or by long double.
#include <bit>
#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>

#include "dialect/tensor/arithmetic/format.hpp"
#include "support/tensor_evaluator_fixture.hpp"

namespace accy::evaluate {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// ---- formats

TEST(Formats, HalfConversionsAgreeWithTheExactOnes) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    const double value = double_from_half(half);
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(tensor::float_from_half(half)));
      continue;
    }
    ASSERT_EQ(static_cast<double>(tensor::float_from_half(half)), value) << bits;
    ASSERT_EQ(tensor::half_from_float(static_cast<float>(value)), half) << bits;
  }
}

TEST(Formats, HalfAndBfloat16RoundToNearestEven) {
  std::mt19937 random(7);
  for (int trial = 0; trial < 300000; ++trial) {
    const auto value = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    if (std::isnan(value)) continue;
    ASSERT_EQ(tensor::half_from_float(value), half_from_double(value)) << value;
    ASSERT_EQ(tensor::bfloat16_from_float(value), bfloat16_from_double(value)) << value;
    // Around f16's own range, where ties are.
    const float near = std::ldexp(static_cast<float>(random() % 65536), -12) +
                       std::ldexp(static_cast<float>(random() % 3), -13);
    ASSERT_EQ(tensor::half_from_float(near), half_from_double(near)) << near;
  }
}

// ---- elementwise

TEST(TypedEvaluator, FloatArithmeticRounds) {
  EXPECT_NUMBERS(binary("add", f32({3}, {1, 16777216, 0.1F}), f32({3}, {2, 1, 0.2F})),
                 {3, 16777216, 0.1F + 0.2F});
  EXPECT_NUMBERS(binary("sub", f32({2}, {1, 5}), f32({2}, {3, 5})), {-2, 0});
  EXPECT_NUMBERS(binary("mul", f32({2}, {3, 1e30F}), f32({2}, {-0.5, 1e30F})), {-1.5, infinity});
  EXPECT_NUMBERS(binary("div", f32({4}, {1, 1, -1, 0}), f32({4}, {3, 0, 0, 0})),
                 {1.0F / 3.0F, infinity, -infinity, nan_value});
  // f16: 2049 is a tie to even 2048, 2051 to 2052; 65504 + 16 rounds to infinity.
  const auto half = [](std::vector<double> values) {
    return make(ElementType::f16, {static_cast<std::int64_t>(values.size())}, values);
  };
  EXPECT_NUMBERS(binary("add", half({2048, 2050, 65504, 65504}), half({1, 1, 15, 16})),
                 {2048, 2052, 65504, infinity});
  const auto brain = make(ElementType::bf16, {1}, {256});
  EXPECT_NUMBERS(binary("add", brain, make(ElementType::bf16, {1}, {1})), {256});
  EXPECT_NUMBERS(
      binary("add", make(ElementType::f64, {1}, {0.1}), make(ElementType::f64, {1}, {0.2})),
      {0.1 + 0.2});
}

TEST(TypedEvaluator, IntegersWrapAndDivideSafely) {
  const auto i32 = [](std::vector<double> values) {
    return make(ElementType::i32, {static_cast<std::int64_t>(values.size())}, values);
  };
  EXPECT_NUMBERS(binary("add", i32({2147483647, 1}), i32({1, 2})), {-2147483648.0, 3});
  EXPECT_NUMBERS(binary("mul", i32({65536, -3}), i32({65536, 7})), {0, -21});
  EXPECT_NUMBERS(binary("div", i32({7, -7, 5, -2147483648.0}), i32({-2, 2, 0, -1})),
                 {-3, -3, 0, -2147483648.0});
  EXPECT_NUMBERS(unary("neg", i32({-2147483648.0, 5})), {-2147483648.0, -5});
  EXPECT_NUMBERS(unary("abs", i32({-2147483648.0, -5})), {-2147483648.0, 5});
  const auto i8 = [](std::vector<double> values) {
    return make(ElementType::i8, {static_cast<std::int64_t>(values.size())}, values);
  };
  EXPECT_NUMBERS(binary("add", i8({127, -128}), i8({1, -1})), {-128, 127});
  EXPECT_NUMBERS(binary("mul", i8({-128, 16}), i8({-1, 16})), {-128, 0});
  EXPECT_NUMBERS(binary("sub", make(ElementType::u8, {1}, {1}), make(ElementType::u8, {1}, {2})),
                 {255});
  EXPECT_NUMBERS(binary("div", make(ElementType::u32, {1}, {4294967295.0}),
                        make(ElementType::u32, {1}, {4294967295.0})),
                 {1});
}

TEST(TypedEvaluator, MaxAndMinPropagateNanAndOrderZeros) {  // situation R12
  const auto a = f32({6}, {nan_value, 1, nan_value, 0, -0.0, 0.0});
  const auto b = f32({6}, {1, nan_value, nan_value, -3, 0.0, -0.0});
  EXPECT_NUMBERS(binary("max", a, b), {nan_value, nan_value, nan_value, 0, 0.0, 0.0});
  EXPECT_NUMBERS(binary("min", a, b), {nan_value, nan_value, nan_value, -3, -0.0, -0.0});
  EXPECT_NUMBERS(unary("relu", f32({4}, {nan_value, -1, 2, -0.0})), {nan_value, 0, 2, 0.0});
  EXPECT_NUMBERS(unary("relu", make(ElementType::i32, {2}, {-5, 5})), {0, 5});
}

TEST(TypedEvaluator, FunctionsRoundTheExactValue) {
  // Digits from a table of e, erf and tanh, rounded by the compiler to the type.
  const auto x = f32({3}, {0, 1, -2});
  EXPECT_NUMBERS(unary("exp", x), {1, 2.718281828459045F, 0.1353352832366127F});
  EXPECT_NUMBERS(unary("tanh", x), {0, 0.7615941559557649F, -0.9640275800758169F});
  EXPECT_NUMBERS(unary("erf", x), {0, 0.8427007929497149F, -0.9953222650189527F});
  EXPECT_NUMBERS(unary("sqrt", f32({4}, {2, 0, 9, -1})), {1.4142135623730951F, 0, 3, nan_value});
  EXPECT_NUMBERS(unary("log", f32({4}, {1, 10, 0, -1})),
                 {0, 2.302585092994046F, -infinity, nan_value});
  EXPECT_NUMBERS(unary("exp", f32({3}, {100, -200, -infinity})), {infinity, 0, 0});
  EXPECT_NUMBERS(unary("exp", make(ElementType::f16, {2}, {1, 12})), {2.71875, infinity});
  EXPECT_NUMBERS(unary("neg", f32({2}, {0, nan_value})), {-0.0, nan_value});
  EXPECT_NUMBERS(unary("abs", f32({2}, {-0.0, -2})), {0, 2});
}

TEST(TypedEvaluator, Activations) {
  const auto x = f32({3}, {0, 1, -3});
  const auto sigmoid = unary("sigmoid", x);
  EXPECT_EQ(sigmoid[0], 0.5);
  EXPECT_NEAR(sigmoid[1], 0.7310585786300049, 1e-7);
  EXPECT_NEAR(sigmoid[2], 0.04742587317756678, 1e-8);
  const auto gelu = unary("gelu", x);
  EXPECT_EQ(gelu[0], 0);
  EXPECT_NEAR(gelu[1], 0.8413447460685429, 1e-7);
  EXPECT_NEAR(gelu[2], -0.00404969409489031, 3e-7);
  const auto approximate = values_of(
      run({x}, "%r = tensor.gelu %a {approximation = tanh} : tensor<f32, [3]>"));
  EXPECT_NEAR(approximate[1], 0.8411919906082768, 1e-7);
  EXPECT_NEAR(approximate[2], -0.00363739, 3e-7);
  // f16 goes through f32 and rounds once: 0.7310585786 lies between 0.73095703125 and 0.7314453125.
  EXPECT_NUMBERS(unary("sigmoid", make(ElementType::f16, {1}, {1})), {0.73095703125});
}

TEST(TypedEvaluator, Softmax) {
  const auto y = values_of(run({f32({2, 3}, {1, 2, 3, 1000, 1000, -infinity})},
                               "%r = tensor.softmax %a {axis = 1} : tensor<f32, [2, 3]>"));
  EXPECT_NEAR(y[0], 0.09003057317038046, 1e-7);
  EXPECT_NEAR(y[1], 0.24472847105479764, 1e-7);
  EXPECT_NEAR(y[2], 0.6652409557748219, 1e-7);
  EXPECT_EQ(std::vector<double>(y.begin() + 3, y.end()), (std::vector<double>{0.5, 0.5, 0}));
  // Along axis 0, and R13: f16 zeros(4096) give 1/4096 each.
  const auto columns = values_of(run({f32({2, 2}, {5, 1, 5, 1})},
                                     "%r = tensor.softmax %a {axis = 0} : tensor<f32, [2, 2]>"));
  EXPECT_THAT(columns, testing::Each(0.5));
  const auto flat = values_of(run({filled(ElementType::f16, {4096}, 0)},
                                  "%r = tensor.softmax %a {axis = 0} : tensor<f16, [4096]>"));
  EXPECT_THAT(flat, testing::Each(1.0 / 4096));
}

TEST(TypedEvaluator, CompareAndSelect) {
  const auto a = f32({4}, {1, 2, nan_value, 0.0});
  const auto b = f32({4}, {2, 2, nan_value, -0.0});
  const auto compare = [&](std::string predicate) {
    return values_of(run({a, b}, "%r = tensor.compare %a, %b {predicate = " + predicate +
                                     "} : tensor<bool, [4]>"));
  };
  EXPECT_THAT(compare("eq"), ElementsAre(0, 1, 0, 1));
  EXPECT_THAT(compare("ne"), ElementsAre(1, 0, 1, 0));
  EXPECT_THAT(compare("lt"), ElementsAre(1, 0, 0, 0));
  EXPECT_THAT(compare("le"), ElementsAre(1, 1, 0, 1));
  EXPECT_THAT(compare("gt"), ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(compare("ge"), ElementsAre(0, 1, 0, 1));
  const auto condition = make(ElementType::boolean, {4}, {1, 0, 1, 0});
  EXPECT_NUMBERS(
      values_of(run({condition, a, b}, "%r = tensor.select %a, %b, %c : tensor<f32, [4]>")),
      {1, 2, nan_value, -0.0});
}

TEST(TypedEvaluator, Casts) {
  const auto cast = [](const HostTensor& from, ElementType to) {
    return values_of(run({from}, "%r = tensor.cast %a : tensor<" + std::string(to_string(to)) +
                                     ", " + tensor::shape_to_string(from.shape) + ">"));
  };
  const auto floats = f32({6}, {1.9F, -1.9F, 3e9F, -3e9F, nan_value, infinity});
  EXPECT_THAT(cast(floats, ElementType::i32),
              ElementsAre(1, -1, 2147483647, -2147483648.0, 0, 2147483647));
  EXPECT_THAT(cast(floats, ElementType::u8), ElementsAre(1, 0, 255, 0, 0, 255));
  EXPECT_THAT(cast(floats, ElementType::boolean), ElementsAre(1, 1, 1, 1, 1, 1));
  EXPECT_THAT(cast(f32({2}, {0, -0.0}), ElementType::boolean), ElementsAre(0, 0));
  EXPECT_THAT(cast(make(ElementType::i32, {3}, {300, -1, 128}), ElementType::i8),
              ElementsAre(44, -1, -128));
  EXPECT_THAT(cast(make(ElementType::i8, {1}, {-1}), ElementType::u32), ElementsAre(4294967295.0));
  EXPECT_THAT(cast(make(ElementType::i32, {2}, {16777217, 16777219}), ElementType::f32),
              ElementsAre(16777216, 16777220));
  EXPECT_THAT(cast(make(ElementType::f64, {3}, {2049, 65519, 65520}), ElementType::f16),
              ElementsAre(2048, 65504, infinity));
  // 1 + 2^-11 + 2^-40 is above the tie; rounding through f32 first would lose that.
  EXPECT_THAT(cast(make(ElementType::f64, {1}, {1 + 0x1p-11 + 0x1p-40}), ElementType::f16),
              ElementsAre(1 + 0x1p-10));
  // 2^30 + 2^22 + 1 is above bf16's tie.
  EXPECT_THAT(cast(make(ElementType::i32, {1}, {1073741824.0 + 4194304 + 1}), ElementType::bf16),
              ElementsAre(1073741824.0 + 8388608));
  EXPECT_THAT(cast(make(ElementType::boolean, {2}, {0, 1}), ElementType::f16), ElementsAre(0, 1));
}

// ---- moving elements

/// a + b by numpy's rules, with the broadcasts written out.
std::vector<double> add_broadcast(const HostTensor& a, const HostTensor& b, std::string axes_a,
                                  std::string axes_b, std::string shape) {
  const std::string type = "tensor<f32, " + shape + ">";
  return values_of(run({a, b}, "%x = tensor.broadcast %a {axes = " + axes_a + "} : " + type +
                                   "\n%y = tensor.broadcast %b {axes = " + axes_b + "} : " + type +
                                   "\n%r = tensor.add %x, %y : " + type));
}

TEST(TypedEvaluator, BroadcastingPatterns) {  // situation R07
  EXPECT_THAT(add_broadcast(f32({2, 3}, {1, 2, 3, 4, 5, 6}), f32({1, 3}, {10, 20, 30}), "[0, 1]",
                            "[0, 1]", "[2, 3]"),
              ElementsAre(11, 22, 33, 14, 25, 36));
  EXPECT_THAT(add_broadcast(filled(ElementType::f32, {3, 2}, 0), f32({2}, {0, 1}), "[0, 1]", "[1]",
                            "[3, 2]"),
              ElementsAre(0, 1, 0, 1, 0, 1));
  EXPECT_THAT(add_broadcast(f32({2, 1}, {1, 2}), f32({1, 2}, {10, 20}), "[0, 1]", "[0, 1]",
                            "[2, 2]"),
              ElementsAre(11, 21, 12, 22));
  EXPECT_THAT(add_broadcast(f32({}, {5}), f32({2}, {1, 2}), "[]", "[0]", "[2]"), ElementsAre(6, 7));
  EXPECT_THAT(add_broadcast(f32({2, 1, 2}, {1, 2, 3, 4}), f32({2}, {10, 20}), "[0, 1, 2]", "[1]",
                            "[2, 2, 2]"),
              ElementsAre(11, 12, 21, 22, 13, 14, 23, 24));
  EXPECT_TRUE(add_broadcast(f32({2, 0, 3}, {}), filled(ElementType::f32, {1, 1, 3}, 1), "[0, 1, 2]",
                            "[0, 1, 2]", "[2, 0, 3]")
                  .empty());
}

TEST(TypedEvaluator, TransposeReshapeAndConstants) {
  const auto a = make(ElementType::i16, {2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_THAT(values_of(run({a}, "%r = tensor.transpose %a {permutation = [1, 0]}")),
              ElementsAre(1, 4, 2, 5, 3, 6));
  const auto cube = f32({2, 2, 2}, {0, 1, 2, 3, 4, 5, 6, 7});
  EXPECT_THAT(values_of(run({cube}, "%r = tensor.transpose %a {permutation = [2, 0, 1]}")),
              ElementsAre(0, 2, 4, 6, 1, 3, 5, 7));
  EXPECT_THAT(values_of(run({f32({}, {3})}, "%r = tensor.transpose %a {permutation = []}")),
              ElementsAre(3));
  const auto reshaped = run({a}, "%r = tensor.reshape %a : tensor<i16, [3, 1, 2]>");
  EXPECT_EQ(reshaped.shape, (Shape{3, 1, 2}));
  EXPECT_EQ(reshaped.bytes, a.bytes);
  EXPECT_THAT(values_of(run({}, "%r = tensor.constant {value = [[1, 2.5], [-3, 0.1]]} : "
                                "tensor<f32, [2, 2]>")),
              ElementsAre(1, 2.5, -3, 0.1F));
  EXPECT_THAT(values_of(run({}, "%r = tensor.constant {value = x\"003c00c0\"} : tensor<f16, [2]>")),
              ElementsAre(1, -2));
  EXPECT_THAT(values_of(run({}, "%r = tensor.constant {value = 7} : tensor<u8, [3]>")),
              ElementsAre(7, 7, 7));
}

// ---- reductions and products

std::vector<double> reduce(const HostTensor& a, std::string axes, std::string function) {
  return values_of(
      run({a}, "%r = tensor.reduce %a {axes = " + axes + ", function = " + function + "}"));
}

TEST(TypedEvaluator, ReductionsOverAxes) {
  const auto a = f32({2, 3, 2}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  EXPECT_THAT(reduce(a, "[0]", "sum"), ElementsAre(8, 10, 12, 14, 16, 18));
  EXPECT_THAT(reduce(a, "[1]", "sum"), ElementsAre(9, 12, 27, 30));
  EXPECT_THAT(reduce(a, "[2]", "sum"), ElementsAre(3, 7, 11, 15, 19, 23));
  EXPECT_THAT(reduce(a, "[0, 2]", "sum"), ElementsAre(18, 26, 34));
  EXPECT_THAT(reduce(a, "[0, 1, 2]", "sum"), ElementsAre(78));
  EXPECT_THAT(reduce(a, "[]", "sum"), testing::SizeIs(12));
  EXPECT_THAT(reduce(a, "[0, 2]", "max"), ElementsAre(8, 10, 12));
  EXPECT_NUMBERS(reduce(f32({3}, {1, nan_value, 3}), "[0]", "max"), {nan_value});
  EXPECT_NUMBERS(reduce(f32({2, 0}, {}), "[1]", "sum"), {0, 0});
  EXPECT_NUMBERS(reduce(f32({2, 0}, {}), "[1]", "max"), {-infinity, -infinity});
  EXPECT_NUMBERS(reduce(make(ElementType::i32, {0}, {}), "[0]", "max"), {-2147483648.0});
  EXPECT_THAT(reduce(f32({0, 3}, {}), "[1]", "sum"), testing::IsEmpty());
  EXPECT_NUMBERS(reduce(make(ElementType::i8, {4}, {100, 100, 100, 100}), "[0]", "sum"),
                 {static_cast<std::int8_t>(400)});
}

TEST(TypedEvaluator, HalfSumsDoNotStall) {  // situation R13
  EXPECT_THAT(reduce(filled(ElementType::f16, {4096}, 1), "[0]", "sum"), ElementsAre(4096));
  EXPECT_THAT(reduce(filled(ElementType::f16, {4096, 2}, 1), "[0]", "sum"),
              ElementsAre(4096, 4096));
  EXPECT_THAT(reduce(filled(ElementType::bf16, {4096}, 1), "[0]", "sum"), ElementsAre(4096));
  EXPECT_THAT(reduce(filled(ElementType::f16, {65520}, 1), "[0]", "sum"), ElementsAre(infinity));
  // Asked to accumulate in f16: 32 lanes of 128 each are still exact, 32 of 4096 stall at 2048.
  const auto stalled = run({filled(ElementType::f16, {32 * 2100}, 1)},
                           "%r = tensor.reduce %a {accumulate = f16, axes = [0], function = sum}");
  EXPECT_EQ(stalled.at(0), infinity);  // 32 * 2048 = 65536
}

TEST(TypedEvaluator, SumsFollowThe32LaneTree) {
  std::mt19937 random(3);
  std::uniform_real_distribution<float> draw(-1, 1);
  for (const std::int64_t count : {1, 2, 20, 31, 32, 33, 64, 100, 1000}) {
    std::vector<double> values;
    for (std::int64_t index = 0; index < count; ++index) values.push_back(draw(random));
    std::vector<float> lanes;
    for (std::int64_t index = 0; index < count; ++index) {
      const auto value = static_cast<float>(values[index]);
      if (index < 32) lanes.push_back(value);
      else lanes[index % 32] += value;
    }
    for (std::size_t half = 16; half > 0; half /= 2)
      for (std::size_t lane = 0; lane < half; ++lane)
        if (lane + half < lanes.size()) lanes[lane] += lanes[lane + half];
    // Lanes that have been folded stay, but are never read again as half shrinks below them.
    EXPECT_EQ(reduce(f32({count}, values), "[0]", "sum")[0], lanes[0]) << count;
  }
}

TEST(TypedEvaluator, Matmul) {
  const auto product = [](const HostTensor& a, const HostTensor& b) {
    return values_of(run({a, b}, "%r = tensor.matmul %a, %b"));
  };
  EXPECT_THAT(product(f32({2, 3}, {1, 2, 3, 4, 5, 6}), f32({3, 2}, {7, 8, 9, 10, 11, 12})),
              ElementsAre(58, 64, 139, 154));
  EXPECT_THAT(product(f32({2, 1, 2}, {1, 2, 3, 4}), f32({2, 2, 1}, {5, 6, 7, 8})),
              ElementsAre(17, 53));
  EXPECT_THAT(product(f32({2, 1, 2}, {1, 2, 3, 4}), f32({2, 1}, {5, 6})), ElementsAre(17, 39));
  EXPECT_THAT(product(make(ElementType::i32, {1, 2}, {65536, 1}),
                      make(ElementType::i32, {2, 1}, {65536, 5})),
              ElementsAre(5));
  // Accumulated in i32, stored to i8: 100*100 + 100*100 = 20000 = 32 mod 256.
  EXPECT_THAT(product(make(ElementType::i8, {1, 2}, {100, 100}),
                      make(ElementType::i8, {2, 1}, {100, 100})),
              ElementsAre(32));
  // f16 accumulates in f32: 4096 ones.
  EXPECT_THAT(
      product(filled(ElementType::f16, {1, 4096}, 1), filled(ElementType::f16, {4096, 1}, 1)),
      ElementsAre(4096));
  // k ascends, each product rounded: (1 + 2^24) - 2^24 loses the 1, and 0.1*0.1 rounds first.
  EXPECT_THAT(product(f32({1, 3}, {1, 16777216, -16777216}), f32({3, 1}, {1, 1, 1})),
              ElementsAre(0));
  EXPECT_THAT(product(f32({1, 2}, {0.1F, 1}), f32({2, 1}, {0.1F, 1})),
              ElementsAre(0.1F * 0.1F + 1.0F));
}

TEST(TypedEvaluator, MatmulOfNoInnerElementsIsZero) {  // situation R10
  const auto product = [](Shape a, Shape b) {
    return run({f32(a, {}), f32(b, {})}, "%r = tensor.matmul %a, %b");
  };
  EXPECT_EQ(values_of(product({4, 0}, {0, 4})), std::vector<double>(16, 0.0));
  EXPECT_EQ(values_of(product({3, 2, 0}, {3, 0, 3})), std::vector<double>(18, 0.0));
  EXPECT_EQ(product({0, 0}, {0, 4}).shape, (Shape{0, 4}));
}

// ---- symbols, weights, errors

choir::Module parse(const std::string& text) {
  auto module = choir::parse_and_verify(text, "test.choir", tensor_registry());
  EXPECT_TRUE(module) << module.error().to_string();
  return std::move(*module);
}

TEST(TypedEvaluator, SymbolsAreBoundFromTheInputs) {
  const choir::Module module = parse(
      "choir semantic v1\n"
      "tensor.func @main {inputs = [\"x\", \"y\"], outputs = [\"r\"]} "
      "(%x: tensor<f32, [n, 2]>, %y: tensor<f32, [n]>) {\n"
      "  %s = tensor.softmax %x {axis = 1} : tensor<f32, [n, 2]>\n"
      "  %b = tensor.broadcast %y {axes = [0]} : tensor<f32, [n, 2]>\n"
      "  %r = tensor.mul %s, %b : tensor<f32, [n, 2]>\n"
      "  tensor.return %r\n}\n");
  const choir::Operation& function = *module.lookup("main");
  const std::vector<HostTensor> inputs{filled(ElementType::f32, {3, 2}, 0), f32({3}, {2, 4, 6})};
  const auto outputs = evaluate(function, inputs);
  ASSERT_TRUE(outputs) << outputs.error().to_string();
  EXPECT_THAT(values_of(outputs->at(0)), ElementsAre(1, 1, 2, 2, 3, 3));

  const auto message = [&](std::vector<HostTensor> wrong) {
    const auto result = evaluate(function, wrong);
    return result ? "" : result.error().message;
  };
  EXPECT_EQ(message({filled(ElementType::f32, {3, 2}, 0), f32({4}, {1, 2, 3, 4})}),
            "input y has size 4 along axis 0, dimension (n) is 3 elsewhere");
  EXPECT_EQ(message({filled(ElementType::f32, {3, 5}, 0), f32({3}, {1, 2, 3})}),
            "input x has size 5 along axis 1, the program says 2");
  EXPECT_EQ(message({filled(ElementType::f32, {6}, 0), f32({3}, {1, 2, 3})}),
            "input x has shape [6], the program says [n, 2]");
  EXPECT_EQ(message({filled(ElementType::f16, {3, 2}, 0), f32({3}, {1, 2, 3})}),
            "input x has element type f16, the program says f32");
  EXPECT_EQ(message({}), "program takes 2 inputs, not 0");
}

class OneWeight final : public WeightSource {
 public:
  explicit OneWeight(HostTensor tensor) : tensor_(std::move(tensor)) {}
  Result<HostTensor> load(std::string_view file, std::string_view tensor,
                          const SourceLocation& where) const override {
    EXPECT_EQ(file, "net.safetensors");
    EXPECT_EQ(tensor, "bias");
    EXPECT_EQ(where.line, 3U);
    return tensor_;
  }

 private:
  HostTensor tensor_;
};

TEST(TypedEvaluator, WeightsComeFromTheSource) {
  const std::string body = "%r = tensor.weight {file = \"net.safetensors\", tensor = \"bias\"} : "
                           "tensor<f32, [2]>";
  const choir::Module module = module_of({}, body);
  const choir::Operation& function = *module.lookup("main");
  const auto outputs = evaluate(function, {}, OneWeight(f32({2}, {3, 4})));
  ASSERT_TRUE(outputs) << outputs.error().to_string();
  EXPECT_THAT(values_of(outputs->at(0)), ElementsAre(3, 4));
  const auto wrong = evaluate(function, {}, OneWeight(f32({3}, {3, 4, 5})));
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().message,
              HasSubstr("is f32 of shape [3], the program says f32 of shape [2]"));
  const auto none = evaluate(function, {});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, ErrorCode::not_found);
  EXPECT_EQ(none.error().op, "tensor.weight");
  EXPECT_EQ(none.error().where.line, 3U);
}

TEST(TypedEvaluator, IsFastEnoughToBeTheReference) {
  const HostTensor a = filled(ElementType::f32, {128, 128}, 0.5);
  const choir::Module module = module_of(std::array{a, a}, "%r = tensor.matmul %a, %b", "fast");
  const std::vector<HostTensor> inputs{a, a};
  const auto start = std::chrono::steady_clock::now();
  ASSERT_TRUE(evaluate(*module.lookup("main"), inputs));
  const std::chrono::duration<double> typed = std::chrono::steady_clock::now() - start;
  ASSERT_TRUE(evaluate_wide(*module.lookup("main"), inputs));
  const std::chrono::duration<double> both = std::chrono::steady_clock::now() - start;
  RecordProperty("typed_milliseconds", std::to_string(typed.count() * 1e3));
  RecordProperty("wide_milliseconds", std::to_string((both - typed).count() * 1e3));
  EXPECT_LT(typed.count(), 5.0);  // milliseconds on an idle machine; sanitizers are slow
}

}  // namespace
}  // namespace accy::evaluate
