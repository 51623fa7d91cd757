// accy explain: the chain from an operation to its kernel, refused fusions, the page, differences.
#include <fstream>
#include <gmock/gmock.h>
#include <iterator>
#include <sstream>

#include "choir/text.hpp"
#include "semantic/job.hpp"
#include "support/temporary_folder.hpp"
#include "targets/registry.hpp"
#include "tools/compile.hpp"
#include "tools/explain.hpp"
#include "tools/explain_page.hpp"

namespace accy::tools {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view program = R"(choir semantic v1
tensor.func @main {inputs = ["a", "w"], outputs = ["y"]} (%a: tensor<f32, [12, 8]>, %w: tensor<f32, [8, 4]>) {
  %dead = tensor.exp %a
  %m = tensor.matmul %a, %w
  %g = tensor.gelu %m
  %s = tensor.softmax %g {axis = 1}
  %y = tensor.add %s, %m
  tensor.return %y
}
)";

std::string read_text(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

class ExplainTest : public ::testing::Test {
 protected:
  void SetUp() override { std::ofstream(file_, std::ios::binary) << program; }

  ExplainOptions options() const { return {.file = file_, .targets = {"interpreter:generic"}}; }
  std::string output(const ExplainOptions& options) {
    std::ostringstream stream;
    const Status status = run_explain(options, stream);
    return status ? stream.str() : status.error().to_string();
  }
  json document(ExplainOptions options) {
    options.json = true;
    return json::parse(output(options));
  }

  test::TemporaryFolder folder_;
  fs::path file_ = folder_.path() / "p.choir";
};

/// The decisions of an entry as "stage kind verdict".
std::vector<std::string> chain(const json& operation) {
  std::vector<std::string> list;
  for (const json& decision : operation.at("decisions"))
    list.push_back(decision.at("stage").get<std::string>() + " " +
                   decision.at("kind").get<std::string>() + " " +
                   decision.at("verdict").get<std::string>());
  return list;
}

TEST_F(ExplainTest, FollowsAnOperationToItsKernel) {
  ExplainOptions add = options();
  add.operation = "%y";
  const json operations = document(add).at("operations");
  ASSERT_EQ(operations.size(), 1U);
  EXPECT_EQ(operations[0].at("op"), "tensor.add");
  EXPECT_EQ(operations[0].at("place").at("line"), 7);
  EXPECT_THAT(
      chain(operations[0]),
      ElementsAre("dispatch region accepted", "dispatch fusion refused", "dispatch fusion accepted",
                  "dispatch fusion refused", "dispatch item accepted", "memory buffer accepted",
                  "kernel schedule accepted", "kernel kernel accepted", "target code accepted"));
  ASSERT_EQ(operations[0].at("kernels").size(), 1U);
  const std::string kernel = operations[0].at("kernels")[0];
  EXPECT_THAT(kernel, HasSubstr("row_pipeline_"));
}

TEST_F(ExplainTest, EveryOperationIsThereAndTheDeadOneIsErased) {
  const json whole = document(options());
  ASSERT_EQ(whole.at("operations").size(), 5U);
  EXPECT_THAT(chain(whole.at("operations")[0]), ElementsAre("contract rewrite accepted"));
  EXPECT_EQ(whole.at("operations")[0].at("decisions")[0].at("reason"), "nothing reads it");
  for (std::size_t index = 1; index < 5; ++index)
    EXPECT_FALSE(whole.at("operations")[index].at("kernels").empty()) << index;
  EXPECT_FALSE(whole.at("timing").at("passes").empty());
}

TEST_F(ExplainTest, RefusalsSayWhy) {
  const std::string text = output(options());
  EXPECT_THAT(text, HasSubstr("fusion refused, contraction %m (tensor.matmul, "));
  EXPECT_THAT(text, HasSubstr("because another reader of the first stands before the second"));
  EXPECT_THAT(text, HasSubstr("because a contraction and a reduction"));
}

TEST_F(ExplainTest, SelectsByNameKindAndLine) {
  for (const char* selection : {"%s", "s", "tensor.softmax", "6", "6:3"}) {
    ExplainOptions one = options();
    one.operation = selection;
    const json operations = document(one).at("operations");
    ASSERT_EQ(operations.size(), 1U) << selection;
    EXPECT_EQ(operations[0].at("value"), "s");
  }
  ExplainOptions unknown = options();
  unknown.operation = "nope";
  EXPECT_THAT(output(unknown), HasSubstr("the program has no operation 'nope' (known: %dead, %m"));
}

TEST_F(ExplainTest, RefusesWhatItCannotCompare) {
  ExplainOptions wrong = options();
  wrong.difference = {file_, file_};
  EXPECT_THAT(output(wrong), HasSubstr("explain takes either one program or --diff and two"));
  wrong = options();
  wrong.targets = {"cuda:sm_80", "cuda:sm_75", "cuda:sm_90a"};
  EXPECT_THAT(output(wrong), HasSubstr("explain takes one target, or two to compare (got 3)"));
}

TEST_F(ExplainTest, DecisionsChangeNothingAndNoWorkerShows) {
  const auto compiled = [&](choir::DecisionLog* log, std::size_t workers) {
    preparation::PreparationOptions preparation;
    preparation.decisions = log;
    preparation.workers = workers;
    auto result = compile_for(*choose_target("interpreter:generic"),
                              *semantic::read_semantic_module(file_), preparation);
    EXPECT_TRUE(result.has_value()) << result.error().to_string();
    std::string text;
    for (std::size_t stage = 0; stage < preparation::stage_count; ++stage)
      text += choir::print(result->module.stage(static_cast<preparation::Stage>(stage))->module());
    return text;
  };
  choir::DecisionLog one(true);
  choir::DecisionLog four(true);
  const std::string plain = compiled(nullptr, 1);
  EXPECT_EQ(compiled(&one, 1), plain);
  EXPECT_EQ(compiled(&four, 4), plain);
  EXPECT_EQ(one.list(), four.list());
  EXPECT_GT(one.list().size(), 10U);
}

/// Whether every element that is opened is closed, in order. Knows the page's empty elements.
std::string unbalanced(std::string_view page) {
  std::vector<std::string> open;
  while (page.find('<') != std::string_view::npos) {
    page.remove_prefix(page.find('<') + 1);
    const std::string_view tag = page.substr(0, page.find('>'));
    const std::string name(tag.substr(0, tag.find_first_of(" />", 1)));
    if (tag.starts_with("!") || name == "meta" || tag.ends_with("/")) continue;
    if (!tag.starts_with("/")) {
      open.push_back(name);
    } else if (open.empty() || tag.substr(1) != open.back()) {
      return "closes " + std::string(tag);
    } else {
      open.pop_back();
    }
  }
  return open.empty() ? "" : "leaves " + open.back() + " open";
}

TEST_F(ExplainTest, WritesOnePageThatNeedsNothingElse) {
  ExplainOptions with_page = options();
  with_page.html = folder_.path() / "page.html";
  output(with_page);
  const std::string page = read_text(with_page.html);
  EXPECT_EQ(unbalanced(page), "");
  EXPECT_THAT(page, Not(HasSubstr("http")));
  EXPECT_THAT(page, Not(HasSubstr("src=")));
  for (const char* tab : {"graph", "decisions", "semantic", "contract", "tensor", "dispatch",
                          "memory", "kernel", "target", "kernels", "time"})
    EXPECT_THAT(page, HasSubstr("<section class=\"tab\" id=\"" + std::string(tab) + "\">"));
  EXPECT_THAT(page, HasSubstr("tensor&lt;f32, [12, 8]&gt;"));
  EXPECT_THAT(page, HasSubstr("<svg "));
  EXPECT_THAT(page, HasSubstr("tensor.softmax %s</text>"));
  EXPECT_THAT(page, HasSubstr("kernel.func @row_pipeline_"));
  EXPECT_EQ(escape_html("<a href=\"x\">'&"), "&lt;a href=&quot;x&quot;&gt;&#39;&amp;");
}

TEST_F(ExplainTest, NamesTheFirstDifferenceAndItsCause) {
  const fs::path other = folder_.path() / "q.choir";
  std::string changed(program);
  changed.replace(changed.find("axis = 1"), 8, "axis = 0");
  std::ofstream(other, std::ios::binary) << "// a line more\n" << changed;
  ExplainOptions compare{
      .file = {}, .targets = {"interpreter:generic"}, .difference = {file_, other}};
  const json difference = document(compare);
  EXPECT_EQ(difference.at("differs"), true);
  EXPECT_EQ(difference.at("first").at("stage"), "dispatch");
  EXPECT_NE(difference.at("first"), difference.at("second"));
  ASSERT_EQ(difference.at("causes").size(), 2U);
  EXPECT_THAT(difference.at("causes")[0].get<std::string>(), HasSubstr("axis = 1"));
  EXPECT_THAT(output(compare), HasSubstr("the first decision that differs:"));
  compare.difference = {file_, file_};
  EXPECT_THAT(output(compare), HasSubstr("no decision differs"));
}

TEST_F(ExplainTest, ProfilesDifferByFieldsThatWereRead) {
  TargetProfile profile = *targets::find_profile("interpreter:generic");
  profile.name = "small";
  profile.workgroup_invocations_maximum = 16;
  const fs::path small = folder_.path() / "small.json";
  std::ofstream(small, std::ios::binary) << to_json(profile);
  ExplainOptions two = options();
  two.targets.push_back(small.string());
  EXPECT_THAT(document(two).at("causes").dump(),
              HasSubstr("profile field workgroup_invocations_maximum: "));
}

}  // namespace
}  // namespace accy::tools
