// Functions of the graph builder by value, and its mistakes with their lines.
#pragma once

#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "accy/accy.hpp"

namespace accy::graph_fixture {

using Values = std::vector<double>;
using Sizes = std::vector<std::int64_t>;
constexpr ElementType f32 = ElementType::f32;
constexpr ElementType i32 = ElementType::i32;
constexpr ElementType boolean = ElementType::boolean;

inline HostTensor tensor(ElementType element, const Sizes& shape, const Values& values) {
  auto made = HostTensor::from_values(element, shape, values);
  EXPECT_TRUE(made.has_value());
  return made ? *made : HostTensor{};
}

inline HostTensor row(const Values& values) {
  return tensor(f32, {static_cast<std::int64_t>(values.size())}, values);
}

inline HostTensor integers(const Values& values) {
  return tensor(i32, {static_cast<std::int64_t>(values.size())}, values);
}

inline HostTensor bools(const Values& values) {
  return tensor(boolean, {static_cast<std::int64_t>(values.size())}, values);
}

inline Shape shape_of(const HostTensor& tensor) {
  return {tensor.shape.begin(), tensor.shape.end()};
}

/// A function of inputs and what it must give.
struct Case {
  std::string name;
  std::vector<HostTensor> inputs;
  std::function<Tensor(GraphBuilder&, const std::vector<Tensor>&)> build;
  HostTensor expected;
};

inline void PrintTo(const Case& test, std::ostream* output) { *output << test.name; }

using Inputs = std::vector<Tensor>;
using Graph = GraphBuilder&;

/// The function compiled for the device gives the expected element type, shape and values.
inline void expect_value(const Case& test, const std::string& device) {
  GraphBuilder graph;
  std::vector<Tensor> inputs;
  for (const HostTensor& input : test.inputs)
    inputs.push_back(
        graph.input("x" + std::to_string(inputs.size()), input.element, shape_of(input)));
  graph.output("y", test.build(graph, inputs));
  auto session = Session::compile(graph.finish(), {.device = device});
  ASSERT_TRUE(session.has_value()) << session.error().to_string();
  const auto outputs = session->run(test.inputs);
  ASSERT_TRUE(outputs.has_value()) << outputs.error().to_string();
  const HostTensor& found = outputs->at(0);
  EXPECT_EQ(found.element, test.expected.element);
  ASSERT_EQ(found.shape, test.expected.shape);
  for (std::int64_t index = 0; index < found.count(); ++index)
    EXPECT_NEAR(found.at(index), test.expected.at(index),
                1e-6 * std::max(1.0, std::abs(test.expected.at(index))))
        << "element " << index;
}

/// Builds a mistake on inputs x: f32 [2, 3], y: f32 [4], i: i32 [3], n: f32 [n, 3].
struct Mistake {
  GraphBuilder graph;
  Tensor x = graph.input("x", f32, {2, 3});
  Tensor y = graph.input("y", f32, {4});
  Tensor i = graph.input("i", i32, {3});
  Tensor n = graph.input("n", f32, {dimension("n"), 3});
};

/// The error of one call that must say so and name the call's line.
#define EXPECT_MISTAKE(call, text)                                         \
  do {                                                                     \
    Mistake m;                                                             \
    const std::uint32_t line = __LINE__;                                   \
    call;                                                                  \
    ASSERT_NE(m.graph.error(), nullptr) << #call;                          \
    EXPECT_EQ(m.graph.error()->where.line, line) << #call;                 \
    EXPECT_EQ(m.graph.error()->where.file, __FILE__) << #call;             \
    EXPECT_EQ(m.graph.error()->code, ErrorCode::invalid_input) << #call;   \
    EXPECT_NE(m.graph.error()->to_string().find(text), std::string::npos)  \
        << #call << ": " << m.graph.error()->to_string();                  \
    m.graph.output("never", m.x);                                          \
    const Result<Program> program = m.graph.finish();                      \
    ASSERT_FALSE(program.has_value()) << #call;                            \
    EXPECT_EQ(program.error().message, m.graph.error()->message) << #call; \
  } while (false)

}  // namespace accy::graph_fixture
