// accy explain: the chain from an operation to its kernel, refused fusions, the page, differences.
#include <algorithm>
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
  wrong.targets = {"cuda:sm_80", "cuda:sm_75"};
  wrong.operation = "%s";
  EXPECT_THAT(output(wrong), HasSubstr("--op explains one compile; two are compared without it"));
  wrong.operation.clear();
  wrong.html = "page.html";
  EXPECT_THAT(output(wrong), HasSubstr("--html explains one compile; two are compared without it"));
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

/// A decision whose texts hold these.
struct Expected {
  std::string_view program;
  std::string_view kind;
  bool accepted;
  std::string_view choice;
  std::string_view reason;
};

std::string function(std::string_view outputs, std::string_view arguments, std::string_view body) {
  return "choir semantic v1\ntensor.func @main {inputs = [\"x\"], outputs = [" +
         std::string(outputs) + "]} (" + std::string(arguments) + ") {\n" + std::string(body) +
         "}\n";
}

TEST_F(ExplainTest, EveryPassSaysWhatItDecided) {
  if (targets::find_backend("cuda") == nullptr) GTEST_SKIP() << "this build has no CUDA target";
  const std::string long_rows =
      function("\"y\"", "%x: tensor<f32, [4, 65536]>",
               "%y = tensor.reduce %x {axes = [1], function = sum} : tensor<f32, [4]>\n"
               "tensor.return %y\n");
  const std::string many_rows =
      function("\"y\"", "%x: tensor<f32, [4096, 300]>",
               "%y = tensor.reduce %x {axes = [1], function = sum} : tensor<f32, [4096]>\n"
               "tensor.return %y\n");
  const std::string folded =
      function("\"y\"", "%x: tensor<f32, [3]>",
               "%a = tensor.constant {value = [1.0, 2.0, 3.0]} : tensor<f32, [3]>\n"
               "%e = tensor.exp %a : tensor<f32, [3]>\n%y = tensor.mul %x, %e : tensor<f32, [3]>\n"
               "tensor.return %y\n");
  const std::string chained =
      function("\"y\", \"z\"", "%x: tensor<f32, [256, 256]>",
               "%e = tensor.exp %x : tensor<f32, [256, 256]>\n"
               "%y = tensor.matmul %e, %x : tensor<f32, [256, 256]>\n"
               "%a = tensor.matmul %y, %x : tensor<f32, [256, 256]>\n"
               "%b = tensor.matmul %a, %x : tensor<f32, [256, 256]>\n"
               "%c = tensor.matmul %b, %x : tensor<f32, [256, 256]>\n"
               "%z = tensor.transpose %x {permutation = [1, 0]} : tensor<f32, [256, 256]>\n"
               "tensor.return %c, %z\n");
  const std::vector<Expected> expected = {
      {long_rows, "split", true, "partial results of", "4 results (rows_maximum is "},
      {many_rows, "split", false, "two launches", "4096 results fill the device"},
      {many_rows, "schedule", false, "invocation_row", "300 elements are many"},
      {many_rows, "schedule", true, "shuffles", "4096 results of 300 elements"},
      {folded, "fold", true, "a constant of 12 bytes", "all operands are constants"},
      {folded, "buffer", true, "12 bytes at 0 of the constants", "uploaded once"},
      {chained, "fusion", false, "into contraction", "run again for every tile"},
      {chained, "fusion", false, "into contraction", "two contractions"},
      {chained, "schedule", true, "tiled, 256 invocations", "a product of 256 x 256"},
      {chained, "output", true, "an item of kind copy", "elements move on the way out"},
      {chained, "buffer", true, "262144 bytes at 0 of the arena", "alive in steps"},
      {chained, "kernel", true, "launches @", "an earlier launch has the same program"},
  };
  ExplainOptions cuda = options();
  cuda.targets = {"cuda:sm_90"};
  for (const Expected& each : expected) {
    std::ofstream(file_, std::ios::binary) << each.program;
    const json decisions = document(cuda).at("decisions");
    const auto holds = [](const json& decision, const char* key, std::string_view text) {
      return decision.at(key).get<std::string>().find(text) != std::string::npos;
    };
    EXPECT_TRUE(std::ranges::any_of(decisions,
                                    [&](const json& decision) {
                                      return decision.at("kind") == each.kind &&
                                             decision.at("verdict") ==
                                                 (each.accepted ? "accepted" : "refused") &&
                                             holds(decision, "choice", each.choice) &&
                                             holds(decision, "reason", each.reason);
                                    }))
        << each.kind << " " << each.choice << " because " << each.reason << "\n"
        << decisions.dump(1);
  }
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
  EXPECT_EQ(difference.at("causes"),
            json::array({"line 6: tensor.softmax %s: attribute axis is 1 in the first, 0 in the "
                         "second"}));
  EXPECT_THAT(output(compare), HasSubstr("the first decision that differs:"));
  compare.difference = {file_, file_};
  EXPECT_THAT(output(compare), HasSubstr("no decision differs"));
}

TEST_F(ExplainTest, NamesMakeNoDifferenceButOperationsAndTypesDo) {
  const auto compared = [&](std::string_view what, std::string_view by) {
    std::string changed(program);
    for (std::size_t at = changed.find(what); at != std::string::npos;
         at = changed.find(what, at + by.size()))
      changed.replace(at, what.size(), by);
    const fs::path other = folder_.path() / "q.choir";
    std::ofstream(other, std::ios::binary) << changed;
    return document({.file = {}, .targets = {"interpreter:generic"}, .difference = {file_, other}});
  };
  // As long as before: the interpreter's code is text that has the names in it.
  EXPECT_EQ(compared("%m", "%q").at("differs"), false);
  EXPECT_EQ(compared("gelu", "relu").at("causes"),
            json::array({"line 5: the operation is tensor.gelu %g in the first, tensor.relu %g in "
                         "the second"}));
  EXPECT_THAT(compared("[12, 8]", "[64, 8]").at("causes")[0].get<std::string>(),
              HasSubstr("the type of input %a is tensor<f32, [12, 8]> in the first"));
  EXPECT_THAT(compared("add %s, %m", "add %s, %g").at("causes").dump(),
              HasSubstr("what tensor.add %y reads is %s, %m in the first, %s, %g in the second"));
}

TEST_F(ExplainTest, FollowsWhatOnlyMovesElements) {
  std::ofstream(file_, std::ios::binary) << R"(choir semantic v1
tensor.func @main {inputs = ["a", "b"], outputs = ["y"]}
    (%a: tensor<f32, [12, 8]>, %b: tensor<f32, [8]>) {
  %row = tensor.broadcast %b {axes = [1]} : tensor<f32, [12, 8]>
  %y = tensor.add %a, %row : tensor<f32, [12, 8]>
  tensor.return %y
}
)";
  const json operations = document(options()).at("operations");
  EXPECT_THAT(chain(operations[0]),
              ElementsAre("dispatch region accepted", "dispatch item accepted",
                          "memory buffer accepted", "kernel schedule accepted",
                          "kernel kernel accepted", "target code accepted"));
  EXPECT_EQ(operations[0].at("kernels").size(), 1U);
  EXPECT_EQ(operations[0].at("kernels"), operations[1].at("kernels"));
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
