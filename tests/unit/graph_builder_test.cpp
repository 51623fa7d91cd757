// GraphBuilder: every function by value on two devices, broadcasting, errors with their line, text.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "accy/accy.hpp"
#include "tests/support/graph_fixture.hpp"

namespace accy {
namespace {

using namespace graph_fixture;

const HostTensor left = row({1, -2, 0.5, 8});
const HostTensor right = row({2, 4, -0.25, 8});
const HostTensor matrix = tensor(f32, {2, 3}, {1, 2, 3, 4, 5, 6});

std::vector<Case> arithmetic_cases() {
  return {
      {"add", {left, right}, [](Graph, Inputs x) { return x[0] + x[1]; }, row({3, 2, 0.25, 16})},
      {"sub", {left, right}, [](Graph, Inputs x) { return x[0] - x[1]; }, row({-1, -6, 0.75, 0})},
      {"mul", {left, right}, [](Graph, Inputs x) { return x[0] * x[1]; }, row({2, -8, -0.125, 64})},
      {"div", {left, right}, [](Graph, Inputs x) { return x[0] / x[1]; }, row({0.5, -0.5, -2, 1})},
      {"maximum",
       {left, right},
       [](Graph, Inputs x) { return maximum(x[0], x[1]); },
       row({2, 4, 0.5, 8})},
      {"minimum",
       {left, right},
       [](Graph, Inputs x) { return minimum(x[0], x[1]); },
       row({1, -2, -0.25, 8})},
      {"number_left", {left}, [](Graph, Inputs x) { return 1 - x[0]; }, row({0, 3, 0.5, -7})},
      {"number_right", {left}, [](Graph, Inputs x) { return x[0] / 2.0; }, row({0.5, -1, 0.25, 4})},
      {"integers",
       {integers({7, -7})},
       [](Graph, Inputs x) { return x[0] * 3u - 1; },
       integers({20, -22})},
      {"neg", {left}, [](Graph, Inputs x) { return -x[0]; }, row({-1, 2, -0.5, -8})},
      {"abs", {left}, [](Graph, Inputs x) { return abs(x[0]); }, row({1, 2, 0.5, 8})},
      {"relu", {left}, [](Graph, Inputs x) { return relu(x[0]); }, row({1, 0, 0.5, 8})},
      {"equal",
       {left, right},
       [](Graph, Inputs x) { return equal(x[0], x[1]); },
       bools({0, 0, 0, 1})},
      {"not_equal",
       {left, right},
       [](Graph, Inputs x) { return not_equal(x[0], x[1]); },
       bools({1, 1, 1, 0})},
      {"less", {left, right}, [](Graph, Inputs x) { return x[0] < x[1]; }, bools({1, 1, 0, 0})},
      {"less_equal",
       {left, right},
       [](Graph, Inputs x) { return x[0] <= x[1]; },
       bools({1, 1, 0, 1})},
      {"greater", {left, right}, [](Graph, Inputs x) { return x[0] > x[1]; }, bools({0, 0, 1, 0})},
      {"greater_equal", {left}, [](Graph, Inputs x) { return x[0] >= 0.5; }, bools({1, 0, 1, 1})},
      {"bool_number",
       {bools({1, 0})},
       [](Graph, Inputs x) { return equal(x[0], false); },
       bools({0, 1})},
      {"select",
       {bools({1, 0, 1, 0}), left},
       [](Graph, Inputs x) { return select(x[0], x[1], -1); },
       row({1, -1, 0.5, -1})},
      {"rem", {row({5.5, -5.5})}, [](Graph, Inputs x) { return x[0] % 2; }, row({1.5, -1.5})},
      {"mod", {row({5.5, -5.5})}, [](Graph, Inputs x) { return mod(x[0], 2); }, row({1.5, 0.5})},
      {"pow", {row({2, -3})}, [](Graph, Inputs x) { return pow(x[0], 2); }, row({4, 9})},
      {"clamp",
       {left},
       [](Graph, Inputs x) { return clamp(x[0], -1, x[0] * 0 + 2); },
       row({1, -1, 0.5, 2})},
      {"bit_and", {integers({12})}, [](Graph, Inputs x) { return x[0] & 10; }, integers({8})},
      {"bit_or", {integers({12})}, [](Graph, Inputs x) { return x[0] | 10; }, integers({14})},
      {"bit_xor", {integers({12})}, [](Graph, Inputs x) { return x[0] ^ 10; }, integers({6})},
      {"bit_not", {bools({1, 0})}, [](Graph, Inputs x) { return ~x[0]; }, bools({0, 1})},
      {"shift_left", {integers({3})}, [](Graph, Inputs x) { return x[0] << 2; }, integers({12})},
      {"shift_right", {integers({-5})}, [](Graph, Inputs x) { return x[0] >> 1; }, integers({-3})},
      {"sign", {left}, [](Graph, Inputs x) { return sign(x[0]); }, row({1, -1, 1, 1})},
      {"square", {left}, [](Graph, Inputs x) { return square(x[0]); }, row({1, 4, 0.25, 64})},
      {"cast",
       {row({1.75, -1.75, 3e9})},
       [](Graph, Inputs x) { return cast(x[0], i32); },
       integers({1, -1, 2147483647})},
  };
}

std::vector<Case> function_cases() {
  const double e = std::exp(1.0);
  return {
      {"exp", {row({0, 1, -1})}, [](Graph, Inputs x) { return exp(x[0]); }, row({1, e, 1 / e})},
      {"log", {row({1, 2, 0.5})}, [](Graph, Inputs x) { return log(x[0]); },
       row({0, 0.69314718056, -0.69314718056})},
      {"sqrt", {row({4, 2})}, [](Graph, Inputs x) { return sqrt(x[0]); }, row({2, 1.41421356237})},
      {"tanh", {row({0, 1})}, [](Graph, Inputs x) { return tanh(x[0]); }, row({0, 0.76159415596})},
      {"erf", {row({0, 1})}, [](Graph, Inputs x) { return erf(x[0]); }, row({0, 0.84270079295})},
      {"sigmoid", {row({0, 1})}, [](Graph, Inputs x) { return sigmoid(x[0]); },
       row({0.5, 0.73105857863})},
      {"softplus", {row({0, 1})}, [](Graph, Inputs x) { return softplus(x[0]); },
       row({0.69314718056, 1.31326168752})},
      {"gelu", {row({0, 1})}, [](Graph, Inputs x) { return gelu(x[0]); }, row({0, 0.84134474607})},
      {"gelu_tanh", {row({0, 1})}, [](Graph, Inputs x) { return gelu(x[0], GeluForm::tanh); },
       row({0, 0.84119199060})},
      {"softmax", {row({1, 2, 3})}, [](Graph, Inputs x) { return softmax(x[0]); },
       row({0.09003057317, 0.24472847105, 0.66524095577})},
      {"softmax_first_axis", {tensor(f32, {2, 1}, {5, 5})},
       [](Graph, Inputs x) { return softmax(x[0], 0); }, tensor(f32, {2, 1}, {0.5, 0.5})},
  };
}

std::vector<Case> rounding_cases() {
  const HostTensor values = row({1.5, -0.5, 2.5});
  const double infinity = std::numeric_limits<double>::infinity();
  const HostTensor kinds = row({1, infinity, std::nan("")});
  return {
      {"floor", {values}, [](Graph, Inputs x) { return floor(x[0]); }, row({1, -1, 2})},
      {"ceil", {values}, [](Graph, Inputs x) { return ceil(x[0]); }, row({2, -0.0, 3})},
      {"round", {values}, [](Graph, Inputs x) { return round(x[0]); }, row({2, -0.0, 2})},
      {"trunc", {values}, [](Graph, Inputs x) { return trunc(x[0]); }, row({1, -0.0, 2})},
      {"is_nan", {kinds}, [](Graph, Inputs x) { return is_nan(x[0]); }, bools({0, 0, 1})},
      {"is_inf", {kinds}, [](Graph, Inputs x) { return is_inf(x[0]); }, bools({0, 1, 0})},
      {"is_finite", {kinds}, [](Graph, Inputs x) { return is_finite(x[0]); }, bools({1, 0, 0})},
  };
}

std::vector<Case> more_function_cases() {
  const HostTensor values = row({-2, 1});
  return {
      {"reciprocal", {values}, [](Graph, Inputs x) { return reciprocal(x[0]); }, row({-0.5, 1})},
      {"rsqrt", {row({4, 1})}, [](Graph, Inputs x) { return rsqrt(x[0]); }, row({0.5, 1})},
      {"sin",
       {values},
       [](Graph, Inputs x) { return sin(x[0]); },
       row({-0.90929742683, 0.84147098481})},
      {"cos",
       {values},
       [](Graph, Inputs x) { return cos(x[0]); },
       row({-0.41614683655, 0.54030230587})},
      {"tan",
       {values},
       [](Graph, Inputs x) { return tan(x[0]); },
       row({2.18503986326, 1.55740772465})},
      {"relu6", {row({-2, 7})}, [](Graph, Inputs x) { return relu6(x[0]); }, row({0, 6})},
      {"leaky_relu",
       {values},
       [](Graph, Inputs x) { return leaky_relu(x[0], 0.25); },
       row({-0.5, 1})},
      {"thresholded_relu",
       {row({1, 2})},
       [](Graph, Inputs x) { return thresholded_relu(x[0]); },
       row({0, 2})},
      {"elu", {values}, [](Graph, Inputs x) { return elu(x[0]); }, row({-0.86466471676, 1})},
      {"selu",
       {values},
       [](Graph, Inputs x) { return selu(x[0]); },
       row({-1.52016653, 1.05070098736})},
      {"celu", {values}, [](Graph, Inputs x) { return celu(x[0], 2); }, row({-1.26424111766, 1})},
      {"hard_sigmoid",
       {values},
       [](Graph, Inputs x) { return hard_sigmoid(x[0]); },
       row({0.1, 0.7})},
      {"hard_swish",
       {values},
       [](Graph, Inputs x) { return hard_swish(x[0]); },
       row({-0.33333333333, 0.66666666667})},
      {"hard_tanh",
       {values},
       [](Graph, Inputs x) { return hard_tanh(x[0], -1, 0.5); },
       row({-1, 0.5})},
      {"silu",
       {values},
       [](Graph, Inputs x) { return silu(x[0]); },
       row({-0.23840584404, 0.73105857863})},
      {"quick_gelu",
       {values},
       [](Graph, Inputs x) { return quick_gelu(x[0], 1); },
       row({-0.23840584404, 0.73105857863})},
      {"mish",
       {values},
       [](Graph, Inputs x) { return mish(x[0]); },
       row({-0.25250148, 0.86509838827})},
      {"softsign",
       {values},
       [](Graph, Inputs x) { return softsign(x[0]); },
       row({-0.66666666667, 0.5})},
      {"log_sigmoid",
       {values},
       [](Graph, Inputs x) { return log_sigmoid(x[0]); },
       row({-2.12692801104, -0.31326168752})},
      {"log_softmax",
       {row({1, 2, 3})},
       [](Graph, Inputs x) { return log_softmax(x[0]); },
       row({-2.40760596444, -1.40760596444, -0.40760596444})},
  };
}

std::vector<Case> shape_cases() {
  return {
      {"broadcast_to", {row({1, 2})}, [](Graph, Inputs x) { return broadcast_to(x[0], {2, 2}); },
       tensor(f32, {2, 2}, {1, 2, 1, 2})},
      {"broadcast_outer", {tensor(f32, {2, 1}, {10, 20}), row({1, 2, 3})},
       [](Graph, Inputs x) { return x[0] + x[1]; },
       tensor(f32, {2, 3}, {11, 12, 13, 21, 22, 23})},
      {"reshape", {matrix}, [](Graph, Inputs x) { return reshape(x[0], {3, -1}); },
       tensor(f32, {3, 2}, {1, 2, 3, 4, 5, 6})},
      {"transpose", {matrix}, [](Graph, Inputs x) { return transpose(x[0]); },
       tensor(f32, {3, 2}, {1, 4, 2, 5, 3, 6})},
      {"transpose_axes", {tensor(f32, {1, 2, 2}, {1, 2, 3, 4})},
       [](Graph, Inputs x) { return transpose(x[0], {0, -1, 1}); },
       tensor(f32, {1, 2, 2}, {1, 3, 2, 4})},
      {"sum_all", {matrix}, [](Graph, Inputs x) { return sum(x[0]); }, tensor(f32, {}, {21})},
      {"sum_axis", {matrix}, [](Graph, Inputs x) { return sum(x[0], 0); }, row({5, 7, 9})},
      {"sum_keep", {matrix},
       [](Graph, Inputs x) { return sum(x[0], -1, {.keep_dimensions = true}); },
       tensor(f32, {2, 1}, {6, 15})},
      {"max_axes", {matrix}, [](Graph, Inputs x) { return max(x[0], {1, 0}); },
       tensor(f32, {}, {6})},
      {"matmul", {matrix, tensor(f32, {3, 1}, {1, 0, -1})},
       [](Graph, Inputs x) { return matmul(x[0], x[1]); }, tensor(f32, {2, 1}, {-2, -2})},
      {"matmul_row", {row({1, 10}), matrix}, [](Graph, Inputs x) { return matmul(x[0], x[1]); },
       row({41, 52, 63})},
      {"matmul_column", {matrix, row({1, 0, 1})},
       [](Graph, Inputs x) { return matmul(x[0], x[1]); }, row({4, 10})},
      {"matmul_dot", {row({1, 2}), row({3, 4})},
       [](Graph, Inputs x) { return matmul(x[0], x[1]); }, tensor(f32, {}, {11})},
      {"matmul_batch", {tensor(f32, {1, 2}, {1, 2}), tensor(f32, {2, 2, 1}, {1, 1, 3, 4})},
       [](Graph, Inputs x) { return matmul(x[0], x[1]); }, tensor(f32, {2, 1, 1}, {3, 11})},
      {"constant_number", {}, [](Graph g, Inputs) { return g.constant(f32, 2, {2}); },
       row({2, 2})},
      {"constant_values", {},
       [](Graph g, Inputs) { return g.constant(f32, std::vector<float>{1, 2}, {2}); }, row({1, 2})},
      {"constant_tensor", {}, [](Graph g, Inputs) { return g.constant(matrix); }, matrix},
  };
}

std::vector<Case> all_cases() {
  std::vector<Case> all = arithmetic_cases();
  for (const Case& test : function_cases()) all.push_back(test);
  for (const auto& more : {rounding_cases(), more_function_cases(), shape_cases()})
    all.insert(all.end(), more.begin(), more.end());
  return all;
}

class GraphValues : public testing::TestWithParam<std::tuple<Case, std::string>> {};

TEST_P(GraphValues, AreRight) {
  const auto& [test, device] = GetParam();
  expect_value(test, device);
}

INSTANTIATE_TEST_SUITE_P(Every, GraphValues,
                         testing::Combine(testing::ValuesIn(all_cases()),
                                          testing::Values("reference", "interpreter")),
                         [](const auto& parameter) {
                           return std::get<0>(parameter.param).name + "_" + std::get<1>(parameter.param);
                         });

/// By numpy.broadcast_shapes, worked out by hand; an empty optional is an error.
TEST(GraphBroadcasting, FollowsNumpy) {
  const Dimension n = dimension("n"), m = dimension("m");
  const struct {
    Shape left, right;
    std::optional<Shape> expected;
  } table[] = {
      {{}, {}, Shape{}},
      {{}, {3}, Shape{3}},
      {{3}, {3}, Shape{3}},
      {{3}, {1}, Shape{3}},
      {{1}, {3}, Shape{3}},
      {{2, 3}, {3}, Shape{2, 3}},
      {{3}, {2, 3}, Shape{2, 3}},
      {{2, 1}, {3}, Shape{2, 3}},
      {{2, 1}, {1, 3}, Shape{2, 3}},
      {{8, 1, 6, 1}, {7, 1, 5}, Shape{8, 7, 6, 5}},
      {{0}, {1}, Shape{0}},
      {{2, 0}, {1, 1}, Shape{2, 0}},
      {{n}, {1}, Shape{n}},
      {{n, 3}, {3}, Shape{n, 3}},
      {{3}, {n, 1}, Shape{n, 3}},
      {{n, m}, {m}, Shape{n, m}},
      {{2}, {3}, std::nullopt},
      {{2, 3}, {2}, std::nullopt},
      {{0}, {2}, std::nullopt},
      {{2, 1}, {8, 4, 3}, std::nullopt},
      {{n}, {m}, std::nullopt},
      {{n}, {3}, std::nullopt},
  };
  for (const auto& entry : table) {
    GraphBuilder graph;
    const Tensor x = graph.input("x", f32, entry.left), y = graph.input("y", f32, entry.right);
    const Tensor z = x + y;
    EXPECT_EQ(z.failed(), !entry.expected.has_value()) << &entry - table;
    if (entry.expected) {
      EXPECT_EQ(z.shape(), *entry.expected) << &entry - table;
    } else {
      EXPECT_NE(graph.error()->message.find("shapes do not broadcast"), std::string::npos);
    }
  }
}


TEST(GraphErrors, OfElementwiseCallsHaveTheirLine) {
  EXPECT_MISTAKE(m.x + m.y, "tensor.add: shapes do not broadcast: sizes (3) and (4) of axis -1");
  EXPECT_MISTAKE(m.x + m.i, "element types differ (f32 and i32): cast one");
  EXPECT_MISTAKE(m.i * 2.5, "holds a floating-point number (2.5");
  EXPECT_MISTAKE(m.x + true, "constant of f32 holds a boolean");
  EXPECT_MISTAKE(m.i + 3'000'000'000, "constant (3000000000) is outside the range of i32");
  EXPECT_MISTAKE(m.i + ~0ULL, "number (18446744073709551615) exceeds the limit");
  EXPECT_MISTAKE(exp(m.i), "tensor.exp");
  EXPECT_MISTAKE(select(m.x, 1, 2), "no operand is a tensor, so that the element type is unknown");
  EXPECT_MISTAKE(select(m.x, m.x, m.x), "expected bool elements");
  EXPECT_MISTAKE(maximum(Tensor(), m.x), "operand is a tensor of no graph");
  EXPECT_MISTAKE(Mistake other; m.x - other.x, "operand is a tensor of another graph");
}

TEST(GraphErrors, OfShapeCallsHaveTheirLine) {
  EXPECT_MISTAKE(softmax(m.x, 2), "axis (2) is outside the 2 axes");
  EXPECT_MISTAKE(sum(m.x, {0, -2}), "axis (-2) is given twice");
  EXPECT_MISTAKE(transpose(m.x, {0}), "tensor.transpose");
  EXPECT_MISTAKE(broadcast_to(m.x, {3}), "does not broadcast to fewer axes");
  EXPECT_MISTAKE(broadcast_to(m.x, {3, 3}), "operand axis 0 of size (2)");
  EXPECT_MISTAKE(broadcast_to(m.y, {1, 1, 1, 1, 1, 1, 1, 1, 4}), "rank (9) exceeds the limit (8)");
  EXPECT_MISTAKE(reshape(m.x, {4}), "reshape changes the element count from [2, 3] to [4]");
  EXPECT_MISTAKE(reshape(m.x, {-1, -1}), "shape has more than one size of -1");
  EXPECT_MISTAKE(reshape(m.x, {4, -1}), "no single size can stand for the -1");
  EXPECT_MISTAKE(reshape(m.n, {-1}), "no single size can stand for the -1");
  EXPECT_MISTAKE(matmul(m.x, m.y), "inner sizes differ (3 columns, 4 rows)");
  EXPECT_MISTAKE(matmul(m.x, sum(m.x)), "matmul takes tensors with axes, not a scalar");
  EXPECT_MISTAKE(matmul(broadcast_to(m.x, {5, 2, 3}), broadcast_to(m.x, {4, 2, 3})),
                 "sizes (5) and (4) of axis -1");
}

TEST(GraphErrors, OfBuilderCallsHaveTheirLine) {
  EXPECT_MISTAKE(m.graph.input("x", f32, {}), "name (x) is taken already");
  EXPECT_MISTAKE(m.graph.input("", f32, {}), "name takes 1 to");
  EXPECT_MISTAKE(m.graph.input("z", f32, {-2}), "(-2)");
  EXPECT_MISTAKE(m.graph.input("z", f32, {std::int64_t{1} << 40, 2}), "1099511627776");
  EXPECT_MISTAKE(m.graph.input("z", f32, {dimension("2 d")}), "dimension name (2 d)");
  EXPECT_MISTAKE(m.graph.input("z", f32, {dimension("d", {.default_size = 9, .maximum = 8})}),
                 "range of dimension 'd' is wrong (minimum 0, default 9, maximum 8)");
  EXPECT_MISTAKE(m.graph.input("z", f32, {dimension("d", {.minimum = 1}),
                                          dimension("d", {.minimum = 2})}),
                 "dimension 'd' has another range already");
  EXPECT_MISTAKE(m.graph.output("y", m.y); m.graph.output("y", m.x), "name (y) is taken already");
  EXPECT_MISTAKE(m.graph.output("y", Tensor()), "operand is a tensor of no graph");
  EXPECT_MISTAKE(m.graph.constant(f32, m.x), "value of a constant is a tensor, not a number");
  EXPECT_MISTAKE(m.graph.constant(f32, std::vector<double>{1}, {1}),
                 "values are not in the C++ type that stores f32");
  EXPECT_MISTAKE(m.graph.constant(f32, std::vector<float>{1, 2}, {3}), "8");
  EXPECT_MISTAKE(m.graph.constant(f32, std::vector<float>{1}, {dimension("n")}),
                 "shape of the values has a named dimension (n)");
  EXPECT_MISTAKE(m.graph.constant(HostTensor{f32, {2}, {}}),
                 "constant has 0 bytes, but its shape takes 8");
  EXPECT_MISTAKE(m.graph.weight("w", "t", f32, {dimension("n")}), "whose shape has a symbol");
  EXPECT_MISTAKE(m.graph.numeric({.accumulate = i32}), "accumulate type (i32) is neither");
}

TEST(GraphErrors, TheFirstStaysAndFailedTensorsAreSilent) {
  Mistake m;
  const Tensor bad = m.x + m.y;
  const std::string first = m.graph.error()->message;
  EXPECT_TRUE(bad.failed());
  EXPECT_TRUE(tanh(bad + 1).failed());
  EXPECT_TRUE((m.x + m.i).failed());
  EXPECT_FALSE((m.x + m.x).failed());
  EXPECT_EQ(m.graph.error()->message, first);
}

TEST(GraphErrors, OfFinish) {
  Mistake m;
  const std::uint32_t line = __LINE__ + 1;
  const Result<Program> empty = m.graph.finish();
  ASSERT_FALSE(empty.has_value());
  EXPECT_EQ(empty.error().message, "graph has no outputs");
  EXPECT_EQ(empty.error().where.line, line);
  m.graph.output("y", m.x);
  EXPECT_TRUE(m.graph.finish().has_value());
  EXPECT_EQ(m.graph.finish().error().message, "graph is finished already");
  EXPECT_TRUE((m.x + m.x).failed());
}

TEST(GraphErrors, PassThroughSessionAndPrintTheLine) {
  Mistake m;
  m.graph.output("y", m.x + m.y);
  const auto session = Session::compile(m.graph.finish());
  ASSERT_FALSE(session.has_value());
  const std::string place = std::string(__FILE__) + ":" + std::to_string(__LINE__ - 3) + ": ";
  EXPECT_EQ(session.error().to_string().substr(0, place.size()), place);
}

TEST(GraphText, ReadsBack) {
  GraphBuilder graph;
  graph.numeric({.strict = true, .accumulate = ElementType::f64});
  const Tensor x = graph.input(
      "x", f32, {dimension("n", {.default_size = 4, .minimum = 1, .maximum = 8}), 3});
  const std::uint32_t line = __LINE__ + 1;
  const Tensor y = matmul(x, transpose(x)) + 0.5;
  graph.output("gram", y);
  graph.output("shape with spaces", reshape(x, {3, -1}));
  const Result<Program> program = graph.finish();
  ASSERT_TRUE(program.has_value()) << program.error().to_string();
  const std::string text = program->text();
  EXPECT_NE(text.find("n = {default = 4, maximum = 8, minimum = 1}"), std::string::npos) << text;
  EXPECT_NE(text.find("{accumulate = f64, mode = strict, order = fixed}"), std::string::npos);
  EXPECT_NE(text.find("%gram = tensor.add"), std::string::npos) << text;
  EXPECT_EQ(text.find("loc("), std::string::npos);
  const Result<Program> again = Program::from_text(text, "again");
  ASSERT_TRUE(again.has_value()) << again.error().to_string();
  EXPECT_EQ(again->text(), text);
  const std::string located = program->text({.locations = true});
  EXPECT_NE(located.find(std::string(__FILE__) + "\":" + std::to_string(line) + ":0"),
            std::string::npos)
      << located;
  const Result<Program> placed = Program::from_text(located, "placed");
  ASSERT_TRUE(placed.has_value()) << placed.error().to_string();
  EXPECT_EQ(placed->text({.locations = true}), located);
}

TEST(GraphSession, BindsDimensionsAndCompilesAProgramTwice) {
  GraphBuilder first;
  const Tensor x = first.input("x", f32, {dimension("n", {.default_size = 2})});
  GraphBuilder graph = std::move(first);  // tensors follow
  graph.output("y", x * x);
  const Result<Program> program = graph.finish();
  ASSERT_TRUE(program.has_value()) << program.error().to_string();
  for (const std::int64_t size : {2, 3}) {
    auto session =
        Session::compile(*program, {.device = "reference", .dimensions = {{"n", size}}});
    ASSERT_TRUE(session.has_value()) << session.error().to_string();
    EXPECT_EQ(session->inputs()[0].shape, Sizes{size});
  }
  EXPECT_FALSE(Session::compile(program, {.device = "reference", .dimensions = {{"m", 2}}}));
}

TEST(GraphSession, ReadsWeightsOfItsFolder) {
  const std::string folder = std::string(ACCY_SOURCE_DIR) + "/examples/digits";
  GraphBuilder graph;
  const Tensor bias = graph.weight("digits.safetensors", "dense3.bias", f32, {10});
  graph.output("zero", bias - graph.weight("digits.safetensors", "dense3.bias", f32, {10}));
  const Result<Program> program = graph.finish();
  ASSERT_TRUE(program.has_value()) << program.error().to_string();
  auto session = Session::compile(*program, {.device = "interpreter"}, folder);
  ASSERT_TRUE(session.has_value()) << session.error().to_string();
  const auto outputs = session->run({});
  ASSERT_TRUE(outputs.has_value()) << outputs.error().to_string();
  EXPECT_EQ(outputs->at(0), tensor(f32, {10}, Values(10, 0)));
  EXPECT_FALSE(Session::compile(*program, {.device = "interpreter"}, "/nonexistent"));
}

TEST(PublicNpy, WritesAndReads) {
  const std::string path = testing::TempDir() + "/graph_builder_test.npy";
  ASSERT_TRUE(write_npy(path, matrix).has_value());
  const Result<HostTensor> read = read_npy(path);
  ASSERT_TRUE(read.has_value()) << read.error().to_string();
  EXPECT_EQ(*read, matrix);
}

}  // namespace
}  // namespace accy
