// One program gives the same bytes in every process, with any number of workers, with and without a
// cache: every example and every test program, for every target.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <map>

#include "support/programs.hpp"
#include "support/temporary_folder.hpp"

namespace accy::test {
namespace {

namespace fs = std::filesystem;

std::string read_text(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// All files below a folder by their relative names.
std::map<std::string, std::string> contents(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file())
      files.emplace(fs::relative(entry.path(), folder).string(), read_text(entry.path()));
  return files;
}

struct Source {
  std::string name;
  std::string target;
  fs::path file;     ///< of an example
  std::string text;  ///< of a test program
};

std::vector<Source> sources() {
  std::vector<Source> sources;
  const fs::path examples = fs::path(ACCY_SOURCE_DIR) / "examples";
  for (const std::string target : {"cuda:sm_80", "vulkan:lavapipe", "interpreter:generic"}) {
    const std::string suffix = "_" + target.substr(0, target.find(':'));
    for (const auto& entry : fs::recursive_directory_iterator(examples))
      if (entry.path().extension() == ".choir")
        sources.push_back({entry.path().stem().string() + suffix, target, entry.path(), ""});
    for (const Program& program : programs())
      sources.push_back({"program_" + program.name + suffix, target, "", program.text});
  }
  return sources;
}

void PrintTo(const Source& source, std::ostream* output) { *output << source.name; }

class DeterminismTest : public ::testing::TestWithParam<Source> {
 protected:
  /// What a process of its own writes with these options; empty when it fails.
  std::map<std::string, std::string> compile(const std::string& options) {
    const fs::path output = folder_.path() / std::to_string(count_++);
    const std::string command = std::string(ACCY_PROGRAM) + " compile " + file_.string() +
                                " --target " + GetParam().target + " -o " + output.string() + " " +
                                options + " > " + (folder_.path() / "log").string() + " 2>&1";
    if (std::system(command.c_str()) != 0) return {};
    return contents(output);
  }

  TemporaryFolder folder_;
  fs::path file_ = GetParam().file;
  int count_ = 0;
};

TEST_P(DeterminismTest, GivesTheSameBytes) {
  if (file_.empty()) {
    file_ = folder_.path() / "p.choir";
    std::ofstream(file_, std::ios::binary) << GetParam().text;
  }
  const auto first = compile("--workers 1");
  ASSERT_GE(first.size(), 7U) << read_text(folder_.path() / "log");
  const std::string cache = "--cache " + (folder_.path() / "cache").string();
  EXPECT_TRUE(compile("--workers 1") == first) << "in another process";
  EXPECT_TRUE(compile("--workers 2") == first) << "with two workers";
  EXPECT_TRUE(compile(cache) == first) << "with an empty cache";
  EXPECT_TRUE(compile(cache) == first) << "with a warm cache";
}

INSTANTIATE_TEST_SUITE_P(Programs, DeterminismTest, ::testing::ValuesIn(sources()),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace accy::test
