// Jobs, revisions, keys and the prepared module.
#include <gmock/gmock.h>

#include "choir/text.hpp"
#include "dialect/dialects.hpp"
#include "support/stages.hpp"
#include "targets/registry.hpp"

namespace accy::test {
namespace {

using preparation::BackendPreparedModule;
using preparation::PreparationOptions;
using preparation::Stage;

constexpr std::string_view program = R"(choir semantic v1 {dimensions = {n = {default = 12}}}
tensor.func @main {inputs = ["a", "w"], outputs = ["y"]} (%a: tensor<f32, [n, 8]>, %w: tensor<f32, [8, 4]>) {
  %m = tensor.matmul %a, %w
  %y = tensor.softmax %m {axis = 1}
  tensor.return %y
}
)";

TargetProfile profile_named(std::string_view id) { return *targets::find_profile(id); }

PreparationOptions options_for(const TargetProfile& profile) {
  PreparationOptions options;
  options.profile = &profile;
  options.backend = targets::find_backend(profile.target);
  return options;
}

std::string error_of(std::string_view text, const TargetProfile& profile) {
  const auto module = prepare(text, options_for(profile));
  return module ? "" : module.error().to_string();
}

TEST(ProfileLimits, AreNamedWhenAScheduleNeedsMore) {
  TargetProfile small = profile_named("vulkan:lavapipe");
  small.workgroup_invocations_maximum = 16;
  EXPECT_THAT(error_of(R"(choir semantic v1 {numeric = {order = fixed}}
tensor.func @main {inputs = ["a"], outputs = ["y"]} (%a: tensor<f32, [4096]>) {
  %y = tensor.reduce %a {axes = [0], function = sum}
  tensor.return %y
}
)",
                       small),
              testing::HasSubstr("a reduction of fixed order needs 32 invocations, "
                                 "workgroup_invocations_maximum is 16"));
  TargetProfile narrow = profile_named("vulkan:lavapipe");
  narrow.grid_size_maximum = {2, 1, 1};
  EXPECT_THAT(error_of(R"(choir semantic v1
tensor.func @main {inputs = ["a"], outputs = ["y"]} (%a: tensor<f32, [1048576]>) {
  %y = tensor.exp %a
  tensor.return %y
}
)",
                       narrow),
              testing::HasSubstr("workgroups exceeds the profile's grid_size_maximum (2 x 1 x 1)"));
}

TEST(Preparation, AsksForProfileAndBackend) {
  const TargetProfile profile = profile_named("interpreter:generic");
  PreparationOptions options = options_for(profile);
  options.profile = nullptr;
  EXPECT_EQ(prepare(program, options).error().message, "the kernel stage needs a target profile");
  options = options_for(profile);
  options.backend = nullptr;
  EXPECT_EQ(prepare(program, options).error().message,
            "no backend is given that emits for profile interpreter:generic");
}

TEST(HostEvaluator, RefusesInputsOfAnotherType) {
  const auto module = prepare(program, options_for(profile_named("interpreter:generic")));
  ASSERT_TRUE(module.has_value()) << module.error().to_string();
  const std::int64_t shape[] = {12, 7};
  const std::vector<HostTensor> inputs(2, *HostTensor::zeros(ElementType::f32, shape));
  const auto outputs = evaluate_stage(*module, Stage::kernel, inputs, tensor::NoWeights());
  ASSERT_FALSE(outputs.has_value());
  EXPECT_EQ(outputs.error().message, "input 0 is f32[12, 7], the program takes f32[12, 8]");
}

/// A pass that works once: proof that the stage it was added to ran once.
class OnlyOnce {
 public:
  explicit OnlyOnce(std::string_view stage) : stage_(stage) {}
  void operator()(std::string_view stage, choir::Pipeline& pipeline) const {
    if (stage != stage_) return;
    pipeline.add({.name = "test-only-once",
                  .description = "fails on its second run",
                  .options = {},
                  .run = [runs = runs_](choir::PassContext&) -> Result<choir::PassChange> {
                    if (++*runs > 1) return fail(ErrorCode::internal, "ran a second time");
                    return choir::PassChange::unchanged;
                  },
                  .preserved = {}});
  }

 private:
  std::string stage_;
  std::shared_ptr<int> runs_ = std::make_shared<int>(0);
};

TEST(Fork, TwoTargetsShareTheFirstFiveRevisions) {
  const TargetProfile cuda = profile_named("cuda:sm_90a");
  const TargetProfile vulkan = profile_named("vulkan:generic");
  for (std::string_view stage : {"contract", "tensor", "dispatch", "memory"}) {
    PreparationOptions options = options_for(cuda);
    options.edit_pipeline = OnlyOnce(stage);
    auto semantic = semantic::parse_semantic_module(program, "p.choir");
    ASSERT_TRUE(semantic.has_value());
    auto memory = preparation::prepare_memory_job_from_semantic_module(std::move(*semantic), options);
    ASSERT_TRUE(memory.has_value()) << memory.error().to_string();
    auto first = preparation::prepare_target_job_from_memory_job(memory->fork(), options);
    ASSERT_TRUE(first.has_value()) << first.error().to_string();
    options.profile = &vulkan;
    options.backend = targets::find_backend("vulkan");
    auto second = preparation::prepare_target_job_from_memory_job(memory->fork(), options);
    ASSERT_TRUE(second.has_value()) << second.error().to_string();
    const auto a = BackendPreparedModule::from(*first);
    const auto b = BackendPreparedModule::from(*second);
    ASSERT_TRUE(a.has_value() && b.has_value());
    for (Stage shared : {Stage::semantic, Stage::contract, Stage::tensor, Stage::dispatch, Stage::memory})
      EXPECT_EQ(a->stage(shared).get(), b->stage(shared).get()) << to_string(shared);
    EXPECT_NE(a->stage(Stage::target)->address(), b->stage(Stage::target)->address());
  }
}

TEST(Fork, TheOnlyOncePassDoesFailOnASecondRun) {
  const TargetProfile cuda = profile_named("cuda:sm_90a");
  PreparationOptions options = options_for(cuda);
  options.edit_pipeline = OnlyOnce("tensor");
  EXPECT_TRUE(prepare(program, options).has_value());
  const auto again = prepare(program, options);
  ASSERT_FALSE(again.has_value());
  const std::string message = again.error().to_string();
  EXPECT_NE(message.find("test-only-once"), std::string::npos) << message;
  EXPECT_NE(message.find("accy-choir-tensor"), std::string::npos) << message;
}

TEST(PreparedModule, RefusesWrongStagesAndStrangers) {
  const TargetProfile profile = profile_named("interpreter:generic");
  PreparationOptions options = options_for(profile);
  const auto module = prepare(program, options);
  ASSERT_TRUE(module.has_value()) << module.error().to_string();
  EXPECT_TRUE(module->retain().has_value());

  BackendPreparedModule::Revisions revisions;
  for (std::size_t index = 0; index < preparation::stage_count; ++index)
    revisions[index] = module->stage(static_cast<Stage>(index));
  auto swapped = revisions;
  std::swap(swapped[1], swapped[2]);
  const auto wrong_stage = BackendPreparedModule::create(swapped);
  ASSERT_FALSE(wrong_stage.has_value());
  EXPECT_NE(wrong_stage.error().message.find("is of stage"), std::string::npos);

  options.dimensions["n"] = 5;
  const auto other = prepare(program, options);
  ASSERT_TRUE(other.has_value());
  auto stranger = revisions;
  stranger[1] = other->stage(Stage::contract);
  const auto unbound = BackendPreparedModule::create(stranger);
  ASSERT_FALSE(unbound.has_value());
  EXPECT_NE(unbound.error().message.find("was made from"), std::string::npos);

  EXPECT_THAT(revisions[1]->require_dependency("weights", *revisions[0]).error().message,
              testing::HasSubstr("declares no input 'weights'"));
  const std::vector<choir::SchemaGate> later{{"accy.contract", 2}};
  EXPECT_THAT(revisions[1]->require_gates(later).error().message,
              testing::HasSubstr("does not pass gate accy.contract version 2"));

  auto missing = revisions;
  missing[3] = {};
  EXPECT_FALSE(BackendPreparedModule::create(missing).has_value());
  EXPECT_EQ(module->product_graph().size(), preparation::stage_count - 1);
}

TEST(ProductStore, ASecondCompileRunsNoPass) {
  const TargetProfile profile = profile_named("interpreter:generic");
  choir::MemoryStore store;
  PreparationOptions options = options_for(profile);
  options.store = &store;
  const auto first = prepare(program, options);
  ASSERT_TRUE(first.has_value());
  const auto second = prepare(program, options);
  ASSERT_TRUE(second.has_value());
  for (std::size_t index = 1; index < preparation::stage_count; ++index)
    EXPECT_EQ(first->stage(static_cast<Stage>(index)).get(),
              second->stage(static_cast<Stage>(index)).get());
  // The record says so as well: everything reused, not one pass run.
  auto semantic = semantic::parse_semantic_module(program, "p.choir");
  ASSERT_TRUE(semantic.has_value());
  auto memory = preparation::prepare_memory_job_from_semantic_module(std::move(*semantic), options);
  ASSERT_TRUE(memory.has_value());
  const auto target = preparation::prepare_target_job_from_memory_job(std::move(*memory), options);
  ASSERT_TRUE(target.has_value());
  for (std::size_t index = 1; index < preparation::stage_count; ++index) {
    const choir::StageRun& run = target->record().stages[index];
    EXPECT_TRUE(run.reused) << run.stage;
    EXPECT_EQ(run.statistics.pass_runs, 0U) << run.stage;
  }
}

TEST(ProductStore, OnlyAProfileFieldThatWasReadChangesTheKernelKey) {
  TargetProfile profile = profile_named("interpreter:generic");
  const auto first = prepare(program, options_for(profile));
  ASSERT_TRUE(first.has_value());
  profile.vendor = "somebody else";
  const auto unread = prepare(program, options_for(profile));
  ASSERT_TRUE(unread.has_value());
  EXPECT_EQ(first->product_keys()[5], unread->product_keys()[5]);
  EXPECT_EQ(first->product_keys()[6], unread->product_keys()[6]);
  profile.workgroup_invocations_maximum = 32;
  profile.workgroup_size_maximum = {32, 32, 32};
  const auto read = prepare(program, options_for(profile));
  ASSERT_TRUE(read.has_value());
  EXPECT_NE(first->product_keys()[5], read->product_keys()[5]);
}

TEST(ProductStore, APriorTraceIsFoundAgainByTheFactsItRead) {
  TargetProfile profile = profile_named("interpreter:generic");
  choir::MemoryStore store;
  PreparationOptions options = options_for(profile);
  options.store = &store;
  const auto wide = prepare(program, options);
  profile.workgroup_invocations_maximum = 32;
  const auto narrow = prepare(program, options);
  profile.workgroup_invocations_maximum = profile_named("interpreter:generic").workgroup_invocations_maximum;
  const auto again = prepare(program, options);
  ASSERT_TRUE(wide.has_value() && narrow.has_value() && again.has_value());
  EXPECT_NE(wide->stage(Stage::kernel).get(), narrow->stage(Stage::kernel).get());
  EXPECT_EQ(wide->stage(Stage::kernel).get(), again->stage(Stage::kernel).get());
}

TEST(Determinism, TwoCompilesGiveEqualText) {
  for (const char* name : {"interpreter:generic", "vulkan:lavapipe", "cuda:sm_80"}) {
    const TargetProfile profile = profile_named(name);
    const auto a = prepare(program, options_for(profile));
    const auto b = prepare(program, options_for(profile));
    ASSERT_TRUE(a.has_value() && b.has_value());
    for (std::size_t index = 0; index < preparation::stage_count; ++index)
      EXPECT_EQ(choir::print(a->stage(static_cast<Stage>(index))->module()),
                choir::print(b->stage(static_cast<Stage>(index))->module()));
  }
}

TEST(Dimensions, AreBoundCheckedAndNamed) {
  const TargetProfile profile = profile_named("interpreter:generic");
  PreparationOptions options = options_for(profile);
  options.dimensions["m"] = 3;
  auto unknown = prepare(program, options);
  ASSERT_FALSE(unknown.has_value());
  EXPECT_NE(unknown.error().to_string().find("'m'"), std::string::npos);
  options.dimensions = {{"n", -1}};
  EXPECT_FALSE(prepare(program, options).has_value());
  std::string no_default(program);
  no_default.replace(no_default.find("default = 12"), 12, "minimum = 1");
  options.dimensions = {};
  auto unbound = prepare(no_default, options);
  ASSERT_FALSE(unbound.has_value());
  EXPECT_NE(unbound.error().to_string().find("'n'"), std::string::npos);
}

/// Blocks of more than 2^31 elements: 64-bit indices in every generator, and no assertion on the way.
TargetProfile without_memory_limits(TargetProfile profile) {
  profile.buffer_bytes_maximum = profile.allocation_bytes_maximum = std::int64_t{1} << 50;
  return profile;
}

TEST(Sizes, IndicesBeyond32BitsNeedAType) {
  const std::string error = error_of(R"(choir semantic v1
tensor.func @main {inputs = ["a"], outputs = ["y"]} (%a: tensor<f32, [65536, 65536]>) {
  %y = tensor.neg %a
  tensor.return %y
}
)",
                                     without_memory_limits(profile_named("vulkan:mobile")));
  EXPECT_NE(error.find("elements needs 64-bit indices, the profile lacks arithmetic_i64"),
            std::string::npos)
      << error;
}

TEST(Sizes, BuffersBeyondTheProfileAreRefused) {
  // 4 KiB of input, 64 KiB of output; the softmax needs no arena, the product does.
  constexpr std::string_view text = R"(choir semantic v1
tensor.func @main {inputs = ["a"], outputs = ["y"]} (%a: tensor<f32, [32, 32]>) {
  %b = tensor.softmax %a {axis = 1}
  %c = tensor.matmul %b, %b
  %y = tensor.broadcast %c {axes = [0, 1]} : tensor<f32, [32, 32, 16]>
  tensor.return %y
}
)";
  TargetProfile profile = profile_named("interpreter:generic");
  profile.allocation_bytes_maximum = profile.buffer_bytes_maximum = 65536;
  EXPECT_EQ(error_of(text, profile), "");
  profile.buffer_bytes_maximum = 65535;
  EXPECT_NE(error_of(text, profile)
                .find("test.choir:2:1: unsupported: host.func: output 'y' takes 65536 bytes, more "
                      "than buffer_bytes_maximum of profile interpreter:generic (65535)"),
            std::string::npos)
      << error_of(text, profile);
  profile.allocation_bytes_maximum = 65535;
  EXPECT_NE(error_of(text, profile).find("more than allocation_bytes_maximum"), std::string::npos);
  constexpr std::string_view arena = R"(choir semantic v1
tensor.func @main {inputs = ["a"], outputs = ["y"]} (%a: tensor<f32, [32, 32]>) {
  %b = tensor.softmax %a {axis = 1}
  %c = tensor.matmul %b, %b
  %d = tensor.matmul %c, %b
  %y = tensor.reduce %d {axes = [0, 1], function = sum}
  tensor.return %y
}
)";
  profile.allocation_bytes_maximum = profile.buffer_bytes_maximum = 4096;
  EXPECT_NE(error_of(arena, profile).find("arena_bytes takes "), std::string::npos)
      << error_of(arena, profile);
}

TEST(Sizes, HugeBlocksCompileOrAreRefused) {
  struct Case {
    std::string_view inputs, arguments, body, output;
    const char* refusal;  // null: it compiles
  };
  const Case cases[] = {
      {"\"a\"", "%a: tensor<f32, [3000000000]>", "%y = tensor.neg %a", "y", nullptr},
      {"\"a\"", "%a: tensor<f32, [60000, 60000]>",
       "%y = tensor.reduce %a {axes = [1], function = sum}", "y", nullptr},
      {"\"a\"", "%a: tensor<f32, [60000, 60000]>",
       "%y = tensor.reduce %a {axes = [0], function = max}", "y", nullptr},
      {"\"a\"", "%a: tensor<f32, [60000, 60000]>", "%y = tensor.softmax %a {axis = 1}", "y", nullptr},
      {"\"a\", \"b\"", "%a: tensor<f32, [60000, 60001]>, %b: tensor<f32, [60001, 7]>",
       "%y = tensor.matmul %a, %b", "y", nullptr},
      {"\"a\", \"b\"", "%a: tensor<f32, [60000, 60001]>, %b: tensor<f32, [60001, 700]>",
       "%y = tensor.matmul %a, %b", "y", nullptr},
      {"\"a\"", "%a: tensor<f32, [3000000001]>",
       "%y = tensor.reduce %a {axes = [0], function = sum}", "y", "3000000001"},
  };
  for (const char* id : {"interpreter:generic", "cuda:sm_80", "vulkan:nvidia"}) {
    const TargetProfile profile = without_memory_limits(profile_named(id));
    for (const Case& one : cases) {
      const std::string text = "choir semantic v1 {}\ntensor.func @main {inputs = [" +
                               std::string(one.inputs) + "], outputs = [\"y\"]} (" +
                               std::string(one.arguments) + ") {\n" + std::string(one.body) +
                               "\ntensor.return %y\n}\n";
      const auto module = prepare(text, options_for(profile));
      if (one.refusal == nullptr) {
        EXPECT_TRUE(module.has_value())
            << id << " " << one.body << (module ? "" : module.error().to_string());
        continue;
      }
      ASSERT_FALSE(module.has_value()) << id << " " << one.body;
      EXPECT_NE(module.error().to_string().find(one.refusal), std::string::npos);
    }
  }
}

/// Shapes that no operand has but a result would: an error value, not an assertion.
TEST(Sizes, ResultsBeyondTheElementLimitAreRefused) {
  const TargetProfile profile = profile_named("interpreter:generic");
  for (std::string_view body :
       {"(%a: tensor<f32, [1073741824, 1]>, %b: tensor<f32, [1, 1073741824]>) {\n"
        "%y = tensor.matmul %a, %b",
        "(%a: tensor<f32, [0, 1073741824, 1073741824]>, %b: tensor<f32, []>) {\n"
        "%y = tensor.reduce %a {axes = [0], function = sum}",
        "(%a: tensor<f32, [0, 1073741824, 1073741824]>, %b: tensor<f32, []>) {\n"
        "%y = tensor.softmax %a {axis = 0}"}) {
    const auto module = prepare(
        "choir semantic v1 {}\ntensor.func @main {inputs = [\"a\", \"b\"], outputs = [\"y\"]} " +
            std::string(body) + "\ntensor.return %y\n}\n",
        options_for(profile));
    ASSERT_FALSE(module.has_value()) << body;
    EXPECT_NE(module.error().to_string().find("exceeds the limit"), std::string::npos)
        << module.error().to_string();
  }
  PreparationOptions options = options_for(profile);
  options.dimensions = {{"n", std::int64_t{1} << 40}, {"m", 4}};
  const auto bound = prepare(
      "choir semantic v1 {}\ntensor.func @main {inputs = [\"a\"], outputs = [\"y\"]} "
      "(%a: tensor<f32, [n, m]>) {\n%y = tensor.neg %a\ntensor.return %y\n}\n",
      options);
  ASSERT_FALSE(bound.has_value());
  EXPECT_NE(bound.error().to_string().find("exceeds the limit"), std::string::npos);
}

TEST(Contract, AWeakerReductionIsRefused) {
  const TargetProfile profile = profile_named("interpreter:generic");
  const auto module = prepare(R"(choir semantic v1 {numeric = {mode = strict}}
tensor.func @main {inputs = ["a"], outputs = ["y"]} (%a: tensor<f32, [8, 8]>) {
  %y = tensor.reduce %a {axes = [1], function = sum, order = free}
  tensor.return %y
}
)",
                              options_for(profile));
  ASSERT_FALSE(module.has_value());
  EXPECT_NE(module.error().to_string().find("weaker"), std::string::npos);
}

TEST(Contract, StrictRefusesWhatHasNoStrictForm) {
  const TargetProfile profile = profile_named("interpreter:generic");
  const auto module = prepare(R"(choir semantic v1 {numeric = {mode = strict}}
tensor.func @main {inputs = ["a"], outputs = ["y"]} (%a: tensor<f32, [8]>) {
  %y = tensor.exp %a
  tensor.return %y
}
)",
                              options_for(profile));
  ASSERT_FALSE(module.has_value());
  EXPECT_EQ(module.error().code, ErrorCode::unsupported);
  EXPECT_NE(module.error().to_string().find("tensor.exp"), std::string::npos);
}

TEST(TargetStage, AsksTheValidatorWhereItIsTold) {
  const TargetProfile profile = profile_named("interpreter:generic");
  target::Backend wary = *targets::find_backend(profile.target);
  wary.validate = [](const target::KernelCode&, const TracedProfile&) -> Status {
    return fail(ErrorCode::internal, "this validator refuses all code");
  };
  PreparationOptions options = options_for(profile);
  options.backend = &wary;
  options.emit.validate = true;
  const auto refused = prepare(program, options);
  ASSERT_FALSE(refused.has_value());
  EXPECT_NE(refused.error().to_string().find("this validator refuses all code"), std::string::npos);
  options.emit.validate = false;
  EXPECT_TRUE(prepare(program, options).has_value());
  // The tests' environment asks for it.
  EXPECT_TRUE(target::EmitOptions{}.validate);
}

}  // namespace
}  // namespace accy::test
