// Reproducers: what a real failure leaves fails again; malformed ones say what is wrong; a crash
// leaves one too.
#include <csignal>
#include <fstream>
#include <gmock/gmock.h>
#include <iterator>
#include <sstream>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "preparation/reproducer.hpp"
#include "support/crash_file.hpp"
#include "support/temporary_folder.hpp"
#include "targets/registry.hpp"
#include "tools/compile.hpp"
#include "tools/reproduce.hpp"

namespace accy::tools {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr std::string_view program = R"(choir semantic v1
tensor.func @main {inputs = ["a"], outputs = ["y"]} (%a: tensor<f32, [4]>) {
  %b = tensor.exp %a
  %y = tensor.reduce %b {axes = [0], function = sum}
  tensor.return %y
}
)";

std::string read_text(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

void write_text(const fs::path& path, std::string_view text) {
  std::ofstream(path, std::ios::binary) << text;
}

class ReproducerTest : public ::testing::Test {
 protected:
  /// Compiles for a profile under which a pass fails; the reproducer's path.
  fs::path failing_compile() {
    write_text(folder_.path() / "p.choir", program);
    TargetProfile profile = *targets::find_profile("interpreter:generic");
    profile.name = "tiny";
    profile.allocation_bytes_maximum = 4;
    write_text(folder_.path() / "tiny.json", to_json(profile));
    std::ostringstream output;
    const Status status = run_compile({.file = folder_.path() / "p.choir",
                                       .targets = {(folder_.path() / "tiny.json").string()},
                                       .reproducers = folder_.path() / "left"},
                                      output);
    EXPECT_FALSE(status);
    EXPECT_THAT(status.error().to_string(), HasSubstr("leaving the reproducer "));
    std::vector<fs::path> left;
    for (const auto& entry : fs::directory_iterator(folder_.path() / "left"))
      left.push_back(entry.path());
    EXPECT_EQ(left.size(), 1U);
    return left.empty() ? fs::path() : left.front();
  }

  Result<ExitCode> reproduce(const fs::path& file, bool json = false) {
    output_.str("");
    return run_reproduce({.file = file, .json = json}, output_);
  }

  std::string message(std::string_view text) {
    write_text(folder_.path() / "r.choir", text);
    const auto code = reproduce(folder_.path() / "r.choir");
    return code ? "no error" : code.error().to_string();
  }

  test::TemporaryFolder folder_;
  std::ostringstream output_;
};

TEST_F(ReproducerTest, AFailureComesAgain) {
  const fs::path file = failing_compile();
  EXPECT_THAT(file.filename().string(), StartsWith("p-accy-choir-kernel-accy-choir-"));
  const auto code = reproduce(file);
  ASSERT_TRUE(code.has_value()) << code.error().to_string();
  EXPECT_EQ(*code, ExitCode::done) << output_.str();
  EXPECT_THAT(output_.str(), HasSubstr("\nreproduced\n"));
  ASSERT_TRUE(reproduce(file, true));
  const auto document = nlohmann::json::parse(output_.str());
  EXPECT_EQ(document.at("reproduced"), true);
  EXPECT_EQ(document.at("recorded").at("pass"), document.at("seen").at("pass"));
}

TEST_F(ReproducerTest, OneThatPassesOrFailsOtherwiseIsSaid) {
  const std::string text = read_text(failing_compile());
  const auto with = [&](std::string_view from, std::string_view to) {
    std::string changed = text;
    changed.replace(changed.find(from), from.size(), to);
    write_text(folder_.path() / "r.choir", changed);
    const auto code = reproduce(folder_.path() / "r.choir");
    EXPECT_TRUE(code.has_value()) << code.error().to_string();
    return code.value_or(ExitCode::internal_error);
  };
  EXPECT_EQ(with("\"kind\":\"pass_failed\"", "\"kind\":\"exception\""), ExitCode::check_failed);
  EXPECT_EQ(with("\"kind\":\"pass_failed\"", "\"kind\":\"crashed\""), ExitCode::done);
  EXPECT_EQ(with("\"allocation_bytes_maximum\":4", "\"allocation_bytes_maximum\":4096"),
            ExitCode::check_failed);
  EXPECT_THAT(output_.str(), HasSubstr("not reproduced"));
}

TEST_F(ReproducerTest, MalformedFilesAreRefused) {
  const std::string text = read_text(failing_compile());
  const auto without = [&](std::string_view piece, std::string_view instead) {
    std::string changed = text;
    changed.replace(changed.find(piece), piece.size(), instead);
    return message(changed);
  };
  EXPECT_THAT(message(""), HasSubstr("r.choir:1: is no reproducer of this version"));
  EXPECT_THAT(message("// accy-reproducer 2\n"), HasSubstr("is no reproducer of this version"));
  EXPECT_THAT(message("// accy-reproducer 1\nchoir"), HasSubstr("r.choir:2: has no heading"));
  EXPECT_THAT(message("// accy-reproducer 1\n// {\n"), HasSubstr("r.choir:2:1"));
  EXPECT_THAT(message("// accy-reproducer 1\n// []\n"),
              HasSubstr("r.choir:2: the heading is no JSON object"));
  EXPECT_THAT(message("// accy-reproducer 1\n// {}\n"), HasSubstr("the heading has no text 'pipe"));
  EXPECT_THAT(without("\"workers\":", "\"w\":"), HasSubstr("the heading has no number 'workers'"));
  EXPECT_THAT(without("\"kind\":\"pass_failed\"", "\"kind\":\"odd\""),
              AllOf(HasSubstr("r.choir:2: kind \"odd\""), HasSubstr(" is unknown")));
  EXPECT_THAT(without("\"buffer_alignment\":", "\"b\":"), HasSubstr("buffer_alignment is missing"));
  EXPECT_THAT(without("\"steps\":\"accy", "\"steps\":\"nothing"), HasSubstr("nothing-choir"));
  EXPECT_THAT(without("host.func @", "host.fun @"), HasSubstr("unknown operation 'host.fun'"));
}

TEST_F(ReproducerTest, NamesHoldPlainCharactersOnly) {
  choir::PassFailure failure;
  failure.pipeline = "accy-choir-target";
  failure.symbol = "../a b\n";
  EXPECT_EQ(preparation::reproducer_name("p/q", failure), "p_q-accy-choir-target-.._a_b_.choir");
}

/// What a child process leaves that does this and does not come back.
template <class Function>
int status_of_child(Function function) {
  const pid_t child = ::fork();
  if (child == 0) {
    function();
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return status;
}

TEST_F(ReproducerTest, ACrashWritesThePreparedFile) {
  const fs::path file = folder_.path() / "crash";
  for (const int signal : {SIGABRT, SIGSEGV, SIGFPE, SIGBUS, SIGILL}) {
    const int status = status_of_child([&] {
      const CrashFileHandler handler;
      prepare_crash_file(file.string(), "was at work");
      ::raise(signal);
    });
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == signal) << signal;
    EXPECT_EQ(read_text(file), "was at work");
    fs::remove(file);
  }
}

int overflow_the_stack(int depth) {
  volatile char frame[4096] = {};
  return depth < 0 ? frame[0] : overflow_the_stack(depth + 1) + frame[1];
}

TEST_F(ReproducerTest, AStackThatOverflowsOnAnyThreadIsACrash) {
  const fs::path file = folder_.path() / "crash";
  const int status = status_of_child([&] {
    const CrashFileHandler handler;
    std::thread([&] {
      prepare_crash_file(file.string(), "recursed");
      overflow_the_stack(0);
    }).join();
  });
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(read_text(file), "recursed");
}

TEST_F(ReproducerTest, NothingPreparedWritesNothing) {
  const fs::path file = folder_.path() / "crash";
  const int status = status_of_child([&] {
    const CrashFileHandler handler;
    prepare_crash_file(file.string(), "done");
    clear_crash_file();
    std::abort();
  });
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_FALSE(fs::exists(file));
}

}  // namespace
}  // namespace accy::tools
