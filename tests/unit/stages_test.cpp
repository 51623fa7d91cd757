// Whole programs through all stages: every product prints, parses, verifies and evaluates to the
// same values as the one before it.
#include "support/programs.hpp"
#include "support/stages.hpp"

#include "dialect/host/host.hpp"
#include "frontend/folder_weights.hpp"
#include "targets/registry.hpp"

#include <fstream>
#include <sstream>

namespace accy::test {
namespace {

using preparation::BackendPreparedModule;
using preparation::PreparationOptions;
using preparation::Stage;

PreparationOptions options_for(const TargetProfile& profile) {
  PreparationOptions options;
  options.profile = &profile;
  options.backend = targets::find_backend(profile.target);
  return options;
}

class StagesTest : public testing::TestWithParam<std::tuple<std::string, Program>> {};

TEST_P(StagesTest, EveryProductAgreesWithTheOneBefore) {
  const auto& [profile_name, program] = GetParam();
  const auto profile = targets::find_profile(profile_name);
  ASSERT_TRUE(profile.has_value()) << profile.error().to_string();
  const auto module = prepare(program.text, options_for(*profile));
  if (!module && profile_name == "vulkan:generic" && !program.generic_lacks.empty()) {
    // A portable profile promises neither a rounding mode nor f64: what needs them is refused by name.
    EXPECT_EQ(module.error().code, ErrorCode::unsupported);
    EXPECT_NE(module.error().to_string().find(program.generic_lacks), std::string::npos)
        << module.error().to_string();
    return;
  }
  ASSERT_TRUE(module.has_value()) << module.error().to_string();
  expect_round_trips(*module);
  const auto inputs = random_inputs(module->stage<Stage::contract>().module(), 7);
  expect_stages_agree(*module, inputs, tensor::NoWeights(), program.exact);
}

INSTANTIATE_TEST_SUITE_P(
    Programs, StagesTest,
    testing::Combine(testing::Values("interpreter:generic", "vulkan:lavapipe", "vulkan:generic",
                                     "cuda:sm_75", "cuda:sm_90a"),
                     testing::ValuesIn(programs())),
    [](const auto& tested) {
      std::string name = std::get<0>(tested.param) + "_" + std::get<1>(tested.param).name;
      for (char& letter : name)
        if (letter == ':') letter = '_';
      return name;
    });

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::size_t launches(const BackendPreparedModule& module) {
  std::size_t count = 0;
  for (const choir::Operation* operation :
       host::find_function(module.stage<Stage::target>().module())->body().operations())
    count += operation->name() == "host.launch" ? 1 : 0;
  return count;
}

TEST(Digits, EveryStageAgrees) {
  const std::string folder = std::string(ACCY_SOURCE_DIR) + "/examples/digits";
  const auto profile = targets::find_profile("vulkan:lavapipe");
  ASSERT_TRUE(profile.has_value());
  PreparationOptions options = options_for(*profile);
  options.dimensions["n"] = 37;
  const auto module = prepare(read_file(folder + "/digits.choir"), options);
  ASSERT_TRUE(module.has_value()) << module.error().to_string();
  expect_round_trips(*module);
  const frontend::FolderWeights weights(folder);
  expect_stages_agree(*module, random_inputs(module->stage<Stage::contract>().module(), 3), weights,
                      false);
  EXPECT_EQ(launches(*module), 4U);  // three dense layers with their activations, and softmax
}

}  // namespace
}  // namespace accy::test
