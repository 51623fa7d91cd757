// Evaluates tensor programs written as text on tensors of given values.
#pragma once

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <span>
#include <string>
#include <vector>

#include "choir/text.hpp"
#include "dialect/tensor/tensor.hpp"
#include "evaluate/tensor_evaluator.hpp"

namespace accy::evaluate {

using Shape = std::vector<std::int64_t>;

inline constexpr double infinity = HUGE_VAL;
inline const double nan_value = std::nan("");

inline const choir::Registry& tensor_registry() {
  static const choir::Registry made = [] {
    choir::Registry registry;
    tensor::register_tensor_dialect(registry);
    return registry;
  }();
  return made;
}

inline HostTensor make(ElementType element, Shape shape, std::vector<double> values) {
  auto made = HostTensor::from_values(element, shape, values);
  EXPECT_TRUE(made) << made.error().to_string();
  return std::move(*made);
}
inline HostTensor f32(Shape shape, std::vector<double> values) {
  return make(ElementType::f32, std::move(shape), std::move(values));
}
inline HostTensor filled(ElementType element, Shape shape, double value) {
  std::int64_t count = 1;
  for (std::int64_t size : shape) count *= size;
  return make(element, shape, std::vector<double>(static_cast<std::size_t>(count), value));
}
inline std::vector<double> values_of(const HostTensor& tensor) {
  std::vector<double> values;
  for (std::int64_t index = 0; index < tensor.count(); ++index) values.push_back(tensor.at(index));
  return values;
}

inline std::string type_of(const HostTensor& tensor) {
  return "tensor<" + std::string(to_string(tensor.element)) + ", " +
         tensor::shape_to_string(tensor.shape) + ">";
}

/// A module whose function @main takes %a, %b, ... of those tensors' types and returns %r.
inline choir::Module module_of(std::span<const HostTensor> inputs, std::string_view body,
                               std::string_view mode = "strict") {
  std::string names;
  std::string arguments;
  for (std::size_t index = 0; index < inputs.size(); ++index) {
    const std::string name(1, static_cast<char>('a' + index));
    names += (index == 0 ? "\"" : ", \"") + name + "\"";
    arguments += (index == 0 ? "%" : ", %") + name + ": " + type_of(inputs[index]);
  }
  const std::string text =
      "choir semantic v1 {numeric = {accumulate = f32, mode = " + std::string(mode) +
      ", order = free}}\ntensor.func @main {inputs = [" + names + "], outputs = [\"r\"]} (" +
      arguments + ") {\n" + std::string(body) + "\ntensor.return %r\n}\n";
  auto module = choir::parse_and_verify(text, "test.choir", tensor_registry());
  EXPECT_TRUE(module) << module.error().to_string() << "\n" << text;
  return std::move(*module);
}

inline HostTensor run(std::vector<HostTensor> inputs, std::string_view body) {
  const choir::Module module = module_of(inputs, body);
  auto outputs = evaluate(*module.lookup("main"), inputs);
  EXPECT_TRUE(outputs) << outputs.error().to_string();
  return std::move(outputs->at(0));
}

inline std::vector<double> binary(std::string_view op, const HostTensor& a, const HostTensor& b) {
  return values_of(run({a, b}, "%r = tensor." + std::string(op) + " %a, %b : " + type_of(a)));
}
inline std::vector<double> unary(std::string_view op, const HostTensor& a) {
  return values_of(run({a}, "%r = tensor." + std::string(op) + " %a : " + type_of(a)));
}

MATCHER(SameNumber, "") {
  const auto [x, y] = arg;
  return (std::isnan(x) && std::isnan(y)) || (x == y && std::signbit(x) == std::signbit(y));
}
#define EXPECT_NUMBERS(actual, ...) \
  EXPECT_THAT(actual, testing::Pointwise(SameNumber(), std::vector<double> __VA_ARGS__))

}  // namespace accy::evaluate
