// The plan's hazard checker, and that every barrier it puts in is needed.
#include "runtime/hazards.hpp"

#include <gtest/gtest.h>

#include "runtime/launch_plan.hpp"
#include "support/stages.hpp"
#include "targets/registry.hpp"

namespace accy::runtime {
namespace {

LaunchStep launch(std::vector<BufferArgument> buffers) {
  return {.kernel = 0, .grid = {1, 1, 1}, .buffers = std::move(buffers), .scalars = {}, .label = {}};
}
BufferArgument reads(std::size_t slot, std::int64_t offset, std::int64_t size) {
  return {{slot, offset, size}, Access::read, 0};
}
BufferArgument writes(std::size_t slot, std::int64_t offset, std::int64_t size) {
  return {{slot, offset, size}, Access::write, 0};
}

TEST(Hazards, FindsEachKind) {
  struct Case {
    BufferArgument first, second;
    const char* reason;  // null: no hazard
  };
  const Case cases[] = {
      {writes(0, 0, 16), reads(0, 0, 16), "read after write of slot 0, bytes 0 to 16"},
      {reads(0, 0, 16), writes(0, 8, 16), "write after read of slot 0, bytes 8 to 16"},
      {writes(0, 0, 16), writes(0, 15, 1), "write after write of slot 0, bytes 15 to 16"},
      {reads(0, 0, 16), reads(0, 0, 16), nullptr},
      {writes(0, 0, 16), reads(0, 16, 16), nullptr},
      {writes(0, 0, 16), reads(1, 0, 16), nullptr},
      {writes(0, 0, 0), reads(0, 0, 16), nullptr},
  };
  for (const Case& one : cases) {
    const PlanDescription plan{2, {launch({one.first}), launch({one.second})}};
    const auto hazards = find_hazards(plan);
    if (one.reason == nullptr) {
      EXPECT_TRUE(hazards.empty());
      EXPECT_EQ(with_barriers(plan).steps.size(), 2U);
      continue;
    }
    ASSERT_EQ(hazards.size(), 1U);
    EXPECT_EQ(hazards[0].reason, one.reason);
    EXPECT_FALSE(check_hazards(plan).has_value());
    EXPECT_TRUE(check_hazards(with_barriers(plan)).has_value());
  }
}

TEST(Hazards, ACopyReadsItsSourceAndWritesItsDestination) {
  const PlanDescription plan{2, {CopyStep{{0, 0, 8}, {1, 0, 8}}, launch({writes(0, 0, 4)}),
                                 launch({reads(1, 4, 4)})}};
  EXPECT_EQ(find_hazards(plan).size(), 2U);
}

/// Removes each barrier of a real plan in turn: the checker must report every one.
TEST(Hazards, EveryBarrierOfAProgramIsNeeded) {
  constexpr std::string_view program = R"(choir semantic v1 {}
tensor.func @main {inputs = ["a", "w", "v"], outputs = ["y", "z"]} (%a: tensor<f32, [16, 16]>, %w: tensor<f32, [16, 16]>, %v: tensor<f32, [16, 16]>) {
  %m = tensor.matmul %a, %w
  %n = tensor.matmul %m, %v
  %y = tensor.softmax %n {axis = 1}
  %z = tensor.matmul %a, %v
  tensor.return %y, %z
}
)";
  const auto profile = targets::find_profile("interpreter:generic");
  preparation::PreparationOptions options;
  options.profile = &*profile;
  options.backend = targets::find_backend("interpreter");
  const auto module = test::prepare(program, options);
  ASSERT_TRUE(module.has_value()) << module.error().to_string();
  const auto launches =
      read_launch_program(module->stage<preparation::Stage::target>().module());
  ASSERT_TRUE(launches.has_value()) << launches.error().to_string();
  EXPECT_EQ(
      read_launch_program(module->stage<preparation::Stage::kernel>().module()).error().message,
      "module is at stage kernel, not target");
  std::size_t barriers = 0;
  for (std::size_t step = 0; step < launches->plan.steps.size(); ++step) {
    if (!std::holds_alternative<BarrierStep>(launches->plan.steps[step])) continue;
    ++barriers;
    PlanDescription mutant = launches->plan;
    mutant.steps.erase(mutant.steps.begin() + static_cast<std::ptrdiff_t>(step));
    EXPECT_FALSE(check_hazards(mutant).has_value()) << "barrier at step " << step;
  }
  EXPECT_GE(barriers, 2U);
}

}  // namespace
}  // namespace accy::runtime
