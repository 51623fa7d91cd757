#include <array>
#include <fmt/core.h>

#include "bench/bench.hpp"
#include "choir/builder.hpp"
#include "dialect/dialects.hpp"

namespace accy::bench {

namespace {

using choir::Value;

/// One step of a chain: an operation on the value before and, when it takes two, on another.
struct Step {
  std::string_view name;
  bool binary = false;
};
constexpr std::array<Step, 8> steps{{{"tensor.mul", true},
                                     {"tensor.tanh"},
                                     {"tensor.add", true},
                                     {"tensor.neg"},
                                     {"tensor.max", true},
                                     {"tensor.exp"},
                                     {"tensor.sub", true},
                                     {"tensor.abs"}}};

constexpr std::array<Step, 8> arithmetic_steps{{{"tensor.mul", true},
                                                {"tensor.neg"},
                                                {"tensor.add", true},
                                                {"tensor.abs"},
                                                {"tensor.max", true},
                                                {"tensor.neg"},
                                                {"tensor.sub", true},
                                                {"tensor.abs"}}};

}  // namespace

choir::Module build_module(std::size_t operations) {
  choir::Module module(registry(), "semantic");
  choir::Context& context = module.context();
  const std::array shape{context.integer(64), context.integer(64)};
  const choir::Type type =
      context.type("tensor", std::array{context.word("f32"), context.array(shape)});
  const std::array names{context.string("x"), context.string("y")};
  choir::Builder builder(module.body());
  choir::Operation* function =
      builder.create("tensor.func", {}, {},
                     {{"symbol", context.symbol("main")},
                      {"inputs", context.array(names)},
                      {"outputs", context.array(std::array{context.string("z")})}});
  builder.set_insertion_point_to_end(function->body());
  Value* const x = function->body().add_argument(type);
  Value* older = function->body().add_argument(type);
  Value* current = x;
  const std::array permutation{std::int64_t{1}, std::int64_t{0}};
  for (std::size_t index = 0; index < operations; ++index) {
    builder.set_location(
        context.location("program.choir", static_cast<std::uint32_t>(index + 3), 3));
    const Step& step = steps[index % steps.size()];
    // Every ninth has an attribute.
    Result<choir::Operation*> made =
        index % 9 == 8 ? builder.create_inferred("tensor.transpose", {current},
                                                 {{"permutation", context.integers(permutation)}})
        : step.binary  ? builder.create_inferred(step.name, {current, older})
                       : builder.create_inferred(step.name, {current});
    ACCY_ASSERT(made.has_value(), made.error().to_string());
    older = current;
    current = (*made)->result();
    current->set_name(context.intern(fmt::format("v{}", index)));
  }
  builder.create("tensor.return", {current}, {});
  return module;
}

std::string pipeline_program(std::size_t operations, Chain chain) {
  constexpr std::size_t block_operations = 50;
  const std::size_t blocks = (operations + block_operations - 1) / block_operations;
  std::string inputs = "\"x\"";
  std::string arguments = "%x: tensor<f32, [64, 64]>";
  std::string body;
  std::string current = "%x";
  std::size_t number = 0;
  const auto define = [&](const std::string& operation) {
    std::string value = fmt::format("%v{}", number++);
    body += fmt::format("  {} = {}\n", value, operation);
    return value;
  };
  for (std::size_t block = 0; block < blocks; ++block) {
    const std::size_t end = std::min(operations, (block + 1) * block_operations);
    inputs += fmt::format(", \"w{}\"", block);
    arguments += fmt::format(", %w{}: tensor<f32, [64, 64]>", block);
    const std::string entry = current;
    current = define(fmt::format("tensor.matmul {}, %w{}", current, block));
    const std::string scale = define(fmt::format("tensor.constant {{value = {}}} : tensor<f32, []>",
                                                 0.5 + static_cast<double>(block) / 64));
    const std::string other =
        define(fmt::format("tensor.broadcast {} {{axes = []}} : tensor<f32, [64, 64]>", scale));
    while (number + 1 < end) {
      const Step& step =
          (chain == Chain::functions ? steps : arithmetic_steps)[number % steps.size()];
      current = define(step.binary ? fmt::format("{} {}, {}", step.name, current, other)
                                   : fmt::format("{} {}", step.name, current));
    }
    current = define(fmt::format("tensor.add {}, {}", current, entry));
  }
  return fmt::format("choir semantic v1\ntensor.func @main {{inputs = [{}], outputs = [\"y\"]}} "
                     "({}) {{\n{}  tensor.return {}\n}}\n",
                     inputs, arguments, body, current);
}

}  // namespace accy::bench
