// The graph builder's movements, reductions and network functions by value, and their errors.
#include <gtest/gtest.h>
#include <limits>

#include "accy/accy.hpp"
#include "tests/support/graph_fixture.hpp"

namespace accy {
namespace {

using namespace graph_fixture;

const HostTensor digits = row({0, 1, 2, 3, 4});
const HostTensor matrix = tensor(f32, {2, 3}, {1, 2, 3, 4, 5, 6});
const HostTensor square_matrix = tensor(f32, {2, 2}, {1, 2, 3, 4});
constexpr ElementType i64 = ElementType::i64;

Case slice_case(const std::string& name, Range range, const Values& expected) {
  return {"slice_" + name,
          {digits},
          [range](Graph, Inputs x) { return slice(x[0], {range}); },
          row(expected)};
}

std::vector<Case> slice_cases() {
  constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  return {
      slice_case("whole", {}, {0, 1, 2, 3, 4}),
      slice_case("from", {.start = 2}, {2, 3, 4}),
      slice_case("negative", {.start = -2}, {3, 4}),
      slice_case("to_negative", {.stop = -3}, {0, 1}),
      slice_case("beyond", {.start = -9, .stop = 9}, {0, 1, 2, 3, 4}),
      slice_case("far_beyond", {.start = least, .stop = most}, {0, 1, 2, 3, 4}),
      slice_case("steps", {.step = 2}, {0, 2, 4}),
      slice_case("long_step", {.start = 1, .step = most}, {1}),
      slice_case("backwards", {.step = -1}, {4, 3, 2, 1, 0}),
      slice_case("backwards_steps", {.start = 3, .stop = 0, .step = -2}, {3, 1}),
      slice_case("backwards_all_steps", {.step = -3}, {4, 1}),
      slice_case("backwards_far", {.step = least}, {4}),
      slice_case("nothing", {.start = 3, .stop = 1}, {}),
      slice_case("nothing_backwards", {.start = 1, .stop = 3, .step = -1}, {}),
      slice_case("behind", {.start = 7}, {}),
  };
}

std::vector<Case> movement_cases() {
  return {
      {"slice_second_axis",
       {matrix},
       [](Graph, Inputs x) {
         return slice(x[0], {{}, {1, 2}});
       },
       tensor(f32, {2, 1}, {2, 5})},
      {"expand_dims",
       {digits},
       [](Graph, Inputs x) {
         return expand_dims(x[0], {0, -1});
       },
       tensor(f32, {1, 5, 1}, {0, 1, 2, 3, 4})},
      {"squeeze_all",
       {tensor(f32, {1, 2, 1}, {1, 2})},
       [](Graph, Inputs x) { return squeeze(x[0]); },
       row({1, 2})},
      {"squeeze_one",
       {tensor(f32, {1, 2, 1}, {1, 2})},
       [](Graph, Inputs x) { return squeeze(x[0], -1); },
       tensor(f32, {1, 2}, {1, 2})},
      {"flip",
       {matrix},
       [](Graph, Inputs x) { return flip(x[0]); },
       tensor(f32, {2, 3}, {6, 5, 4, 3, 2, 1})},
      {"flip_axis",
       {matrix},
       [](Graph, Inputs x) { return flip(x[0], 0); },
       tensor(f32, {2, 3}, {4, 5, 6, 1, 2, 3})},
      {"roll", {digits}, [](Graph, Inputs x) { return roll(x[0], 2, 0); }, row({3, 4, 0, 1, 2})},
      {"diagonal", {square_matrix}, [](Graph, Inputs x) { return diagonal(x[0]); }, row({1, 4})},
      {"diagonal_last",
       {tensor(f32, {2, 3, 2}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11})},
       [](Graph, Inputs x) { return diagonal(x[0], 2, 0); },
       tensor(f32, {3, 2}, {0, 7, 2, 9, 4, 11})},
      {"concat",
       {matrix, tensor(f32, {2, 1}, {7, 8})},
       [](Graph, Inputs x) {
         return concat({x[0], x[1]}, -1);
       },
       tensor(f32, {2, 4}, {1, 2, 3, 7, 4, 5, 6, 8})},
      {"stack",
       {row({1, 2}), row({3, 4})},
       [](Graph, Inputs x) {
         return stack({x[0], x[1]}, 1);
       },
       tensor(f32, {2, 2}, {1, 3, 2, 4})},
      {"split",
       {digits},
       [](Graph, Inputs x) {
         return split(x[0], {2, 0, 3})[2];
       },
       row({2, 3, 4})},
      {"pad",
       {row({1, 2})},
       [](Graph, Inputs x) {
         return pad(x[0], {{1, 2}}, 9);
       },
       row({9, 1, 2, 9, 9})},
      {"tile", {row({1, 2})}, [](Graph, Inputs x) { return tile(x[0], {2}); }, row({1, 2, 1, 2})},
      {"take",
       {matrix, integers({2, -3})},
       [](Graph, Inputs x) { return take(x[0], x[1], -1); },
       tensor(f32, {2, 2}, {3, 1, 6, 4})},
      {"take_along",
       {matrix, tensor(i32, {2, 1}, {1, -1})},
       [](Graph, Inputs x) { return take_along(x[0], x[1], 1); },
       tensor(f32, {2, 1}, {2, 6})},
      {"one_hot",
       {integers({1, -1, 7})},
       [](Graph, Inputs x) { return one_hot(x[0], 2); },
       tensor(f32, {3, 2}, {0, 1, 0, 1, 0, 0})},
      {"one_hot_bool",
       {integers({1})},
       [](Graph, Inputs x) {
         return one_hot(x[0], 2, {.element = ElementType::boolean, .axis = 0});
       },
       tensor(ElementType::boolean, {2, 1}, {0, 1})},
      {"iota",
       {},
       [](Graph g, Inputs) {
         return g.iota(i32, {2, 3});
       },
       tensor(i32, {2, 3}, {0, 1, 2, 0, 1, 2})},
  };
}

std::vector<Case> reduction_cases() {
  return {
      {"product", {matrix}, [](Graph, Inputs x) { return product(x[0], 1); }, row({6, 120})},
      {"min", {matrix}, [](Graph, Inputs x) { return min(x[0], 0); }, row({1, 2, 3})},
      {"mean", {matrix}, [](Graph, Inputs x) { return mean(x[0]); }, tensor(f32, {}, {3.5})},
      {"mean_keep",
       {matrix},
       [](Graph, Inputs x) { return mean(x[0], 1, {.keep_dimensions = true}); },
       tensor(f32, {2, 1}, {2, 5})},
      {"variance", {matrix}, [](Graph, Inputs x) { return variance(x[0], 1, 1); }, row({1, 1})},
      {"logsumexp",
       {row({0, 0})},
       [](Graph, Inputs x) { return logsumexp(x[0]); },
       tensor(f32, {}, {0.69314718056})},
      {"norm_l1",
       {row({3, -4})},
       [](Graph, Inputs x) { return norm_l1(x[0]); },
       tensor(f32, {}, {7})},
      {"norm_l2",
       {row({3, -4})},
       [](Graph, Inputs x) { return norm_l2(x[0]); },
       tensor(f32, {}, {5})},
      {"any", {bools({1, 0})}, [](Graph, Inputs x) { return any(x[0]); }, tensor(boolean, {}, {1})},
      {"all", {bools({1, 0})}, [](Graph, Inputs x) { return all(x[0]); }, tensor(boolean, {}, {0})},
      {"einsum",
       {matrix, matrix},
       [](Graph, Inputs x) {
         return einsum("ij,kj->ik", {x[0], x[1]});
       },
       tensor(f32, {2, 2}, {14, 32, 32, 77})},
      {"argmax", {matrix}, [](Graph, Inputs x) { return argmax(x[0]); }, tensor(i64, {2}, {2, 2})},
      {"argmin_options",
       {row({1, 0, 0})},
       [](Graph, Inputs x) {
         return argmin(x[0], 0, {.keep_dimensions = true, .last = true, .narrow = true});
       },
       integers({2})},
  };
}

std::vector<Case> normalization_cases() {
  const HostTensor pair = tensor(f32, {1, 2}, {1, 3});
  const HostTensor channels = tensor(f32, {1, 2, 1}, {1, 3});
  return {
      {"layer_norm",
       {pair},
       [](Graph, Inputs x) { return layer_norm(x[0], -1, {.epsilon = 3}); },
       tensor(f32, {1, 2}, {-0.5, 0.5})},
      {"layer_norm_bias",
       {pair, row({1, 2})},
       [](Graph, Inputs x) { return layer_norm(x[0], 1, {.bias = x[1], .epsilon = 3}); },
       tensor(f32, {1, 2}, {0.5, 2.5})},
      {"rms_norm",
       {pair, row({2, 4})},
       [](Graph, Inputs x) { return rms_norm(x[0], -1, {.scale = x[1], .epsilon = 4}); },
       tensor(f32, {1, 2}, {2. / 3, 4})},
      {"group_norm",
       {channels},
       [](Graph, Inputs x) { return group_norm(x[0], 1, {.epsilon = 3}); },
       tensor(f32, {1, 2, 1}, {-0.5, 0.5})},
      {"instance_norm",
       {channels, row({5, 6})},
       [](Graph, Inputs x) { return instance_norm(x[0], {.bias = x[1]}); },
       tensor(f32, {1, 2, 1}, {5, 6})},
      {"batch_norm",
       {pair, row({1, 1}), row({1, 4})},
       [](Graph, Inputs x) { return batch_norm(x[0], x[1], x[2], {.epsilon = 0}); },
       tensor(f32, {1, 2}, {0, 1})},
      {"batch_norm_all",
       {pair, row({1, 1}), row({1, 4}), row({2, 3}), row({-1, -2})},
       [](Graph, Inputs x) {
         return batch_norm(x[0], x[1], x[2], {.scale = x[3], .bias = x[4], .epsilon = 0});
       },
       tensor(f32, {1, 2}, {-1, 1})},
  };
}

std::vector<Case> loss_cases() {
  const HostTensor x = row({1, 3}), target = row({0, 0});
  const HostTensor logs = tensor(f32, {2, 2}, {-1, -2, -3, -4});
  const HostTensor labels = integers({1, 0});
  const auto scalar = [](double value) { return tensor(f32, {}, {value}); };
  return {
      {"mse_loss", {x, target}, [](Graph, Inputs v) { return mse_loss(v[0], v[1]); }, scalar(5)},
      {"mae_loss",
       {x, target},
       [](Graph, Inputs v) { return mae_loss(v[0], v[1], Reduction::sum); },
       scalar(4)},
      {"huber_loss",
       {x, target},
       [](Graph, Inputs v) { return huber_loss(v[0], v[1], 2, Reduction::none); },
       row({0.5, 4})},
      {"bce_loss",
       {target, target},
       [](Graph, Inputs v) { return bce_with_logits_loss(v[0], v[1]); },
       scalar(0.69314718056)},
      {"kl_div_loss",
       {x, target},
       [](Graph, Inputs v) { return kl_div_loss(v[0], v[1]); },
       scalar(0)},
      {"hinge_loss",
       {row({0.5, 3}), row({1, 1})},
       [](Graph, Inputs v) { return hinge_loss(v[0], v[1], 1, Reduction::none); },
       row({0.5, 0})},
      {"nll_loss",
       {logs, labels},
       [](Graph, Inputs v) { return nll_loss(v[0], v[1]); },
       scalar(2.5)},
      {"nll_loss_options",
       {logs, labels, row({1, 3})},
       [](Graph, Inputs v) { return nll_loss(v[0], v[1], {.weights = v[2], .ignore_index = 0}); },
       scalar(2)},
      {"cross_entropy_loss",
       {tensor(f32, {1, 2}, {0, 0}), integers({1})},
       [](Graph, Inputs v) { return cross_entropy_loss(v[0], v[1], {.label_smoothing = 0.5}); },
       scalar(0.69314718056)},
  };
}

std::vector<Case> all_cases() {
  std::vector<Case> all;
  for (const auto& more :
       {slice_cases(), movement_cases(), reduction_cases(), normalization_cases(), loss_cases()})
    all.insert(all.end(), more.begin(), more.end());
  return all;
}

class GraphOperations : public testing::TestWithParam<std::tuple<Case, std::string>> {};

TEST_P(GraphOperations, AreRight) {
  const auto& [test, device] = GetParam();
  expect_value(test, device);
}

INSTANTIATE_TEST_SUITE_P(Every, GraphOperations,
                         testing::Combine(testing::ValuesIn(all_cases()),
                                          testing::Values("reference", "interpreter")),
                         [](const auto& parameter) {
                           return std::get<0>(parameter.param).name + "_" +
                                  std::get<1>(parameter.param);
                         });

TEST(GraphOperationErrors, OfMovements) {
  EXPECT_MISTAKE(slice(m.x, {{.step = 0}}), "step of axis 0 is zero");
  EXPECT_MISTAKE(slice(m.y, {{}, {}}), "2 ranges are given for the 1 axes of the tensor");
  EXPECT_MISTAKE(slice(m.n, {{.start = 1}}),
                 "axis 0 of the named size (n) can only be taken whole");
  EXPECT_MISTAKE(squeeze(m.x, 0), "axis 0 of size (2) is not of size 1");
  EXPECT_MISTAKE(expand_dims(m.y, {0, 0}), "axis (0) is given twice");
  EXPECT_MISTAKE(flip(m.x, 2), "axis (2) is outside the 2 axes");
  EXPECT_MISTAKE(diagonal(m.x), "have no diagonal");
  EXPECT_MISTAKE(concat({m.x, m.y}), "which differs from the first");
  EXPECT_MISTAKE(stack({m.x, m.y}), "which differs from the first");
  EXPECT_MISTAKE(split(m.y, {3, 2}), "part 1 of size (2) from 3 does not fit axis 0 of size (4)");
  EXPECT_MISTAKE(split(m.y, {3}), "part 0 of size (3) from 0 does not fit axis 0");
  EXPECT_MISTAKE(pad(m.y, {}), "0 pairs of widths are given for the 1 axes");
  EXPECT_MISTAKE(pad(m.y, {{-1, 0}}), "padding (-1) is below zero");
  EXPECT_MISTAKE(tile(m.y, {-1}), "count (-1) is below zero");
  EXPECT_MISTAKE(take(m.x, m.y), "tensor.gather");
  EXPECT_MISTAKE(one_hot(m.i, 0), "attribute depth (0) is not above zero");
  EXPECT_MISTAKE(m.graph.iota(i32, {}), "axis (-1) is outside the 0 axes");
  EXPECT_TRUE(concat({}).failed());
}

TEST(GraphOperationErrors, OfReductionsAndNetworks) {
  EXPECT_MISTAKE(mean(m.i), "tensor.mean");
  EXPECT_MISTAKE(einsum("ij->", {m.y}), "term (ij) has 2 letters for an operand of rank 1");
  EXPECT_MISTAKE(any(m.x), "expected bool elements");
  EXPECT_MISTAKE(argmax(m.x, 5), "axis (5) is outside the 2 axes");
  EXPECT_MISTAKE(layer_norm(m.x, -1, {.scale = m.y}), "operand 1 is tensor<f32, [4]>");
  EXPECT_MISTAKE(rms_norm(m.x, -1, {.bias = m.y}), "at most 2 are expected");
  EXPECT_MISTAKE(group_norm(m.x, 2), "does not divide the channels (3)");
  EXPECT_MISTAKE(mse_loss(m.x, m.y), "tensor.mse_loss");
  EXPECT_MISTAKE(nll_loss(m.x, m.y), "tensor.nll_loss");
  EXPECT_MISTAKE(cross_entropy_loss(m.x, slice(m.i, {{0, 2}}), {.label_smoothing = 2}),
                 "attribute label_smoothing (2.000000) is not between 0 and 1");
}

TEST(GraphOperations, KeepNamedDimensionsWhole) {
  GraphBuilder graph;
  const Tensor n = graph.input("n", f32, {dimension("n"), 3});
  EXPECT_EQ(slice(n, {{}, {1}}).shape(), (Shape{dimension("n"), 2}));
  EXPECT_EQ(slice(n, {{.step = -1}}).shape(), n.shape());
  EXPECT_EQ(mean(n, 1).shape(), (Shape{dimension("n")}));
  EXPECT_EQ(concat({n, n}, 1).shape(), (Shape{dimension("n"), 6}));
  EXPECT_EQ(graph.error(), nullptr);
}

}  // namespace
}  // namespace accy
