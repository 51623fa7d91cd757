// Whole programs through the CUDA adapter on a fake driver that executes the emitted PTX on the
// CPU: results inside the wide evaluator's bounds, equal bits where the contract fixes them.
#include <map>

#include "evaluate/comparison.hpp"
#include "runtime/executable.hpp"
#include "support/fake_cuda_driver.hpp"
#include "support/programs.hpp"
#include "support/ptx_evaluator.hpp"
#include "support/stages.hpp"
#include "targets/cuda/device/device.hpp"
#include "targets/registry.hpp"

namespace accy::test {
namespace {

using preparation::Stage;

/// Executes a launch over all memory of the fake driver.
void execute(const FakeLaunch& launch) {
  std::vector<std::span<std::byte>> memory;
  for (const auto& [address, block] : FakeCudaDriver::instance().memory)
    memory.emplace_back(*block);
  try {
    PtxProgram(launch.code).run(launch.grid, launch.arguments, memory);
  } catch (const std::exception& error) {
    ADD_FAILURE() << launch.entry << ": " << error.what();
  }
}

/// The capability of the fake device: without and with the instructions of sm_80.
struct Capability {
  int major = 0;
  int minor = 0;
};

void PrintTo(const Capability& capability, std::ostream* output) {
  *output << capability.major << "." << capability.minor;
}

class CudaProgramsTest : public testing::TestWithParam<std::tuple<Capability, Program>> {};

TEST_P(CudaProgramsTest, AgreesWithTheEvaluator) {
  const auto& [capability, program] = GetParam();
  FakeCudaDriver& driver = FakeCudaDriver::instance();
  driver.reset();
  driver.major = capability.major;
  driver.minor = capability.minor;
  driver.on_launch = execute;
  {
    const auto device = cuda::open_device(FakeCudaDriver::api(), "cuda:0");
    ASSERT_TRUE(device.has_value()) << device.error().to_string();
    preparation::PreparationOptions options;
    options.profile = &(*device)->info().profile;
    options.backend = targets::find_backend("cuda");
    const auto module = prepare(program.text, options);
    ASSERT_TRUE(module.has_value()) << module.error().to_string();
    auto executable =
        runtime::Executable::load(**device, module->stage(Stage::target), tensor::NoWeights());
    ASSERT_TRUE(executable.has_value()) << executable.error().to_string();
    const choir::Module& contract = module->stage<Stage::contract>().module();
    const auto inputs = random_inputs(contract, 1);
    const auto result = (*executable)->run(inputs);
    ASSERT_TRUE(result.has_value()) << result.error().to_string();
    EXPECT_EQ(driver.launches.size(), result->kernels.size());
    const auto expected = evaluate::evaluate(*semantic::find_function(contract), inputs);
    const auto wide = evaluate::evaluate_wide(*semantic::find_function(contract), inputs);
    ASSERT_TRUE(expected.has_value() && wide.has_value());
    for (std::size_t index = 0; index < expected->size(); ++index) {
      const auto same = program.exact
                            ? evaluate::compare_exact(result->outputs[index], (*expected)[index])
                            : evaluate::compare(result->outputs[index], (*wide)[index]);
      EXPECT_TRUE(same.pass) << "output " << index << ": " << same.message;
    }
  }
  EXPECT_EQ(driver.leaks(), "");
}

INSTANTIATE_TEST_SUITE_P(Programs, CudaProgramsTest,
                         testing::Combine(testing::Values(Capability{7, 5}, Capability{9, 0}),
                                          testing::ValuesIn(programs())),
                         [](const auto& tested) {
                           const Capability& capability = std::get<0>(tested.param);
                           return "sm_" + std::to_string(capability.major) +
                                  std::to_string(capability.minor) + "_" +
                                  std::get<1>(tested.param).name;
                         });

}  // namespace
}  // namespace accy::test
