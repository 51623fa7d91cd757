// README's example is the program examples/hello/hello.cpp, which runs.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

namespace {

std::string read_text(const std::string& path) {
  std::ifstream stream(std::string(ACCY_SOURCE_DIR) + "/" + path);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// The code between the markers, without the fence.
std::string quoted_example(const std::string& readme) {
  const std::string begin = "<!-- examples/hello/hello.cpp -->\n```cpp\n";
  const std::size_t from = readme.find(begin);
  const std::size_t to = readme.find("```\n<!-- end -->", from);
  if (from == std::string::npos || to == std::string::npos) return "no marked example";
  return readme.substr(from + begin.size(), to - from - begin.size());
}

TEST(Readme, QuotesTheHelloExample) {
  const std::string example = read_text("examples/hello/hello.cpp");
  ASSERT_FALSE(example.empty());
  EXPECT_EQ(quoted_example(read_text("README.md")), example);
}

TEST(Readme, HelloExampleRuns) {
  FILE* pipe = popen(ACCY_HELLO, "r");
  ASSERT_NE(pipe, nullptr);
  std::string output;
  for (int byte = std::fgetc(pipe); byte != EOF; byte = std::fgetc(pipe))
    output += static_cast<char>(byte);
  EXPECT_EQ(pclose(pipe), 0);
  std::istringstream lines(output);
  const std::vector<double> values{std::istream_iterator<double>(lines), {}};
  // Softmax of equal numbers, then of 1, 2 and 3: e^k / (e + e^2 + e^3).
  const std::vector<double> expected{1.0 / 3, 1.0 / 3, 1.0 / 3, 0.0900, 0.2447, 0.6652};
  ASSERT_EQ(values.size(), expected.size()) << output;
  for (std::size_t index = 0; index < expected.size(); ++index)
    EXPECT_NEAR(values[index], expected[index], 1e-4) << index;
}

}  // namespace
