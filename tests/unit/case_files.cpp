// One test a file of tests/cases/<stage>/NAME.choir, as docs/testing.md describes them.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <vector>

#include "dialect/dialects.hpp"
#include "preparation/recipe.hpp"
#include "support/case_actions.hpp"
#include "targets/registry.hpp"

namespace accy::test {
namespace {

namespace fs = std::filesystem;

void run_case(const fs::path& path) {
  const auto file = read_case_file(path);
  ASSERT_TRUE(file.has_value()) << file.error().to_string();
  if (const std::string target = missing_target(*file); !target.empty())
    GTEST_SKIP() << "this build has no target " << target;
  const auto output = perform(*file);
  if (!file->errors.empty()) {
    ASSERT_FALSE(output.has_value()) << "the file expects errors";
    const std::string difference = compare_errors(*file, output.error());
    EXPECT_TRUE(difference.empty()) << difference;
    return;
  }
  ASSERT_TRUE(output.has_value()) << output.error().to_string();
  const Status same = check_round_trip(*file);
  EXPECT_TRUE(same.has_value()) << same.error().to_string();
  if (!has_output(*file)) return;
  const bool matched = file->expected && file->expected->starts_with("// match");
  const char* rewrite = std::getenv("ACCY_BLESS");
  if (rewrite != nullptr && std::string_view(rewrite) == "1" && !matched) {
    const Status written = bless(*file, *output);
    ASSERT_TRUE(written.has_value()) << written.error().to_string();
    return;
  }
  ASSERT_TRUE(file->expected.has_value()) << "no '// ----' line; the output is\n" << *output;
  const std::string difference = compare_output(*file->expected, *output);
  EXPECT_TRUE(difference.empty()) << difference;
}

class CaseTest : public testing::Test {
 public:
  explicit CaseTest(fs::path path) : path_(std::move(path)) {}
  void TestBody() override { run_case(path_); }

 private:
  fs::path path_;
};

std::vector<fs::path> case_paths() {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(ACCY_SOURCE_DIR) / "tests" /
                                                            "cases"))
    if (entry.path().extension() == ".choir") paths.push_back(entry.path());
  std::ranges::sort(paths);
  return paths;
}

/// Before main(), so that gtest lists them.
const bool registered = [] {
  for (const fs::path& path : case_paths())
    testing::RegisterTest(path.parent_path().filename().c_str(), path.stem().c_str(), nullptr,
                          nullptr, path.c_str(), 1,
                          [path]() -> testing::Test* { return new CaseTest(path); });
  return true;
}();

TEST(CaseFiles, AreFound) {
  EXPECT_TRUE(registered);
  EXPECT_GT(case_paths().size(), 100U);
}

/// The inputs of all case files that start so, as one text.
std::string cases_with(std::string_view start) {
  std::string all;
  for (const fs::path& path : case_paths())
    if (const auto file = read_case_file(path); file && file->input.starts_with(start))
      all += file->input;
  return all;
}

TEST(CaseFiles, EveryTensorOperationRuns) {
  const std::string all = cases_with("// test: run");
  for (const choir::OperationDefinition* operation : registry().operations())
    if (operation->name.starts_with("tensor.")) {
      EXPECT_NE(all.find(std::string(operation->name) + " "), std::string::npos)
          << "no case file runs " << operation->name;
    }
}

TEST(CaseFiles, EveryPassHasOne) {
  const choir::PassRegistry registry = preparation::pass_registry();
  for (const choir::PassRegistration& pass : registry.passes())
    EXPECT_NE(cases_with("// test: pass " + std::string(pass.name)), "") << pass.name;
}

}  // namespace
}  // namespace accy::test
