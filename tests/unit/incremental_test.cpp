// Editing a program of more than 500 operations with a warm store: what the edit does not reach is
// not made again, and the result is what a compile from nothing gives.
#include <gmock/gmock.h>
#include <map>

#include "choir/disk_store.hpp"
#include "support/stages.hpp"
#include "support/temporary_folder.hpp"
#include "targets/registry.hpp"

namespace accy::test {
namespace {

using preparation::Stage;

constexpr int block_count = 60;

/// Blocks of nine operations; each adds its own constant, so that each has kernels of its own.
std::string program_with(int edited_block, double value, std::string_view dead_line = "") {
  std::string text = R"(choir semantic v1
tensor.func @main {inputs = ["x", "w"], outputs = ["y"]} (%x: tensor<f32, [16, 24]>, %w: tensor<f32, [16, 24]>) {
)";
  std::string current = "%x";
  for (int block = 0; block < block_count; ++block) {
    const std::string id = std::to_string(block);
    const double constant = block == edited_block ? value : 0.5 + block / 64.0;
    text += "  %c" + id + " = tensor.constant {value = " + std::to_string(constant) +
            "} : tensor<f32, []>\n  %b" + id + " = tensor.broadcast %c" + id +
            " {axes = []} : tensor<f32, [16, 24]>\n  %a" + id + " = tensor.add " + current +
            ", %b" + id + "\n  %r" + id + " = tensor.tanh %a" + id + "\n  %e" + id +
            " = tensor.exp %r" + id + "\n  %s" + id + " = tensor.mul %e" + id + ", %w\n  %n" + id +
            " = tensor.softmax %s" + id + " {axis = 1}\n  %t" + id + " = tensor.transpose %n" + id +
            " {permutation = [1, 0]}\n  %u" + id + " = tensor.reshape %t" + id +
            " : tensor<f32, [16, 24]>\n";
    current = "%u" + id;
  }
  return text + std::string(dead_line) + "  tensor.return " + current + "\n}\n";
}

struct Compiled {
  preparation::BackendPreparedModule module;
  choir::RunRecord record;

  bool reused(std::string_view stage) const { return record.find(stage)->reused; }
  std::string text(Stage stage) const { return choir::print(module.stage(stage)->module()); }
  /// The kernels, and whether each came from the store.
  std::map<std::string, bool> kernels() const {
    std::map<std::string, bool> kernels;
    for (const choir::PartRun& part : record.find("target")->parts)
      kernels.emplace(part.symbol, part.reused);
    return kernels;
  }
};

Compiled compile(std::string_view text, choir::ProductStore* store,
                 const TargetProfile& profile = *targets::find_profile("interpreter:generic"),
                 std::size_t workers = 1) {
  preparation::PreparationOptions options;
  options.profile = &profile;
  options.backend = targets::find_backend(profile.target);
  options.store = store;
  options.workers = workers;
  auto memory = preparation::prepare_memory_job_from_semantic_module(
      *semantic::parse_semantic_module(text, "p.choir"), options);
  EXPECT_TRUE(memory.has_value()) << memory.error().to_string();
  auto target = preparation::prepare_target_job_from_memory_job(std::move(*memory), options);
  EXPECT_TRUE(target.has_value()) << target.error().to_string();
  auto module = preparation::BackendPreparedModule::from(*target);
  EXPECT_TRUE(module.has_value()) << module.error().to_string();
  return {std::move(*module), std::move(*target).take_record()};
}

class IncrementalTest : public ::testing::TestWithParam<bool> {
 protected:
  /// The store of the next compile; on disk it is another process's, as it were.
  choir::ProductStore& store() {
    if (!GetParam()) return memory_;
    disk_ = std::move(*choir::DiskStore::open(folder_.path() / "cache", {.identity = "test"}));
    return *disk_;
  }

 private:
  TemporaryFolder folder_;
  choir::MemoryStore memory_;
  std::unique_ptr<choir::DiskStore> disk_;
};

INSTANTIATE_TEST_SUITE_P(Stores, IncrementalTest, ::testing::Bool(),
                         [](const auto& tested) { return tested.param ? "on_disk" : "in_memory"; });

TEST_P(IncrementalTest, AnEditRemakesTheKernelsThatDependOnItAlone) {
  const Compiled before = compile(program_with(-1, 0), &store());
  EXPECT_GE(before.module.stage(Stage::semantic)->module().body().front()->body().size(), 500U);
  const Compiled after = compile(program_with(30, 77), &store());
  const std::map<std::string, bool> old_kernels = before.kernels();
  std::size_t made = 0;
  for (const auto& [kernel, reused] : after.kernels()) {
    // A kernel's name holds the digest of its program.
    EXPECT_EQ(reused, old_kernels.contains(kernel)) << kernel;
    made += reused ? 0 : 1;
  }
  EXPECT_EQ(made, 1U);
  EXPECT_GT(after.kernels().size(), 50U);
  const Compiled fresh = compile(program_with(30, 77), nullptr);
  for (std::size_t stage = 0; stage < preparation::stage_count; ++stage)
    EXPECT_EQ(after.text(static_cast<Stage>(stage)), fresh.text(static_cast<Stage>(stage)));
}

TEST_P(IncrementalTest, AnEditThatAStageAbsorbsStopsThere) {
  compile(program_with(-1, 0), &store());
  const Compiled dead = compile(program_with(-1, 0, "  %dead = tensor.exp %x\n"), &store());
  EXPECT_FALSE(dead.reused("contract"));
  for (const char* stage : {"tensor", "dispatch", "memory", "kernel", "target"})
    EXPECT_TRUE(dead.reused(stage)) << stage;
  // Comments and lines do not even reach the contract.
  const Compiled moved = compile("// moved\n\n" + program_with(-1, 0), &store());
  EXPECT_TRUE(moved.reused("contract"));
}

TEST_P(IncrementalTest, ASecondTargetStartsFromTheMemoryProduct) {
  compile(program_with(-1, 0), &store());
  const auto cuda = targets::find_profile("cuda:sm_80");
  if (!cuda) GTEST_SKIP() << "this build has one target";
  const Compiled second = compile(program_with(-1, 0), &store(), *cuda);
  for (const char* stage : {"contract", "tensor", "dispatch", "memory"})
    EXPECT_TRUE(second.reused(stage)) << stage;
  EXPECT_FALSE(second.reused("kernel"));
  EXPECT_FALSE(second.reused("target"));
}

TEST_P(IncrementalTest, OnlyAFieldThatWasReadChangesAKey) {
  TargetProfile profile = *targets::find_profile("interpreter:generic");
  compile(program_with(-1, 0), &store(), profile);
  profile.vendor += " and sons";
  const Compiled unread = compile(program_with(-1, 0), &store(), profile);
  EXPECT_TRUE(unread.reused("kernel"));
  EXPECT_TRUE(unread.reused("target"));
  profile.workgroup_invocations_maximum /= 2;
  const Compiled read = compile(program_with(-1, 0), &store(), profile);
  EXPECT_TRUE(read.reused("memory"));
  EXPECT_FALSE(read.reused("kernel"));
}

TEST_P(IncrementalTest, WorkersChangeNothing) {
  const Compiled one = compile(program_with(-1, 0), &store());
  const Compiled fresh =
      compile(program_with(-1, 0), nullptr, *targets::find_profile("interpreter:generic"), 4);
  for (std::size_t stage = 0; stage < preparation::stage_count; ++stage)
    EXPECT_EQ(one.text(static_cast<Stage>(stage)), fresh.text(static_cast<Stage>(stage)));
}

}  // namespace
}  // namespace accy::test
