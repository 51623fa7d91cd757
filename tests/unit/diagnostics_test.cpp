// Every diagnostic has a test: one of the fixed pieces of each message that a source can produce is
// part of what a test expects (a string of a unit test, an `// error:` line of a case file), or
// holds it; or the message's longest piece stands in tests/cases/diagnostics.txt with the reason.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "support/message_scan.hpp"

namespace accy::test {
namespace {

namespace fs = std::filesystem;

fs::path root() { return ACCY_SOURCE_DIR; }

std::string read_text(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::vector<fs::path> files_under(const std::string& folder, const std::string& extension) {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::recursive_directory_iterator(root() / folder))
    if (entry.path().extension() == extension) paths.push_back(entry.path());
  std::ranges::sort(paths);
  return paths;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::size_t start = 0;
  while (start < text.size()) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    lines.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return lines;
}

/// What tests expect to read: literals and error lines that could be part of a message.
std::vector<std::string> expectations() {
  std::vector<std::string> all;
  const auto add = [&](std::string text) {
    // A test often goes on with the values, which stand in parentheses.
    const std::string fixed = text.substr(0, text.find(" ("));
    if (fixed.size() >= 10 && fixed.find(' ') != std::string::npos) all.push_back(fixed);
    if (fixed.size() < text.size()) all.push_back(std::move(text));
  };
  for (const fs::path& path : files_under("tests/unit", ".cpp"))
    for (std::string& literal : string_literals(read_text(path))) add(std::move(literal));
  for (const fs::path& path : files_under("tests/cases", ".choir"))
    for (const std::string& line : lines_of(read_text(path)))
      if (const std::size_t mark = line.find("// error: "); mark != std::string::npos)
        add(line.substr(mark + 10));
  return all;
}

bool is_expected(const SourceMessage& message, const std::vector<std::string>& expected) {
  return std::ranges::any_of(message.pieces, [&](const std::string& piece) {
    return std::ranges::any_of(expected, [&](const std::string& text) {
      return text.find(piece) != std::string::npos ||
             (text.size() >= 10 && piece.find(text) != std::string::npos);
    });
  });
}

std::string name_of(const SourceMessage& message) {
  return *std::ranges::max_element(message.pieces, {}, &std::string::size);
}

/// Messages by name with their reason: the `# ` line above them.
std::map<std::string, std::string> exceptions() {
  std::map<std::string, std::string> list;
  std::string reason;
  for (const std::string& line : lines_of(read_text(root() / "tests/cases/diagnostics.txt"))) {
    if (line.starts_with("# ")) reason = line.substr(2);
    else if (!line.empty()) list[line] = reason;
  }
  return list;
}

struct Produced {
  std::string place;
  SourceMessage message;
};

std::vector<Produced> produced() {
  std::vector<Produced> list;
  for (const std::string folder : {"core", "runtime", "targets"})
    for (const fs::path& path : files_under(folder, ".cpp"))
      for (SourceMessage& message : source_messages(read_text(path)))
        list.push_back({fs::relative(path, root()).generic_string() + ":" +
                            std::to_string(message.line),
                        std::move(message)});
  return list;
}

TEST(Diagnostics, EachHasATest) {
  const auto expected = expectations();
  const auto excepted = exceptions();
  for (const auto& [place, message] : produced())
    EXPECT_TRUE(is_expected(message, expected) || excepted.contains(name_of(message)))
        << place << ": no test expects '" << name_of(message) << "'";
}

TEST(Diagnostics, ExceptionsAreMessagesWithAReason) {
  std::set<std::string> names;
  for (const Produced& each : produced()) names.insert(name_of(each.message));
  const bool whole = std::ranges::all_of(std::array{"cuda", "vulkan", "interpreter"},
                                         [](const char* target) {
                                           return fs::exists(root() / "targets" / target);
                                         });
  for (const auto& [text, reason] : exceptions()) {
    EXPECT_TRUE(!whole || names.contains(text)) << "no source produces '" << text << "'";
    EXPECT_FALSE(reason.empty()) << "no reason for '" << text << "'";
  }
}

TEST(Diagnostics, ScanFindsMessages) {
  const auto found = source_messages(
      "// fail(\"comment\")\n"
      "return fail(code, \"dimension '\" + name +\n"
      "    \"' (\" + std::to_string(f(1)) + \") is \"\n"
      "    \"outside\");\nfailure(\"no such call\"); report(op, other);"
      "report(op, format(\"kernel {} has {} registers\", a, b));");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].line, 2U);
  EXPECT_EQ(found[0].pieces, (std::vector<std::string>{"dimension", "is outside"}));
  EXPECT_EQ(found[1].pieces, (std::vector<std::string>{"registers"}));
  EXPECT_EQ(string_literals("a(\"b\" \"c\", \"d)\\\"\")"),
            (std::vector<std::string>{"bc", "d)\""}));
}

}  // namespace
}  // namespace accy::test
