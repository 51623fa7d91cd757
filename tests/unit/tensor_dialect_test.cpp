// Types, shape inference and its messages, attributes, expansion, of the tensor dialect.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "choir/text.hpp"
#include "dialect/tensor/constant.hpp"
#include "dialect/tensor/evaluation.hpp"
#include "dialect/tensor/tensor.hpp"

namespace accy::tensor {
namespace {

using testing::HasSubstr;

const choir::Registry& tensor_registry() {
  static const choir::Registry made = [] {
    choir::Registry registry;
    register_tensor_dialect(registry);
    return registry;
  }();
  return made;
}

/// A function of those arguments whose body is the text, and that returns %r.
std::string program(std::string_view arguments, std::string_view body) {
  std::string inputs;
  for (char c : arguments)
    if (c == '%')
      inputs += (inputs.empty() ? "\"i" : ", \"i") + std::to_string(inputs.size()) + '"';
  return "choir semantic v1\ntensor.func @main {inputs = [" + inputs +
         "], outputs = [\"r\"]} (" + std::string(arguments) + ") {\n" + std::string(body) +
         "\ntensor.return %r\n}\n";
}

std::string error_of(const std::string& text) {
  const auto module = choir::parse_and_verify(text, "test.choir", tensor_registry());
  return module ? "" : module.error().to_string();
}

void expect_error(std::string_view arguments, std::string_view body, std::string_view message) {
  EXPECT_THAT(error_of(program(arguments, body)), HasSubstr(std::string(message)))
      << arguments << " | " << body;
}

void expect_valid(std::string_view arguments, std::string_view body) {
  EXPECT_EQ(error_of(program(arguments, body)), "");
}

TEST(TensorType, RoundTripsThroughItsParts) {
  choir::Context context(tensor_registry());
  const Dimension shape[] = {{0, "n"}, {64, {}}};
  const TensorType type = TensorType::get(context, ElementType::f32, shape);
  EXPECT_EQ(choir::print(type.type()), "tensor<f32, [n, 64]>");
  EXPECT_EQ(type_to_string(type), "tensor<f32, [n, 64]>");
  EXPECT_EQ(type.rank(), 2U);
  EXPECT_TRUE(type.dimension(0).is_symbol());
  EXPECT_EQ(type.dimension(1).size, 64);
  EXPECT_FALSE(type.is_static());
  EXPECT_EQ(TensorType::from(type.type()), type);
  EXPECT_EQ(TensorType::get(context, ElementType::f32, type.shape()), type);
  const std::int64_t sizes[] = {2, 3};
  EXPECT_EQ(TensorType::get(context, ElementType::i8, sizes).static_shape(),
            (std::vector<std::int64_t>{2, 3}));
  const TensorType scalar =
      TensorType::get(context, ElementType::boolean, std::span<const std::int64_t>());
  EXPECT_EQ(choir::print(scalar.type()), "tensor<bool, []>");
  EXPECT_TRUE(scalar.is_static());
  EXPECT_FALSE(TensorType::from(context.type("f32")));
}

TEST(TensorType, RefusesMalformedParameters) {
  expect_error("%x: tensor<f31, [2]>", "%r = tensor.neg %x : tensor<f31, [2]>",
               "unknown element type (f31)");
  expect_error("%x: tensor<f32, [-1]>", "%r = tensor.neg %x : tensor<f32, [-1]>",
               "dimension (-1) is outside 0 to 1099511627776");
  expect_error("%x: tensor<f32, [1,1,1,1,1,1,1,1,1]>",
               "%r = tensor.neg %x : tensor<f32, [1,1,1,1,1,1,1,1,1]>",
               "rank (9) exceeds the limit (8)");
  expect_error("%x: tensor<f32, [1048576, 1048576, 2]>",
               "%r = tensor.neg %x : tensor<f32, [1048576, 1048576, 2]>", "exceeds the limit");
  expect_error("%x: tensor<f32>", "%r = tensor.neg %x : tensor<f32>", "has 1 parameters");
}

TEST(TensorOps, EveryOpHasASummaryAndAMeaning) {
  for (const choir::OperationDefinition* definition : tensor_registry().operations()) {
    if (!definition->name.starts_with("tensor.")) continue;
    EXPECT_FALSE(definition->summary.empty()) << definition->name;
    EXPECT_NE(definition->interface<Attributes>(), nullptr) << definition->name;
    const bool computes = definition->interface<Evaluation>() != nullptr ||
                          definition->interface<Expansion>() != nullptr;
    const bool structural =
        definition->name == "tensor.func" || definition->name == "tensor.return";
    EXPECT_NE(computes, structural) << definition->name;
  }
}

TEST(TensorOps, ElementwiseTypesMustBeEqual) {
  expect_valid("%x: tensor<f32, [n]>, %y: tensor<f32, [n]>",
               "%r = tensor.add %x, %y : tensor<f32, [n]>");
  expect_error("%x: tensor<f32, [4]>, %y: tensor<f32, [5]>",
               "%r = tensor.add %x, %y : tensor<f32, [4]>",
               "operand types differ (tensor<f32, [4]> and tensor<f32, [5]>)");
  expect_error("%x: tensor<f32, [n]>, %y: tensor<f32, [m]>",
               "%r = tensor.max %x, %y : tensor<f32, [n]>",
               "tensor<f32, [n]> and tensor<f32, [m]>");
  expect_error("%x: tensor<f32, [4]>, %y: tensor<f16, [4]>",
               "%r = tensor.mul %x, %y : tensor<f32, [4]>", "operand types differ");
  expect_error("%x: tensor<bool, [4]>, %y: tensor<bool, [4]>",
               "%r = tensor.sub %x, %y : tensor<bool, [4]>",
               "operand is tensor<bool, [4]>, expected a numeric element type");
  expect_error("%x: tensor<i32, [4]>", "%r = tensor.exp %x : tensor<i32, [4]>",
               "operand is tensor<i32, [4]>, expected a float element type");
}

TEST(TensorOps, CompareAndSelect) {
  expect_valid("%x: tensor<i32, [2]>, %y: tensor<i32, [2]>",
               "%r = tensor.compare %x, %y {predicate = lt} : tensor<bool, [2]>");
  expect_error("%x: tensor<i32, [2]>, %y: tensor<i32, [2]>",
               "%r = tensor.compare %x, %y {predicate = less} : tensor<bool, [2]>",
               "predicate is (less), expected one of eq, ne, lt, le, gt, ge");
  expect_error("%x: tensor<i32, [2]>, %y: tensor<i32, [2]>",
               "%r = tensor.compare %x, %y : tensor<bool, [2]>", "attribute predicate is missing");
  expect_error("%x: tensor<bool, [2]>, %y: tensor<bool, [2]>",
               "%r = tensor.compare %x, %y {predicate = lt} : tensor<bool, [2]>", "has no order");
  expect_error("%c: tensor<bool, [3]>, %x: tensor<i32, [2]>",
               "%r = tensor.select %c, %x, %x : tensor<i32, [2]>",
               "condition has shape [3], but the values have [2]");
  expect_error("%x: tensor<i32, [2]>", "%r = tensor.select %x, %x, %x : tensor<i32, [2]>",
               "condition is tensor<i32, [2]>, expected bool elements");
}

TEST(TensorOps, Broadcast) {
  expect_valid("%x: tensor<f32, [n, 1]>",
               "%r = tensor.broadcast %x {axes = [1, 2]} : tensor<f32, [4, n, 7]>");
  expect_valid("%x: tensor<f32, []>", "%r = tensor.broadcast %x {axes = []} : tensor<f32, [2, 3]>");
  expect_error("%x: tensor<f32, [2]>",
               "%r = tensor.broadcast %x {axes = [0]} : tensor<f32, [3, 2]>",
               "operand axis 0 of size (2) is neither 1 nor the size of result axis 0 (3)");
  expect_error("%x: tensor<f32, [2, 3]>",
               "%r = tensor.broadcast %x {axes = [1, 0]} : tensor<f32, [3, 2]>",
               "axes is not increasing (0 after 1)");
  expect_error("%x: tensor<f32, [2]>",
               "%r = tensor.broadcast %x {axes = [2]} : tensor<f32, [3, 2]>",
               "axes names axis (2) of a tensor of rank 2");
  expect_error("%x: tensor<f32, [2]>",
               "%r = tensor.broadcast %x {axes = []} : tensor<f32, [3, 2]>",
               "axes holds 0 axes for an operand of rank 1");
  expect_error("%x: tensor<f32, [m]>", "%r = tensor.broadcast %x {axes = [0]} : tensor<f32, [n]>",
               "(m) is neither 1 nor the size of result axis 0 (n)");
}

TEST(TensorOps, ReshapeAndTransposeAndCast) {
  expect_valid("%x: tensor<f32, [n, 4, 6]>", "%r = tensor.reshape %x : tensor<f32, [8, n, 3]>");
  expect_error("%x: tensor<f32, [2, 3]>", "%r = tensor.reshape %x : tensor<f32, [7]>",
               "element count from [2, 3] to [7]");
  expect_error("%x: tensor<f32, [n, 3]>", "%r = tensor.reshape %x : tensor<f32, [m, 3]>",
               "element count from [n, 3] to [m, 3]");
  expect_valid("%x: tensor<f32, [2, n]>",
               "%r = tensor.transpose %x {permutation = [1, 0]} : tensor<f32, [n, 2]>");
  expect_error("%x: tensor<f32, [2, 3]>",
               "%r = tensor.transpose %x {permutation = [1, 1]} : tensor<f32, [3, 3]>",
               "permutation names axis (1) twice");
  expect_error("%x: tensor<f32, [2, 3]>",
               "%r = tensor.transpose %x {permutation = [1]} : tensor<f32, [3]>",
               "permutation holds 1 axes for an operand of rank 2");
  expect_error("%x: tensor<f32, [2, 3]>", "%r = tensor.cast %x : tensor<f16, [3, 2]>",
               "cast changes the shape from [2, 3] to [3, 2]");
}

TEST(TensorOps, Reduce) {
  expect_valid("%x: tensor<f16, [n, 3, 4]>",
               "%r = tensor.reduce %x {axes = [0, 2], function = sum, order = fixed} : "
               "tensor<f16, [3]>");
  expect_error("%x: tensor<f32, [2]>",
               "%r = tensor.reduce %x {axes = [1], function = sum} : tensor<f32, []>",
               "axes names axis (1) of a tensor of rank 1");
  expect_error("%x: tensor<f32, [2]>",
               "%r = tensor.reduce %x {axes = [0], function = median} : tensor<f32, []>",
               "function is (median), expected one of sum, product, max, min");
  expect_error("%x: tensor<f32, [2]>",
               "%r = tensor.reduce %x {accumulate = f16, axes = [0], function = sum} : "
               "tensor<f32, []>",
               "accumulate (f16) cannot hold the element type (f32)");
  expect_error("%x: tensor<f32, [2]>",
               "%r = tensor.reduce %x {axes = [0], function = sum, ordre = fixed} : "
               "tensor<f32, []>",
               "attribute ordre is unknown");
  expect_error("%x: tensor<f32, [2, 3]>",
               "%r = tensor.reduce %x {axes = [0], function = sum} : tensor<f32, [2]>",
               "inference says tensor<f32, [3]>");
}

TEST(TensorOps, Matmul) {
  expect_valid("%a: tensor<f32, [b, 2, 3]>, %b: tensor<f32, [b, 3, 4]>",
               "%r = tensor.matmul %a, %b : tensor<f32, [b, 2, 4]>");
  expect_valid("%a: tensor<f32, [b, 2, 3]>, %b: tensor<f32, [3, 4]>",
               "%r = tensor.matmul %a, %b : tensor<f32, [b, 2, 4]>");
  expect_error("%a: tensor<f32, [2, 3]>, %b: tensor<f32, [4, 5]>",
               "%r = tensor.matmul %a, %b : tensor<f32, [2, 5]>",
               "inner sizes differ (3 columns, 4 rows)");
  expect_error("%a: tensor<f32, [6, 2, 3]>, %b: tensor<f32, [7, 3, 5]>",
               "%r = tensor.matmul %a, %b : tensor<f32, [6, 2, 5]>",
               "batch axis 0 differs (6 and 7)");
  expect_error("%a: tensor<f32, [2]>, %b: tensor<f32, [2, 5]>",
               "%r = tensor.matmul %a, %b : tensor<f32, [5]>", "matmul takes matrices");
  expect_error("%a: tensor<f32, [2, 3]>, %b: tensor<f16, [3, 5]>",
               "%r = tensor.matmul %a, %b : tensor<f32, [2, 5]>",
               "element types differ (f32 and f16)");
}

TEST(TensorOps, Constants) {
  expect_valid("", "%r = tensor.constant {value = 1.5} : tensor<f32, [n, 2]>");
  expect_valid("", "%r = tensor.constant {value = [[1, 2], [3, 4]]} : tensor<f32, [2, 2]>");
  expect_valid("", "%r = tensor.constant {value = [1, 2, 3, 4]} : tensor<u8, [2, 2]>");
  expect_valid("", "%r = tensor.constant {value = x\"0000803f\"} : tensor<f32, [1]>");
  expect_error("", "%r = tensor.constant {value = [1, 2]} : tensor<i32, [3]>",
               "constant of shape [3] takes 3 values, not 2");
  expect_error("", "%r = tensor.constant {value = [[1, 2, 3], [4]]} : tensor<i32, [2, 2]>",
               "holds 3 entries along an axis of size 2");
  expect_error("", "%r = tensor.constant {value = 300} : tensor<u8, [1]>",
               "constant (300) is outside the range of u8");
  expect_error("", "%r = tensor.constant {value = -129} : tensor<i8, [1]>",
               "constant (-129) is outside the range of i8");
  expect_error("", "%r = tensor.constant {value = 1.5} : tensor<i32, [1]>",
               "constant of i32 holds a floating-point number");
  expect_error("", "%r = tensor.constant {value = 1} : tensor<bool, [1]>", "holds a number");
  expect_error("", "%r = tensor.constant {value = x\"00\"} : tensor<f32, [1]>",
               "takes 4 bytes, not 1");
  expect_error("", "%r = tensor.constant {value = x\"02\"} : tensor<bool, [1]>", "not 0 or 1");
  expect_error("", "%r = tensor.constant {value = [1, 2]} : tensor<i32, [n]>", "has a symbol");
}

TEST(TensorOps, Functions) {
  const auto with_names = [](std::string_view inputs, std::string_view outputs) {
    return error_of("choir semantic v1\ntensor.func @main {inputs = " + std::string(inputs) +
                    ", outputs = " + std::string(outputs) +
                    "} (%a: tensor<f32, [2]>, %b: tensor<f32, [2]>) {\ntensor.return %a\n}\n");
  };
  EXPECT_EQ(with_names("[\"a\", \"b\"]", "[\"c\"]"), "");
  EXPECT_THAT(with_names("[\"a\", \"a\"]", "[\"c\"]"), HasSubstr("inputs names (a) twice"));
  EXPECT_THAT(with_names("[\"a\"]", "[\"c\"]"), HasSubstr("inputs holds 1 names for 2 values"));
  EXPECT_THAT(with_names("[\"a\", \"b\"]", "[]"), HasSubstr("outputs holds 0 names for 1 values"));
  EXPECT_THAT(with_names("[\"a\", b]", "[\"c\"]"), HasSubstr("no string"));
}

TEST(TensorOps, ErrorsHaveThePlace) {
  const std::string text = error_of(program("%x: tensor<f32, [4]>, %y: tensor<f32, [5]>",
                                            "%r = tensor.add %x, %y : tensor<f32, [4]>"));
  EXPECT_THAT(text, HasSubstr("test.choir:3:"));
  EXPECT_THAT(text, HasSubstr("tensor.add"));
}

TEST(TensorOps, SoftmaxExpandsIntoPrimitives) {
  auto module = choir::parse_and_verify(
      program("%x: tensor<f16, [n, 4]>", "%r = tensor.softmax %x {axis = 1} : tensor<f16, [n, 4]>"),
      "test.choir", tensor_registry());
  ASSERT_TRUE(module) << module.error().to_string();
  choir::Operation* softmax = module->lookup("main")->body().front();
  ASSERT_TRUE(softmax->is(definition<Softmax>()));
  choir::Builder builder(softmax);
  auto value = softmax->definition().interface<Expansion>()->expand(*softmax, builder);
  ASSERT_TRUE(value);
  softmax->result()->replace_all_uses_with(*value);
  softmax->erase();
  const Status valid = choir::verify(*module);
  ASSERT_TRUE(valid) << valid.error().to_string();
  std::vector<std::string> names;
  for (const choir::Operation* operation : module->lookup("main")->body().operations())
    names.emplace_back(operation->name());
  EXPECT_THAT(names, testing::ElementsAre("tensor.cast", "tensor.reduce", "tensor.broadcast",
                                          "tensor.sub", "tensor.exp", "tensor.reduce",
                                          "tensor.broadcast", "tensor.div", "tensor.cast",
                                          "tensor.return"));
}

TEST(TensorOps, ConstantsSurviveCreation) {
  choir::Module module(tensor_registry(), "semantic");
  choir::Builder builder(module.body());
  const double numbers[] = {1, 2, 3, 4};
  const double same[] = {0.1, 0.1, 0.1, 0.1};
  const std::int64_t shape[] = {2, 2};
  for (ElementType element : {ElementType::i8, ElementType::u64, ElementType::f16,
                              ElementType::f32, ElementType::f64, ElementType::boolean})
    for (const auto& values : {numbers, same}) {
      const auto tensor = HostTensor::from_values(element, shape, std::span(values, 4));
      ASSERT_TRUE(tensor);
      const choir::Operation* constant = create_constant(builder, *tensor);
      const auto read = constant_value(*constant, shape);
      ASSERT_TRUE(read) << read.error().to_string();
      EXPECT_EQ(*read, *tensor) << to_string(element);
    }
  const Status valid = choir::verify(module);
  EXPECT_TRUE(valid) << valid.error().to_string();
}

}  // namespace
}  // namespace accy::tensor
