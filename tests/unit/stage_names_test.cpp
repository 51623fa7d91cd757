// docs/stages.md: every name of the preparation layer, used, and the page itself.
#include <algorithm>
#include <concepts>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include "contract/passes/canonicalize.hpp"
#include "contract/passes/fold_constants.hpp"
#include "contract/passes/saturate.hpp"
#include "contract/passes/shape_layout.hpp"
#include "contract/pipeline.hpp"
#include "dispatch/passes/plan_schedule.hpp"
#include "dispatch/pipeline.hpp"
#include "kernel/pipeline.hpp"
#include "memory/passes/plan_bufferization.hpp"
#include "memory/pipeline.hpp"
#include "preparation/preparation.hpp"
#include "preparation/target_options.hpp"
#include "target/passes/emit_code.hpp"
#include "target/pipeline.hpp"
#include "targets/registry.hpp"
#include "tensor/pipeline.hpp"

namespace accy::test {
namespace {

using namespace preparation;

const target::Backend& backend() { return *targets::find_backend("interpreter"); }

RecipeArguments arguments() {
  return {.profile = &backend().profiles().front(), .backend = &backend()};
}

// Results, records and options are values that move; what people compare is comparable.
static_assert(std::is_move_constructible_v<ContractPreparationResult>);
static_assert(std::is_move_constructible_v<TensorPreparationResult>);
static_assert(std::is_move_constructible_v<DispatchPreparationResult>);
static_assert(std::is_move_constructible_v<MemoryPreparationResult>);
static_assert(std::is_move_constructible_v<KernelPreparationResult>);
static_assert(std::is_move_constructible_v<TargetPreparationResult>);
static_assert(std::is_move_constructible_v<TargetProductPreparationResult>);
static_assert(std::is_copy_constructible_v<BackendPreparationRun>);
static_assert(std::equality_comparable<ProductStamp>);
static_assert(
    std::is_convertible_v<choir::AllocationSnapshot (*)(), choir::AllocationSnapshotProvider>);
static_assert(std::is_constructible_v<choir::TimingInstrumentation, choir::TimingOptions>);

constexpr Stage with_pipeline[] = {Stage::contract, Stage::tensor, Stage::dispatch,
                                   Stage::memory,   Stage::kernel, Stage::target};

TEST(StageNames, EveryStageListsItsPasses) {
  EXPECT_EQ(contract::contract_stages().size(), stage_passes(Stage::contract).size());
  EXPECT_EQ(tensor::tensor_stages().size(), stage_passes(Stage::tensor).size());
  EXPECT_EQ(dispatch::dispatch_stages().size(), stage_passes(Stage::dispatch).size());
  EXPECT_EQ(memory::memory_stages().size(), stage_passes(Stage::memory).size());
  EXPECT_EQ(kernel::kernel_stages().size(), stage_passes(Stage::kernel).size());
  EXPECT_EQ(target::target_stages().size(), stage_passes(Stage::target).size());
  for (Stage stage : with_pipeline) {
    const std::vector<choir::PassRegistration> passes = stage_passes(stage, arguments());
    ASSERT_FALSE(passes.empty());
    std::size_t analyses = 0;
    for (std::size_t index = 0; index < passes.size(); ++index) {
      EXPECT_EQ(stage_pass_name(stage, index), passes[index].name);
      EXPECT_NE(passes[index].description, "");
      if (!passes[index].analysis.empty()) {
        EXPECT_EQ(stage_analysis_name(stage, analyses++), passes[index].analysis);
      }
    }
    EXPECT_EQ(stage_pass_name(stage, passes.size()), "");
    EXPECT_EQ(stage_analysis_name(stage, analyses), "");
  }
  EXPECT_EQ(stage_pass_name(Stage::semantic, 0), "");
  EXPECT_EQ(stage_pass_name(Stage::contract, 0), "accy-choir-bind-dimensions");
  EXPECT_EQ(stage_analysis_name(Stage::contract, 0), contract::shape_layout_analysis().name);
  EXPECT_EQ(stage_analysis_name(Stage::dispatch, 0), "");
}

TEST(StageNames, ThePackageRegistersEverything) {
  const choir::PackageExtension package = accy_choir_package_extension(arguments());
  EXPECT_EQ(package.name, "accy-choir");
  EXPECT_EQ(package.pipelines.size(), std::size(with_pipeline));
  for (std::string_view name : {contract::contract_pipeline_name, tensor::tensor_pipeline_name,
                                dispatch::dispatch_pipeline_name, memory::memory_pipeline_name,
                                kernel::kernel_pipeline_name, target::target_pipeline_name})
    EXPECT_TRUE(std::ranges::any_of(package.pipelines, [&](const auto& pipeline) {
      return pipeline.name == name && !pipeline.description.empty();
    })) << name;
  EXPECT_EQ(contract::contract_pipeline_registration().plan.steps.size(), 6U);
  EXPECT_EQ(dispatch::dispatch_pipeline_registration().plan.steps.back().pass,
            "accy-choir-plan-schedule");
  // Every pass of every pipeline is registered, can be made, and bears its name.
  const choir::PassRegistry registry = pass_registry(arguments());
  EXPECT_EQ(registry.passes().size(), package.passes.size());
  for (const choir::PassRegistration& pass : registry.passes()) {
    const auto made = registry.make_pass(pass.name);
    ASSERT_TRUE(made.has_value()) << made.error().to_string();
    EXPECT_EQ(made->name, pass.name);
    const std::string alias(pass.name.substr(package.name.size() + 1));
    EXPECT_EQ(registry.find_pass(alias), &pass);
  }
}

TEST(StageNames, AddEveryPipeline) {
  for (Stage stage : with_pipeline) {
    choir::PassManager manager;
    ASSERT_TRUE(add_stage_pipeline(manager, stage, arguments()));
    EXPECT_EQ(manager.root().name, stage_pipeline_name(stage));
    // The recipe is a textual pipeline that gives the same pipeline.
    const std::string recipe = manager.root().recipe();
    const auto parsed = pass_registry(arguments()).parse_pipeline(recipe, "again");
    ASSERT_TRUE(parsed.has_value()) << parsed.error().to_string();
    EXPECT_EQ(parsed->recipe(), recipe);
    // As is the pipeline's own short name.
    const auto by_alias = pass_registry(arguments()).parse_pipeline(to_string(stage), "again");
    ASSERT_TRUE(by_alias.has_value()) << by_alias.error().to_string();
    EXPECT_EQ(by_alias->recipe(), recipe);
  }
  const auto semantic = stage_pipeline(Stage::semantic);
  ASSERT_FALSE(semantic.has_value());
  EXPECT_EQ(semantic.error().message, "the semantic stage has no pipeline");
  const auto without = stage_pipeline(Stage::kernel);
  ASSERT_FALSE(without.has_value());
  EXPECT_EQ(without.error().message, "pass 'accy-choir-generate-kernels' needs a target profile");
  const auto no_backend = stage_pipeline(Stage::target, {.profile = &backend().profiles().front()});
  ASSERT_FALSE(no_backend.has_value());
  EXPECT_EQ(no_backend.error().message, "pass 'accy-choir-legalize' needs a backend");

  const TensorLoweringOptions options{.activation = {.gelu = "tanh"}};
  EXPECT_FALSE(options == TensorLoweringOptions{});
  choir::PassManager manager;
  ASSERT_TRUE(add_tensor_pipeline(manager, options));
  EXPECT_NE(manager.root().recipe().find("accy-choir-activation-lower{gelu = tanh}"),
            std::string::npos);
}

TEST(StageNames, OptionsReachTheirPasses) {
  const choir::PassRegistry registry = pass_registry(arguments());
  const auto options_of = [&](std::string_view text) {
    const auto pipeline = registry.parse_pipeline(text, "test");
    return pipeline ? pipeline->passes().front()->options : pipeline.error().message;
  };
  for (std::string_view text :
       {"constant-fold{result_bytes_maximum = 16,total_bytes_maximum = 99}",
        "fuse-regions{operands_maximum = 3,operations_maximum = 5}",
        "split-reductions{columns_minimum = 8,rows_maximum = 2,segment_minimum = 4,"
        "segments_maximum = 16}",
        "activation-lower{gelu = exact}", "einsum-lower{path = given}",
        "bind-dimensions{sizes = \"m=4 n=16\"}", "emit-code{validate = true}"}) {
    const std::string_view options = text.substr(text.find('{') + 1);
    EXPECT_EQ(options_of(text), options.substr(0, options.size() - 1));
  }
  EXPECT_EQ(options_of("bind-dimensions{sizes = \"n=\"}"),
            "pipeline text, column 1: 'n=' is no size of a dimension, as \"n=16\"");
}

TEST(StageNames, MakeEveryNamedPass) {
  const std::vector<choir::Pass> passes = {
      tensor::lower_activations_pass(),
      tensor::lower_activations_pass(tensor::ActivationOptions{.gelu = "exact"}),
      tensor::lower_einsum_pass(),
      tensor::lower_einsum_pass(tensor::EinsumOptions{.path = "given"}),
      tensor::lower_indexing_pass(),
      tensor::lower_losses_pass(),
      target::legalize_pass(&backend(), &backend().profiles().front()),
      memory::plan_bufferization_pass(),
      contract::canonicalize_pass(),
      contract::saturate_pass({}),
      contract::fold_constants_pass({}),
      dispatch::plan_schedule_pass(),
      contract::shape_layout_pass()};
  const std::vector<std::string_view> names = {"accy-choir-activation-lower",
                                               "accy-choir-activation-lower",
                                               "accy-choir-einsum-lower",
                                               "accy-choir-einsum-lower",
                                               "accy-choir-indexing-lower",
                                               "accy-choir-loss-lower",
                                               "accy-choir-legalize",
                                               "accy-choir-plan-bufferization",
                                               "accy-choir-canonicalize",
                                               "accy-choir-saturate",
                                               "accy-choir-constant-fold",
                                               "accy-choir-plan-schedule",
                                               "accy-choir-shape-layout-propagate"};
  for (std::size_t index = 0; index < passes.size(); ++index)
    EXPECT_EQ(passes[index].name, names[index]);
  EXPECT_EQ(passes[1].options, "gelu = exact");
  EXPECT_EQ(passes[3].options, "path = given");
}

TEST(StageNames, AskAnalysesOfAProduct) {
  auto module = semantic::parse_semantic_module(R"(choir semantic v1
tensor.func @main {inputs = ["a"], outputs = ["y"]} (%a: tensor<f32, [12]>) {
  %y = tensor.exp %a
  tensor.return %y
}
)",
                                                "p.choir");
  ASSERT_TRUE(module.has_value());
  PreparationOptions options;
  options.profile = &backend().profiles().front();
  options.backend = &backend();
  const auto job = prepare_backend_job_from_semantic_module(std::move(*module), options);
  ASSERT_TRUE(job.has_value());
  const choir::RevisionRef kernels = (*job->target_job())->revision()->dependency("source");
  choir::AnalysisCache analyses;
  const auto& found =
      analyses.get<kernel::Kernelization>(kernel::kernelization_analysis(), kernels->module());
  EXPECT_EQ(found.summaries(), *job->copy_generated_kernel_summaries());
  EXPECT_EQ(analyses.misses(), 1U);
}

std::string read_text(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// Texts in backquotes of one table cell.
std::vector<std::string> quoted(const std::string& cell) {
  std::vector<std::string> texts;
  for (std::size_t start = cell.find('`'); start != std::string::npos;
       start = cell.find('`', start)) {
    const std::size_t end = cell.find('`', start + 1);
    texts.push_back(cell.substr(start + 1, end - start - 1));
    start = end + 1;
  }
  return texts;
}

/// Rows of the page's tables: original, ours, test.
std::vector<std::vector<std::string>> rows() {
  std::vector<std::vector<std::string>> found;
  std::istringstream page(read_text(std::filesystem::path(ACCY_SOURCE_DIR) / "docs/stages.md"));
  for (std::string line; std::getline(page, line);) {
    if (!line.starts_with("| `")) continue;
    std::vector<std::string> cells;
    std::istringstream row(line.substr(1));
    for (std::string cell; std::getline(row, cell, '|');) cells.push_back(cell);
    found.push_back(std::move(cells));
  }
  return found;
}

TEST(StageNames, ThePageNamesTestsThatExistAndNamesThatAreUsed) {
  std::string tests;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(ACCY_SOURCE_DIR) / "tests/unit"))
    if (entry.path().extension() == ".cpp") tests += read_text(entry.path());
  std::set<std::string> originals;
  for (const auto& row : rows()) {
    ASSERT_EQ(row.size(), 3U) << row.front();
    EXPECT_TRUE(originals.insert(row[0]).second) << row[0] << " is listed twice";
    for (std::string ours : quoted(row[1])) {
      if (const std::size_t dot = ours.find("()"); dot != std::string::npos)
        ours = ours.substr(0, dot);
      EXPECT_NE(tests.find(ours), std::string::npos) << "no test uses " << ours;
    }
    const std::string test = quoted(row[2]).front();
    const std::size_t dot = test.find('.');
    const std::string start = "TEST(" + test.substr(0, dot) + ", " + test.substr(dot + 1) + ")";
    EXPECT_NE(tests.find(start), std::string::npos) << "no test is named " << test;
  }
  EXPECT_GT(originals.size(), 100U);
}

}  // namespace
}  // namespace accy::test
