// Artifacts: a compiled program in one file runs as the program does, on a device like its profile.
#include <fstream>
#include <gmock/gmock.h>
#include <iterator>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

#include "accy/session.hpp"
#include "preparation/artifact.hpp"
#include "support/temporary_folder.hpp"
#include "targets/registry.hpp"
#include "tools/compile.hpp"
#include "tools/run.hpp"

namespace accy::tools {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr std::string_view program = R"(choir semantic v1 {dimensions = {n = {default = 5}}}
tensor.func @main {inputs = ["a", "b"], outputs = ["y"]} (%a: tensor<f32, [n, 4]>, %b: tensor<f32, [4, 3]>) {
  %m = tensor.matmul %a, %b
  %y = tensor.softmax %m {axis = 1}
  tensor.return %y
}
)";

class ArtifactTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::ofstream(folder_.path() / "p.choir", std::ios::binary) << program;
    std::ostringstream output;
    const Status status = run_compile(
        {.file = folder_.path() / "p.choir", .targets = {"interpreter:generic"}, .output = file_},
        output);
    ASSERT_TRUE(status) << status.error().to_string();
    std::ifstream stream(file_, std::ios::binary);
    bytes_ = {std::istreambuf_iterator<char>(stream), {}};
  }

  static std::string error_of(std::string_view bytes) {
    const auto artifact = preparation::parse_artifact(bytes, "x.accy");
    return artifact ? "no error" : artifact.error().message;
  }
  static std::string sealed(std::string body) {
    return body + digest_of(std::string_view(body)).to_string() + "\n";
  }
  /// The artifact with a piece of its heading replaced, and a digest that holds.
  std::string with(std::string_view from, std::string_view to) const {
    std::string body = bytes_.substr(0, bytes_.size() - 33);
    body.replace(body.find(from), from.size(), to);
    return sealed(body);
  }

  test::TemporaryFolder folder_;
  fs::path file_ = folder_.path() / "p.accy";
  std::string bytes_;
};

TEST_F(ArtifactTest, RunsAsTheProgramDoes) {
  const std::vector<HostTensor> inputs{
      *HostTensor::from_values(ElementType::f32, std::vector<std::int64_t>{5, 4},
                               std::vector<double>(20, 0.25)),
      *HostTensor::from_values(ElementType::f32, std::vector<std::int64_t>{4, 3},
                               std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})};
  for (const char* device : {"interpreter", "reference"}) {
    auto compiled = Session::open((folder_.path() / "p.choir").string(), {.device = device});
    auto loaded = Session::open(file_.string(), {.device = device});
    ASSERT_TRUE(compiled && loaded) << loaded.error().to_string();
    EXPECT_EQ(loaded->inputs()[0].name, "a");
    const auto expected = compiled->run(inputs);
    const auto outputs = loaded->run(inputs);
    ASSERT_TRUE(expected && outputs) << outputs.error().to_string();
    EXPECT_EQ(outputs->at(0).bytes, expected->at(0).bytes);
    const auto checks = loaded->check(inputs, *outputs);
    ASSERT_TRUE(checks.has_value()) << checks.error().to_string();
    EXPECT_TRUE(checks->at(0).pass);
  }
}

TEST_F(ArtifactTest, TheToolRunsIt) {
  std::ostringstream output;
  const auto code = run_program({.file = file_,
                                 .device = "interpreter",
                                 .inputs = {"a=random:1", "b=random:2"},
                                 .check = true},
                                output, output);
  ASSERT_TRUE(code.has_value()) << code.error().to_string();
  EXPECT_EQ(*code, ExitCode::done) << output.str();
}

TEST_F(ArtifactTest, IsForOneTargetAndOneDeviceLikeItsProfile) {
  std::ostringstream output;
  const Status two = run_compile({.file = folder_.path() / "p.choir",
                                  .targets = {"interpreter:generic", "interpreter:generic"},
                                  .output = file_},
                                 output);
  EXPECT_THAT(two.error().message, HasSubstr("is for one target, not 2"));
  EXPECT_THAT(Session::open(file_.string(), {.device = "interpreter", .dimensions = {{"n", 6}}})
                  .error()
                  .message,
              HasSubstr("the sizes of an artifact's dimensions are fixed"));
  const auto artifact = preparation::parse_artifact(bytes_, "x.accy");
  ASSERT_TRUE(artifact.has_value()) << artifact.error().to_string();
  TargetProfile device = artifact->profile;
  device.driver = "another";  // nothing read it
  EXPECT_TRUE(preparation::require_device(*artifact, device));
  device.workgroup_invocations_maximum = 7;
  EXPECT_THAT(preparation::require_device(*artifact, device).error().message,
              AllOf(HasSubstr("the artifact was compiled for interpreter:generic, whose "
                              "workgroup_invocations_maximum is "),
                    HasSubstr("that of interpreter:generic is 7")));
}

TEST_F(ArtifactTest, DamageIsNoticed) {
  for (std::size_t size = 0; size < bytes_.size(); size += 64)
    EXPECT_NE(error_of(std::string_view(bytes_).substr(0, size)), "no error") << size;
  std::mt19937 random(9);
  for (int round = 0; round < 200; ++round) {
    std::string damaged = bytes_;
    damaged[random() % damaged.size()] ^= static_cast<char>(1U << random() % 8);
    EXPECT_NE(error_of(damaged), "no error");
  }
}

TEST_F(ArtifactTest, ForgedFilesAreRefused) {
  EXPECT_EQ(error_of(bytes_), "no error");
  EXPECT_THAT(error_of("accy-artifact 2\n"), HasSubstr("is no artifact of this version"));
  EXPECT_THAT(error_of("accy-artifact 1\n"), HasSubstr("artifact is cut off"));
  EXPECT_THAT(error_of("accy-artifact 1\n" + std::string(64, 'x')),
              HasSubstr("artifact is not what was written (its digest differs)"));
  EXPECT_THAT(error_of(sealed("accy-artifact 1\n[]\n")),
              HasSubstr("the artifact's heading is no JSON object"));
  EXPECT_THAT(error_of(sealed("accy-artifact 1\n{}\n")),
              HasSubstr("the artifact's heading does not tell the sizes of its products"));
  EXPECT_THAT(error_of(with("\"facts\":", "\"fakes\":")),
              HasSubstr("the artifact's heading has no facts"));
  EXPECT_THAT(error_of(with("\"facts\":{", "\"facts\":{\"a\":1,")),
              HasSubstr("a fact of the artifact's heading is no text"));
  EXPECT_THAT(error_of(with("\"profile\":{", "\"profile\":{\"x\":1,")), HasSubstr("is unknown"));
}

TEST_F(ArtifactTest, ProductsOfOtherStagesAreRefused) {
  const auto artifact = preparation::parse_artifact(bytes_, "x.accy");
  ASSERT_TRUE(artifact.has_value());
  std::string swapped = bytes_.substr(0, bytes_.size() - 33);
  const std::size_t end = swapped.find('\n', 16);
  const auto heading = nlohmann::json::parse(swapped.substr(16, end - 16));
  const std::string contract = swapped.substr(end + 1, heading.at("contract"));
  const std::string target = swapped.substr(end + 1 + contract.size());
  auto exchanged = heading;
  exchanged["contract"] = target.size();
  exchanged["target"] = contract.size();
  EXPECT_THAT(error_of(sealed("accy-artifact 1\n" + exchanged.dump() + "\n" + target + contract)),
              HasSubstr("holds a product of stage target, not contract"));
}

}  // namespace
}  // namespace accy::tools
