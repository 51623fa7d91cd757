// Whole programs on every device that is here: results inside the wide evaluator's bounds, equal
// bits where the contract fixes them, and replay with other inputs.
#include <cstdlib>

#include "evaluate/comparison.hpp"
#include "runtime/executable.hpp"
#include "support/programs.hpp"
#include "support/stages.hpp"
#include "targets/registry.hpp"

#ifdef ACCY_TARGET_VULKAN
#include "targets/vulkan/device/validation.hpp"
#endif

namespace accy::test {
namespace {

using preparation::Stage;

/// Opened once for the whole program; the validation layers watch every Vulkan call.
class Devices : public testing::Environment {
 public:
  void SetUp() override { setenv("ACCY_VULKAN_VALIDATION", "1", 1); }
  void TearDown() override {
    for (auto& [name, device] : open_) device.reset();
#ifdef ACCY_TARGET_VULKAN
    // Without the layer the absence of messages would prove nothing.
    if (open_.contains("vulkan:0")) {
      EXPECT_TRUE(vulkan::validation_active());
    }
    for (const vulkan::ValidationMessage& message : vulkan::validation_messages())
      ADD_FAILURE() << "validation layer: " << message.id << ": " << message.text;
#endif
  }
  static Result<runtime::Device*> get(const std::string& name) {
    if (auto found = open_.find(name); found != open_.end()) return found->second.get();
    ACCY_TRY_ASSIGN(auto device, targets::open(name));
    return open_.emplace(name, std::move(device)).first->second.get();
  }

 private:
  static inline std::map<std::string, std::unique_ptr<runtime::Device>> open_;
};

const auto* const environment = testing::AddGlobalTestEnvironment(new Devices);

class DeviceProgramsTest : public testing::TestWithParam<std::tuple<std::string, Program>> {};

TEST_P(DeviceProgramsTest, AgreesWithTheEvaluatorAndReplays) {
  const auto& [device_name, program] = GetParam();
  auto opened = Devices::get(device_name);
  if (!opened && opened.error().code == ErrorCode::not_found)
    GTEST_SKIP() << opened.error().to_string();
  ASSERT_TRUE(opened.has_value()) << opened.error().to_string();
  runtime::Device& device = **opened;
  preparation::PreparationOptions options;
  options.profile = &device.info().profile;
  options.backend = targets::find_backend(options.profile->target);
  const auto module = prepare(program.text, options);
  ASSERT_TRUE(module.has_value()) << module.error().to_string();
  auto executable =
      runtime::Executable::load(device, module->stage(Stage::target), tensor::NoWeights());
  ASSERT_TRUE(executable.has_value()) << executable.error().to_string();
  const choir::Module& contract = module->stage<Stage::contract>().module();
  for (std::uint64_t seed : {1U, 2U, 3U}) {
    const auto inputs = random_inputs(contract, seed);
    const auto result = (*executable)->run(inputs);
    ASSERT_TRUE(result.has_value()) << result.error().to_string();
    const auto expected = evaluate::evaluate(*semantic::find_function(contract), inputs);
    const auto wide = evaluate::evaluate_wide(*semantic::find_function(contract), inputs);
    ASSERT_TRUE(expected.has_value() && wide.has_value());
    for (std::size_t index = 0; index < expected->size(); ++index) {
      const auto same = program.exact
                            ? evaluate::compare_exact(result->outputs[index], (*expected)[index])
                            : evaluate::compare(result->outputs[index], (*wide)[index]);
      EXPECT_TRUE(same.pass) << "seed " << seed << ", output " << index << ": " << same.message;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Programs, DeviceProgramsTest,
                         testing::Combine(testing::Values("interpreter", "vulkan:0", "cuda:0"),
                                          testing::ValuesIn(programs())),
                         [](const auto& tested) {
                           std::string name =
                               std::get<0>(tested.param) + "_" + std::get<1>(tested.param).name;
                           for (char& letter : name)
                             if (letter == ':') letter = '_';
                           return name;
                         });

}  // namespace
}  // namespace accy::test
