// Passes and pipelines by name, typed options, textual pipelines.
#include <gtest/gtest.h>

#include "choir/pass_registry.hpp"

namespace accy::choir {
namespace {

std::span<const PassOptionSpec> specs() {
  static constexpr std::string_view colours[] = {"red", "green"};
  static const PassOptionSpec list[] = {{"count", "how often", std::int64_t{3}, 1, 10},
                                        {"fast", "or slow", false},
                                        {"colour", "of it", std::string("red"), 0, 0, colours},
                                        {"note", "any text", std::string()}};
  return list;
}

Pass make_counting(const PassOptionValues& values) {
  return {.name = "acme-count",
          .description = "counts",
          .options = values.to_string(),
          .run = [](PassContext&) -> Result<PassChange> { return PassChange::unchanged; },
          .preserved = {}};
}

PackageExtension acme() {
  Pass idle = make_counting(PassOptionValues());
  idle.name = "acme-idle";
  Pass loose = idle;
  loose.name = "loose";
  return {.name = "acme",
          .passes = {registration(make_counting(PassOptionValues()), specs(),
                                  [](const PassOptionValues& values) -> Result<Pass> {
                                    if (values.text("note") == "impossible")
                                      return fail(ErrorCode::unsupported, "cannot be made");
                                    return make_counting(values);
                                  }),
                     registration(idle), registration(loose)},
          .pipelines = {{"acme-all",
                         "everything",
                         {{{"acme-idle"},
                           {"acme-count", "kernel.func"},
                           {"acme-idle", "kernel.func"},
                           {"loose"}}}}}};
}

PassRegistry acme_registry() {
  PassRegistry registry;
  EXPECT_TRUE(registry.add(acme()));
  return registry;
}

std::string recipe_of(std::string_view text) {
  const auto pipeline = acme_registry().parse_pipeline(text, "test");
  return pipeline ? pipeline->recipe() : "error: " + pipeline.error().message;
}

TEST(PassRegistry, FindsByNameAndAlias) {
  const PassRegistry registry = acme_registry();
  ASSERT_NE(registry.find_pass("acme-count"), nullptr);
  EXPECT_EQ(registry.find_pass("count"), registry.find_pass("acme-count"));
  EXPECT_EQ(registry.find_pass("coun"), nullptr);
  EXPECT_EQ(registry.find_pipeline("all"), registry.find_pipeline("acme-all"));
  EXPECT_EQ(registry.passes().size(), 3U);
  EXPECT_EQ(registry.pipelines().front().description, "everything");
}

TEST(PassRegistry, RefusesNamesThatClash) {
  PassRegistry registry = acme_registry();
  const Status twice = registry.add(acme());
  ASSERT_FALSE(twice);
  EXPECT_EQ(twice.error().message, "pass name 'acme-count' is registered already");
  PackageExtension other{.name = "other", .passes = {}, .pipelines = {}};
  other.pipelines.push_back({"acme-all", "", {}});
  const Status pipeline = registry.add(other);
  ASSERT_FALSE(pipeline);
  EXPECT_EQ(pipeline.error().message, "pipeline name 'acme-all' is registered already");
  other.pipelines = {{"other-all", "", {{{"nowhere"}}}}};
  const Status plan = registry.add(other);
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().message,
            "pipeline 'other-all' plans 'nowhere', which is no registered pass");
}

TEST(PassRegistry, MakesPassesAndPipelines) {
  const PassRegistry registry = acme_registry();
  EXPECT_EQ(registry.make_pass("count", "count = 4")->options, "count = 4");
  EXPECT_EQ(registry.make_pass("count")->options, "");
  EXPECT_EQ(registry.make_pipeline("all")->recipe(),
            "acme-idle,kernel.func(acme-count,acme-idle),loose");
  const auto unknown = registry.make_pipeline("al");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().message, "unknown pipeline 'al' (known: acme-all)");
  EXPECT_EQ(unknown.error().code, ErrorCode::not_found);
  const auto pass = registry.make_pass("coun");
  ASSERT_FALSE(pass);
  EXPECT_EQ(pass.error().message, "unknown pass 'coun' (known: acme-count, acme-idle, loose)");
}

TEST(PipelineText, ReadsWhatTheRecipeSays) {
  EXPECT_EQ(recipe_of(""), "");
  EXPECT_EQ(recipe_of(" idle ,\n count { count = 5 , fast = true }"),
            "acme-idle,acme-count{count = 5,fast = true}");
  EXPECT_EQ(recipe_of("count{}"), "acme-count");
  EXPECT_EQ(recipe_of("count{count = 3,colour = red}"), "acme-count");  // the defaults
  EXPECT_EQ(recipe_of("all"), "acme-idle,kernel.func(acme-count,acme-idle),loose");
  EXPECT_EQ(recipe_of("a.b(c(idle),loose)"), "a.b(c(acme-idle),loose)");
  for (std::string_view text :
       {"acme-count{colour = green,count = 10,fast = true,note = \"a \\\\ \\\"b\\\", {c}\"}",
        "acme-count{note = \"true\"}", "acme-count{note = \"12\"}", "acme-count{note = \"-\"}",
        "kernel.func()"})
    EXPECT_EQ(recipe_of(text), text);
}

TEST(PipelineText, SaysWhereItIsWrong) {
  const std::string start = "error: pipeline text, column ";
  EXPECT_EQ(recipe_of("idle,"),
            start + "6: expected the name of a pass or pipeline, found the end");
  EXPECT_EQ(recipe_of("idle)"), start + "5: expected ',' or the end, found ')'");
  EXPECT_EQ(recipe_of("f(idle"), start + "7: expected ',' or ')', found the end");
  EXPECT_EQ(recipe_of("idle,nope"),
            start + "6: unknown pass 'nope' (known: acme-count, acme-idle, loose)");
  EXPECT_EQ(recipe_of("count{=1}"), start + "7: expected an option's name, found '='");
  EXPECT_EQ(recipe_of("count{count 1}"), start + "13: expected '=', found '1'");
  EXPECT_EQ(recipe_of("count{count = 1"), start + "16: expected ',' or '}', found the end");
  EXPECT_EQ(recipe_of("count{count = ,}"), start + "15: expected a value, found ','");
  EXPECT_EQ(recipe_of("count{note = \"abc}"),
            start + "19: expected the closing '\"', found the end");
  EXPECT_EQ(recipe_of("count{count = 99999999999999999999}"),
            start + "15: '99999999999999999999' is no 64-bit integer");
  EXPECT_EQ(recipe_of("count{count = 11}"), start + "7: option count is 11, outside 1 to 10");
  EXPECT_EQ(recipe_of("count{count = fast}"), start + "7: option count is fast, not an integer");
  EXPECT_EQ(recipe_of("count{fast = 1}"), start + "7: option fast is 1, not a boolean");
  EXPECT_EQ(recipe_of("count{colour = true}"), start + "7: option colour is true, not a text");
  EXPECT_EQ(recipe_of("count{colour = blue}"),
            start + "7: option colour is blue, none of red, green");
  EXPECT_EQ(recipe_of("count{size = 1}"),
            start + "7: unknown option 'size' (known: count, fast, colour, note)");
  EXPECT_EQ(recipe_of("count{note = impossible}"), start + "1: cannot be made");
  std::string deep;
  for (int level = 0; level < 10; ++level) deep += "f(";
  EXPECT_EQ(recipe_of(deep), start + "19: pipelines nest deeper than the limit of 8");
}

TEST(PassOptionValues, HoldEveryOptionAndSpellTheOthers) {
  PassOptionValues values(specs());
  EXPECT_EQ(values.integer("count"), 3);
  EXPECT_FALSE(values.boolean("fast"));
  EXPECT_EQ(values.text("colour"), "red");
  EXPECT_EQ(values.to_string(), "");
  EXPECT_TRUE(values.set("fast", true));
  EXPECT_EQ(values.to_string(), "fast = true");
  EXPECT_EQ(spell_options(specs(), {{"note", std::string("x y")}, {"count", std::int64_t{3}}}),
            "note = \"x y\"");
}

}  // namespace
}  // namespace accy::choir
