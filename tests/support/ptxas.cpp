#include "support/ptxas.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <regex>
#include <sstream>
#include <sys/wait.h>
#include <tuple>
#include <unistd.h>
#include <utility>

#include "support/temporary_folder.hpp"

namespace accy::test {

namespace {

std::int64_t sum_of(const std::string& text, const std::regex& pattern) {
  std::int64_t sum = 0;
  for (std::sregex_iterator match(text.begin(), text.end(), pattern), end; match != end; ++match)
    sum += std::stoll((*match)[1].str());
  return sum;
}

std::int64_t largest_of(const std::string& text, const std::regex& pattern) {
  std::int64_t largest = 0;
  for (std::sregex_iterator match(text.begin(), text.end(), pattern), end; match != end; ++match)
    largest = std::max<std::int64_t>(largest, std::stoll((*match)[1].str()));
  return largest;
}

/// Runs a command line and returns its exit code and output.
std::pair<int, std::string> run(const std::string& command) {
  std::string output;
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return {-1, "popen failed"};
  std::array<char, 4096> block{};
  while (const std::size_t count = fread(block.data(), 1, block.size(), pipe))
    output.append(block.data(), count);
  const int status = pclose(pipe);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, output};
}

}  // namespace

bool PtxasReport::clean() const {
  static const std::regex note(R"(\(C75\d\d\))");
  return exit_code == 0 && spill_bytes == 0 && stack_bytes == 0 &&
         output.find("warning") == std::string::npos && !std::regex_search(output, note);
}

std::optional<std::string> find_ptxas() {
  std::istringstream folders(std::getenv("PATH") == nullptr ? "" : std::getenv("PATH"));
  for (std::string folder; std::getline(folders, folder, ':');)
    if (access((folder + "/ptxas").c_str(), X_OK) == 0) return folder + "/ptxas";
  const std::string usual = "/usr/local/cuda/bin/ptxas";
  return access(usual.c_str(), X_OK) == 0 ? std::optional(usual) : std::nullopt;
}

PtxasReport assemble(const std::string& ptxas, const std::string& text,
                     const std::string& architecture) {
  static const std::regex registers(R"(Used (\d+) registers)");
  static const std::regex spills(R"((\d+) bytes spill)");
  static const std::regex stack(R"((\d+) bytes stack frame)");
  const TemporaryFolder folder;
  const std::string source = (folder.path() / "kernel.ptx").string();
  std::ofstream(source) << text;
  PtxasReport report;
  std::tie(report.exit_code, report.output) =
      run(ptxas + " -v -arch=" + architecture + " " + source + " -o " + source + ".cubin");
  report.registers = largest_of(report.output, registers);
  report.spill_bytes = sum_of(report.output, spills);
  report.stack_bytes = sum_of(report.output, stack);
  return report;
}

}  // namespace accy::test
