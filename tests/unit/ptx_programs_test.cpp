// The PTX of whole programs assembles for every architecture, without warning, spill or stack.
#include "support/programs.hpp"
#include "support/ptxas.hpp"
#include "support/stages.hpp"
#include "targets/registry.hpp"

namespace accy::test {
namespace {

using preparation::Stage;

class PtxProgramsTest : public testing::TestWithParam<std::string> {};

TEST_P(PtxProgramsTest, AssemblesClean) {
  const auto ptxas = find_ptxas();
  if (!ptxas) GTEST_SKIP() << "ptxas is neither in PATH nor in /usr/local/cuda/bin";
  const auto profile = targets::find_profile("cuda:" + GetParam());
  ASSERT_TRUE(profile.has_value()) << profile.error().to_string();
  preparation::PreparationOptions options;
  options.profile = &*profile;
  options.backend = targets::find_backend("cuda");
  std::size_t assembled = 0;
  for (const Program& program : programs()) {
    const auto module = prepare(program.text, options);
    ASSERT_TRUE(module.has_value()) << program.name << ": " << module.error().to_string();
    for (const choir::Operation* code : module->stage(Stage::target)->module().body().operations()) {
      if (code->name() != "target.code") continue;
      const PtxasReport report =
          assemble(*ptxas, std::string(code->attribute("code").text()), GetParam());
      EXPECT_TRUE(report.clean()) << program.name << " @" << code->symbol() << ": " << report.output;
      ++assembled;
    }
  }
  EXPECT_GT(assembled, 30U);
}

INSTANTIATE_TEST_SUITE_P(Architectures, PtxProgramsTest,
                         testing::Values("sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_90a",
                                         "sm_100", "sm_120"),
                         [](const auto& tested) { return tested.param; });

}  // namespace
}  // namespace accy::test
