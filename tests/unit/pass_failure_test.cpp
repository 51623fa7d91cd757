// Every pass of every stage fails once: the failure is recorded, what was prepared before stays
// whole, and the same program compiles afterwards. Worth running under the sanitizers.
#include <algorithm>
#include <gmock/gmock.h>
#include <set>

#include "preparation/reproducer.hpp"
#include "support/stages.hpp"
#include "targets/registry.hpp"

namespace accy::test {
namespace {

using preparation::PreparationOptions;
using preparation::Stage;

constexpr std::string_view program = R"(choir semantic v1 {dimensions = {n = {default = 12}}}
tensor.func @main {inputs = ["a", "w"], outputs = ["y", "z"]} (%a: tensor<f32, [n, 8]>, %w: tensor<f32, [8, 4]>) {
  %m = tensor.matmul %a, %w
  %y = tensor.softmax %m {axis = 1}
  %z = tensor.gelu %a
  tensor.return %y, %z
}
)";

struct FailingPass {
  std::string profile;
  Stage stage;
  std::string pass;
  bool nested;
};

void PrintTo(const FailingPass& failing, std::ostream* output) {
  *output << failing.profile << " " << failing.pass;
}

PreparationOptions options_for(const TargetProfile& profile) {
  PreparationOptions options;
  options.profile = &profile;
  options.backend = targets::find_backend(profile.target);
  return options;
}

std::vector<FailingPass> all_passes() {
  std::vector<FailingPass> list;
  for (const char* id : {"interpreter:generic", "cuda:sm_80", "vulkan:lavapipe"}) {
    const auto profile = targets::find_profile(id);
    if (!profile) continue;
    for (std::size_t index = 1; index < preparation::stage_count; ++index) {
      const auto stage = static_cast<Stage>(index);
      const auto pipeline =
          preparation::stage_pipeline(stage, options_for(*profile).recipe_arguments());
      std::set<std::string> seen;  // a pass that stands twice fails where it first runs
      for (const choir::PipelineStep& step : pipeline->steps) {
        const auto* nest = std::get_if<choir::Nest>(&step);
        for (const choir::PipelineStep& inner : nest ? nest->steps : std::vector{step}) {
          const std::string name(std::get<choir::Pass>(inner).name);
          if (seen.insert(name).second) list.push_back({id, stage, name, nest != nullptr});
        }
      }
    }
  }
  return list;
}

Result<choir::PassChange> fail_now(choir::PassContext& context) {
  choir::Operation* first = context.module.body().front();
  return fail(ErrorCode::unsupported, "made to fail", first->location().first(),
              std::string(first->name()));
}

/// Leaves an operation that uses a value which is defined behind it.
Result<choir::PassChange> break_module(choir::PassContext& context) {
  choir::Operation* broken = nullptr;
  context.module.operation().walk([&](choir::Operation& operation) {
    if (broken == nullptr && operation.operand_count() > 0 && operation.previous() != nullptr &&
        operation.operand(0)->defining_operation() == operation.previous())
      broken = &operation;
  });
  if (broken == nullptr) return fail(ErrorCode::internal, "nothing to break");
  broken->move_before(broken->previous());
  return choir::PassChange::changed;
}

using PassFunction = Result<choir::PassChange> (*)(choir::PassContext&);

void replace(std::vector<choir::PipelineStep>& steps, std::string_view name, PassFunction run) {
  for (choir::PipelineStep& step : steps) {
    if (auto* nest = std::get_if<choir::Nest>(&step))
      replace(nest->steps, name, run);
    else if (auto& pass = std::get<choir::Pass>(step); pass.name == name)
      pass.run = run;
  }
}

/// The digests of all products, or the error.
std::string digests(const PreparationOptions& options) {
  const auto module = prepare(program, options);
  if (!module) return module.error().to_string();
  std::string text;
  for (std::size_t stage = 0; stage < preparation::stage_count; ++stage)
    text += module->stage(static_cast<Stage>(stage))->address().content.to_string() + "\n";
  return text;
}

class PassFailureTest : public ::testing::TestWithParam<FailingPass> {
 protected:
  PreparationOptions failing_options(PassFunction run, choir::PassFailure& failure) {
    PreparationOptions options = options_for(profile_);
    options.failure = &failure;
    options.keep_module_text = true;
    options.edit_pipeline = [run](std::string_view stage, choir::Pipeline& pipeline) {
      if (stage == to_string(GetParam().stage)) replace(pipeline.steps, GetParam().pass, run);
    };
    return options;
  }

  TargetProfile profile_ = *targets::find_profile(GetParam().profile);
};

TEST_P(PassFailureTest, IsRecordedAndHarmless) {
  choir::PassFailure failure;
  PreparationOptions failing = failing_options(fail_now, failure);
  const std::string expected = digests(options_for(profile_));
  for (const std::size_t workers : {1, 3}) {
    failing.workers = workers;
    const std::string error = digests(failing);
    EXPECT_THAT(error, testing::HasSubstr("made to fail"));
    EXPECT_EQ(failure.pipeline, preparation::stage_pipeline_name(GetParam().stage));
    EXPECT_EQ(failure.kind, choir::FailureKind::pass_failed);
    EXPECT_EQ(failure.pass, GetParam().pass);
    EXPECT_FALSE(failure.op.empty());
    EXPECT_FALSE(failure.symbol.empty());
    EXPECT_TRUE(failure.verifier_error.empty());
    EXPECT_EQ(failure.workers, workers);
    EXPECT_THAT(failure.module_text, testing::StartsWith("choir "));
  }
  EXPECT_EQ(digests(options_for(profile_)), expected);
}

TEST_P(PassFailureTest, LeavesTheJobBeforeItAsItWas) {
  choir::PassFailure failure;
  const PreparationOptions failing = failing_options(fail_now, failure);
  if (GetParam().stage != Stage::kernel && GetParam().stage != Stage::target) return;
  auto memory = preparation::prepare_memory_job_from_semantic_module(
      *semantic::parse_semantic_module(program, "p.choir"), options_for(profile_));
  ASSERT_TRUE(memory.has_value()) << memory.error().to_string();
  const std::string before = choir::print(memory->module());
  EXPECT_FALSE(preparation::prepare_target_job_from_memory_job(memory->fork(), failing));
  EXPECT_EQ(choir::print(memory->module()), before);
  EXPECT_TRUE(
      preparation::prepare_target_job_from_memory_job(std::move(*memory), options_for(profile_)));
}

TEST_P(PassFailureTest, ABrokenModuleNamesItsPass) {
  choir::PassFailure failure;
  PreparationOptions breaking = failing_options(break_module, failure);
  const std::string error = digests(breaking);
  if (error.find("nothing to break") != std::string::npos)
    GTEST_SKIP() << "the module has no operation that can be moved";
  EXPECT_EQ(failure.kind, choir::FailureKind::verifier_failed) << error;
  EXPECT_EQ(failure.pass, GetParam().pass);
  EXPECT_FALSE(failure.verifier_error.empty());
}

/// The failing pass is not the registered one, so that only the form is checked here.
TEST_P(PassFailureTest, LeavesAReproducerThatReads) {
  choir::PassFailure failure;
  EXPECT_THAT(digests(failing_options(fail_now, failure)), testing::HasSubstr("made to fail"));
  const preparation::Reproducer written{failure, profile_, "this one"};
  const std::string text = preparation::format_reproducer(written);
  const auto read = preparation::parse_reproducer(text, "r.choir");
  ASSERT_TRUE(read.has_value()) << read.error().to_string();
  EXPECT_EQ(read->failure.pass, failure.pass);
  EXPECT_EQ(read->failure.steps, failure.steps);
  EXPECT_EQ(read->failure.error, failure.error);
  EXPECT_EQ(read->profile, profile_);
  EXPECT_EQ(read->compiler, "this one");
  const auto seen =
      preparation::reproduce(*read, "r.choir", targets::find_backend(profile_.target));
  ASSERT_TRUE(seen.has_value()) << seen.error().to_string();
  EXPECT_FALSE(seen->has_value()) << "the registered pass does not fail";
}

INSTANTIATE_TEST_SUITE_P(Passes, PassFailureTest, ::testing::ValuesIn(all_passes()),
                         [](const auto& tested) {
                           std::string name = tested.param.profile + "_" +
                                              std::string(to_string(tested.param.stage)) + "_" +
                                              tested.param.pass;
                           std::ranges::replace_if(
                               name, [](char c) { return c == ':' || c == '-'; }, '_');
                           return name;
                         });

}  // namespace
}  // namespace accy::test
