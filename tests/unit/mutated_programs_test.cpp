// 500 mutated programs and weights through the accy program: it exits with 0 or 2, whatever they
// are. Once as it is, once built with the address and undefined-behaviour sanitizers.
#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/mutate.hpp"
#include "support/temporary_folder.hpp"

namespace accy::test {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t mutation_count = 500;
constexpr rlim_t cpu_seconds = 30;

std::string read_text(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

void write_text(const fs::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

/// A program with the weight file that it reads; empty when it reads none.
struct Seed {
  std::string program;
  fs::path weights;
};

std::vector<Seed> seeds() {
  const fs::path root(ACCY_SOURCE_DIR);
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(root / "tests/cases/run"))
    if (entry.path().extension() == ".choir") paths.push_back(entry.path());
  std::ranges::sort(paths);
  std::vector<Seed> seeds;
  for (const fs::path& path : paths) seeds.push_back({read_text(path), {}});
  for (int times = 0; times < 20; ++times)
    seeds.push_back({read_text(root / "examples/digits/digits.choir"),
                     root / "examples/digits/digits.safetensors"});
  return seeds;
}

/// Another number, word or line where one was: what bytes alone seldom give.
std::string mutate_tokens(std::string text, std::mt19937& random) {
  static constexpr std::array<const char*, 24> tokens{"0",
                                                      "1",
                                                      "-1",
                                                      "7",
                                                      "4096",
                                                      "1048576",
                                                      "1099511627776",
                                                      "9223372036854775807",
                                                      "f16",
                                                      "i64",
                                                      "bool",
                                                      "tensor.matmul",
                                                      "tensor.reduce",
                                                      "tensor.reshape",
                                                      "tensor.softmax",
                                                      "tensor.broadcast",
                                                      "tensor.constant",
                                                      "tensor.weight",
                                                      "%a",
                                                      "%x",
                                                      "[]",
                                                      "nan",
                                                      "{",
                                                      "}"};
  const auto is_word = [](char character) {
    return std::isalnum(static_cast<unsigned char>(character)) != 0 || character == '.' ||
           character == '_' || character == '%';
  };
  std::size_t start = text.empty() ? 0 : random() % text.size();
  while (start < text.size() && !is_word(text[start])) ++start;
  std::size_t end = start;
  while (end < text.size() && is_word(text[end])) ++end;
  return text.replace(start, end - start, tokens[random() % tokens.size()]);
}

std::string mutated(const std::string& text, std::mt19937& random) {
  if (random() % 3 == 0) return mutate(text, random);
  std::string result = text;
  for (std::size_t count = 1 + random() % 3; count > 0; --count)
    result = mutate_tokens(std::move(result), random);
  return result;
}

/// Names in `inputs = [...]`, each to be given random values.
std::vector<std::string> input_arguments(const std::string& program) {
  std::vector<std::string> arguments;
  const std::size_t list = program.find("inputs = [");
  const std::size_t end = program.find(']', list);
  for (std::size_t quote = program.find('"', list); quote < end;
       quote = program.find('"', quote + 1)) {
    const std::size_t close = program.find('"', quote + 1);
    if (close == std::string::npos) break;
    arguments.push_back("--input");
    arguments.push_back(program.substr(quote + 1, close - quote - 1) + "=random:1");
    quote = close;
  }
  return arguments;
}

std::vector<std::string> command(std::size_t number, const fs::path& file,
                                 const std::string& program) {
  static constexpr std::array<const char*, 3> targets{"cuda:sm_80", "vulkan:generic",
                                                      "interpreter:generic"};
  if (number % 2 == 0) return {"compile", file, "--json", "--target", targets[number / 2 % 3]};
  std::vector<std::string> arguments{"run", file, "--device",
                                     number % 4 == 1 ? "reference" : "interpreter"};
  for (std::string& argument : input_arguments(program)) arguments.push_back(std::move(argument));
  return arguments;
}

/// The wait status of the program, its output in `log`.
int run(const fs::path& accy, const std::vector<std::string>& arguments, const fs::path& log) {
  std::vector<char*> pointers{const_cast<char*>(accy.c_str())};
  for (const std::string& argument : arguments)
    pointers.push_back(const_cast<char*>(argument.c_str()));
  pointers.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    const rlimit limit{cpu_seconds, cpu_seconds};
    setrlimit(RLIMIT_CPU, &limit);
    setenv("UBSAN_OPTIONS", "halt_on_error=1:print_stacktrace=1", 1);
    const int file = open(log.c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0600);
    dup2(file, STDOUT_FILENO);
    dup2(file, STDERR_FILENO);
    execv(accy.c_str(), pointers.data());
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

void expect_zero_or_two(const fs::path& accy) {
  const TemporaryFolder folder;
  const fs::path file = folder.path() / "program.choir";
  const fs::path log = folder.path() / "log";
  const std::vector<Seed> all = seeds();
  std::mt19937 random(20261201);
  std::size_t accepted = 0;
  for (std::size_t number = 0; number < mutation_count; ++number) {
    const Seed& seed = all[random() % all.size()];
    std::string program = seed.program;
    if (!seed.weights.empty() && random() % 4 != 0)
      write_text(folder.path() / seed.weights.filename(), mutate(read_text(seed.weights), random));
    else
      program = mutated(program, random);
    write_text(file, program);
    const auto arguments = command(number, file, program);
    const int status = run(accy, arguments, log);
    const bool exited = WIFEXITED(status);
    if (exited && WEXITSTATUS(status) == 0) ++accepted;
    if (exited && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 2)) continue;
    std::string line = accy.string();
    for (const std::string& argument : arguments) line += " " + argument;
    ADD_FAILURE() << "mutation " << number << ": "
                  << (exited ? "exit code " + std::to_string(WEXITSTATUS(status))
                             : "signal " + std::to_string(WTERMSIG(status)))
                  << "\n"
                  << line << "\n"
                  << program << "\n"
                  << read_text(log);
  }
  // Mutations that are all refused at once would prove little, as would ones that change nothing.
  EXPECT_GT(accepted, mutation_count / 20);
  EXPECT_LT(accepted, mutation_count * 19 / 20);
}

TEST(MutatedPrograms, ExitWithZeroOrTwo) { expect_zero_or_two(ACCY_PROGRAM); }

TEST(MutatedPrograms, ExitWithZeroOrTwoUnderSanitizers) {
  if (!fs::exists(ACCY_SANITIZED_PROGRAM))
    GTEST_SKIP() << ACCY_SANITIZED_PROGRAM << " is not built (scripts/build fuzz)";
  expect_zero_or_two(ACCY_SANITIZED_PROGRAM);
}

}  // namespace
}  // namespace accy::test
