// accy compile and accy run, called as the program calls them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "choir/text.hpp"
#include "dialect/dialects.hpp"
#include "frontend/npy.hpp"
#include "support/file.hpp"
#include "support/temporary_folder.hpp"
#include "targets/registry.hpp"
#include "tools/assignments.hpp"
#include "tools/cache.hpp"
#include "tools/compile.hpp"
#include "tools/run.hpp"
#include "tools/run_inputs.hpp"

namespace accy::tools {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

/// r = x * y + w, where w is a weight and y a row.
constexpr std::string_view program_text = R"(choir semantic v1
tensor.func @main {inputs = ["x", "y"], outputs = ["r"]}
    (%x: tensor<f32, [n, 3]>, %y: tensor<f32, [3]>) {
  %row = tensor.broadcast %y {axes = [1]} : tensor<f32, [n, 3]>
  %product = tensor.mul %x, %row : tensor<f32, [n, 3]>
  %w = tensor.weight {file = "w.safetensors", tensor = "w"} : tensor<f32, [3]>
  %all = tensor.broadcast %w {axes = [1]} : tensor<f32, [n, 3]>
  %r = tensor.add %product, %all : tensor<f32, [n, 3]>
  tensor.return %r
}
)";

void write(const fs::path& path, std::string_view content) {
  const auto status = write_file(path, std::as_bytes(std::span(content)));
  ASSERT_TRUE(status) << status.error().to_string();
}

std::string read_text(const fs::path& path) {
  const auto content = read_file(path, 1 << 24);
  if (!content) return content.error().to_string();
  return {reinterpret_cast<const char*>(content->data()), content->size()};
}

HostTensor f32(const std::vector<std::int64_t>& shape, const std::vector<double>& values) {
  return *HostTensor::from_values(ElementType::f32, shape, values);
}

/// Ids of the first profile of every backend in this build.
std::vector<std::string> first_profiles() {
  std::vector<std::string> ids;
  for (const targets::Target& target : targets::all())
    ids.push_back(target.backend->profiles().front().id());
  return ids;
}

/// A device that is here on every machine; empty when the build has none.
std::string interpreter() {
  for (const runtime::DeviceInfo& device : targets::enumerate().devices)
    if (device.kind == runtime::DeviceKind::interpreter) return device.name;
  return {};
}

class Commands : public ::testing::Test {
 protected:
  void SetUp() override {
    write(program_, program_text);
    const std::string header = R"({"w":{"dtype":"F32","shape":[3],"data_offsets":[0,12]}})";
    const HostTensor w = f32({3}, {100, 200, 300});
    std::string file(8, '\0');
    file[0] = static_cast<char>(header.size());
    file += header;
    file.append(reinterpret_cast<const char*>(w.bytes.data()), w.bytes.size());
    write(folder_.path() / "w.safetensors", file);
    ASSERT_TRUE(frontend::write_npy(x_, f32({2, 3}, {1, 2, 3, 4, 5, 6})));
    ASSERT_TRUE(frontend::write_npy(y_, f32({3}, {10, 20, 30})));
  }
  std::string error_of(const CompileOptions& options) {
    std::ostringstream output;
    const Status status = run_compile(options, output);
    EXPECT_EQ(output.str(), status ? output.str() : "");
    return status ? "no error" : status.error().to_string();
  }
  std::string error_of(const RunOptions& options) {
    std::ostringstream output;
    const auto code = run_program(options, output, output);
    return code ? "no error" : code.error().to_string();
  }
  RunOptions run_options() {
    return {.file = program_,
            .device = interpreter(),
            .inputs = {"x=" + x_.string(), "y=" + y_.string()},
            .output = folder_.path() / "out",
            .check = true,
            .json = true};
  }

  test::TemporaryFolder folder_;
  fs::path program_ = folder_.path() / "p.choir";
  fs::path x_ = folder_.path() / "x.npy";
  fs::path y_ = folder_.path() / "y.npy";
};

TEST_F(Commands, CompileReportsStagesAndKernels) {
  std::ostringstream output;
  const Status status = run_compile({.file = program_,
                                     .targets = {first_profiles().front()},
                                     .output = folder_.path() / "out",
                                     .dimensions = {"n=5"},
                                     .json = true},
                                    output);
  ASSERT_TRUE(status) << status.error().to_string();
  const json document = json::parse(output.str());
  EXPECT_EQ(document.at("schema"), "accy.compile/1");
  EXPECT_EQ(document.at("target"), first_profiles().front());
  std::vector<std::string> stages;
  for (const json& stage : document.at("stages")) {
    stages.push_back(stage.at("stage"));
    EXPECT_EQ(stage.at("digest").get<std::string>().size(), 32U);
    EXPECT_GT(stage.at("ops"), 0);
    EXPECT_EQ(stage.at("reused"), false);
    const std::string text = read_text(folder_.path() / "out" / (stages.back() + ".choir"));
    const auto module = choir::parse_and_verify(text, stages.back(), registry());
    ASSERT_TRUE(module) << module.error().to_string();
    EXPECT_EQ(choir::content_digest(*module).to_string(), stage.at("digest"));
  }
  EXPECT_THAT(stages, ElementsAre("semantic", "contract", "tensor", "dispatch", "memory", "kernel",
                                  "target"));
  ASSERT_GE(document.at("kernels").size(), 1U);
  const json& kernel = document["kernels"][0];
  EXPECT_EQ(kernel.at("kind"), "elementwise");
  EXPECT_EQ(kernel.at("workgroup").size(), 3U);
  EXPECT_EQ(kernel.at("grid").size(), 3U);
  EXPECT_EQ(document.at("constant_bytes"), 256);  // three floats, rounded up to a block
  std::size_t code_files = 0;
  for (const auto& entry : fs::directory_iterator(folder_.path() / "out" / "code")) {
    EXPECT_GT(entry.file_size(), 0U);
    ++code_files;
  }
  EXPECT_EQ(code_files, document["kernels"].size());
}

TEST_F(Commands, CompileForAllTargetsSharesFiveStages) {
  const std::vector<std::string> targets = first_profiles();
  std::ostringstream output;
  const Status status = run_compile({.file = program_,
                                     .targets = targets,
                                     .output = folder_.path() / "out",
                                     .emit = {"code"},
                                     .dimensions = {"n=5"},
                                     .json = true},
                                    output);
  ASSERT_TRUE(status) << status.error().to_string();
  if (targets.size() < 2) GTEST_SKIP() << "this build has one target";
  const json documents = json::parse(output.str());
  ASSERT_EQ(documents.size(), targets.size());
  for (std::size_t index = 1; index < targets.size(); ++index) {
    EXPECT_EQ(documents[index].at("target"), targets[index]);
    for (std::size_t stage = 1; stage < 5; ++stage) {
      const json& first = documents[0]["stages"][stage];
      const json& other = documents[index]["stages"][stage];
      EXPECT_EQ(first.at("reused"), false);
      EXPECT_EQ(other.at("reused"), true) << other;
      EXPECT_EQ(first.at("key"), other.at("key"));
      EXPECT_EQ(first.at("digest"), other.at("digest"));
    }
    std::string folder = targets[index];
    folder[folder.find(':')] = '-';
    EXPECT_TRUE(fs::exists(folder_.path() / "out" / folder / "code"));
    EXPECT_FALSE(fs::exists(folder_.path() / "out" / folder / "semantic.choir"));
  }
}

/// The document of a compile for the first profile.
json compile_document(const fs::path& program, CompileOptions options) {
  options.file = program;
  options.targets = {first_profiles().front()};
  options.dimensions = {"n=5"};
  options.json = true;
  std::ostringstream output;
  const Status status = run_compile(options, output);
  EXPECT_TRUE(status) << status.error().to_string();
  return json::parse(output.str());
}

TEST_F(Commands, CompileReportsTheTimeOfEachPass) {
  const json plain = compile_document(program_, {});
  EXPECT_FALSE(plain.contains("timing"));
  const json timing = compile_document(program_, {.timing = true}).at("timing");
  std::set<std::string> stages;
  for (const json& pass : timing.at("passes")) {
    stages.insert(pass.at("stage").get<std::string>());
    EXPECT_GE(pass.at("runs"), 1) << pass;
    EXPECT_GT(pass.at("operations_before"), 0) << pass;
  }
  EXPECT_EQ(stages, (std::set<std::string>{"contract", "tensor", "dispatch", "memory", "kernel",
                                           "target"}));
  std::ostringstream people;
  ASSERT_TRUE(run_compile({.file = program_,
                           .targets = {first_profiles().front()},
                           .dimensions = {"n=5"},
                           .timing = true},
                          people));
  EXPECT_THAT(people.str(), HasSubstr("accy-choir-emit-code"));
}

TEST_F(Commands, ACacheServesTheNextCompile) {
  const fs::path cache = folder_.path() / "cache";
  const json first = compile_document(program_, {.cache = cache});
  EXPECT_EQ(first.at("cache").at("hits"), 0);
  for (const json& kernel : first.at("kernels")) EXPECT_EQ(kernel.at("reused"), false);
  const json second = compile_document(program_, {.cache = cache});
  EXPECT_EQ(second.at("cache").at("misses"), 0);
  for (std::size_t stage = 1; stage < 7; ++stage)
    EXPECT_EQ(second.at("stages")[stage].at("reused"), true) << stage;
  for (const json& kernel : second.at("kernels")) EXPECT_EQ(kernel.at("reused"), true);
}

TEST_F(Commands, TheCacheIsLookedAfter) {
  const fs::path cache = folder_.path() / "cache";
  const auto cache_document = [&](CacheAction action, ExitCode expected = ExitCode::done) {
    std::ostringstream output;
    const auto code = run_cache({.action = action,
                                 .folder = cache,
                                 .file = folder_.path() / "archive",
                                 .bytes_maximum = 0,
                                 .json = true},
                                output);
    EXPECT_TRUE(code.has_value()) << code.error().to_string();
    EXPECT_EQ(code.value_or(ExitCode::internal_error), expected);
    return json::parse(output.str());
  };
  compile_document(program_, {.cache = cache});
  const json full = cache_document(CacheAction::stat);
  EXPECT_GE(full.at("traces"), 6);
  EXPECT_EQ(cache_document(CacheAction::export_to).at("traces"), full.at("traces"));
  EXPECT_EQ(cache_document(CacheAction::verify).at("damaged"), json::array());
  EXPECT_GT(cache_document(CacheAction::collect_garbage).at("removed"), 0);
  EXPECT_EQ(cache_document(CacheAction::stat).at("bytes"), 0);
  EXPECT_EQ(cache_document(CacheAction::import_from).at("traces"), full.at("traces"));
  for (const auto& entry : fs::recursive_directory_iterator(cache / "objects"))
    if (entry.is_regular_file()) fs::resize_file(entry.path(), 1);
  EXPECT_FALSE(cache_document(CacheAction::verify, ExitCode::check_failed).at("damaged").empty());
  std::ostringstream output;
  const auto none = run_cache({.folder = folder_.path() / "none"}, output);
  EXPECT_THAT(none.error().to_string(), HasSubstr("is not a store of accy"));
}

TEST_F(Commands, CompileForAProfileFile) {
  const auto profile = targets::find_profile(first_profiles().front());
  ASSERT_TRUE(profile);
  write(folder_.path() / "device.json", to_json(*profile));
  CompileOptions options{.file = program_,
                         .targets = {(folder_.path() / "device.json").string()},
                         .dimensions = {"n=5"}};
  EXPECT_EQ(error_of(options), "no error");
  TargetProfile other = *profile;
  other.target = "other";
  write(folder_.path() / "device.json", to_json(other));
  EXPECT_THAT(error_of(options), HasSubstr("target (other)"));
  write(folder_.path() / "device.json", "{}");
  EXPECT_THAT(error_of(options), HasSubstr("device.json: profile has"));
}

TEST_F(Commands, CompileRefusesBadArguments) {
  const std::string target = first_profiles().front();
  EXPECT_THAT(error_of(CompileOptions{.file = program_, .targets = {"no:such"}}),
              HasSubstr("no:such"));
  EXPECT_THAT(error_of(CompileOptions{.file = program_, .targets = {target}}), HasSubstr("n"));
  EXPECT_THAT(error_of(CompileOptions{.file = folder_.path() / "absent", .targets = {target}}),
              HasSubstr("cannot be opened"));
  for (const std::string dimension : {"n", "=1", "n=", "n=x", "n=-1", "n=1.5", "n=1099511627777"})
    EXPECT_THAT(
        error_of(CompileOptions{.file = program_, .targets = {target}, .dimensions = {dimension}}),
        HasSubstr("is not"))
        << dimension;
  EXPECT_THAT(
      error_of(CompileOptions{.file = program_, .targets = {target}, .dimensions = {"n=1", "n=2"}}),
      HasSubstr("dimension n is given twice"));
}

TEST_F(Commands, RunWritesCheckedOutputs) {
  if (interpreter().empty()) GTEST_SKIP() << "this build has no interpreter";
  std::ostringstream output;
  std::ostringstream problems;
  const auto code = run_program(run_options(), output, problems);
  ASSERT_TRUE(code) << code.error().to_string();
  EXPECT_EQ(*code, ExitCode::done) << problems.str();
  const json document = json::parse(output.str());
  EXPECT_EQ(document.at("schema"), "accy.run/1");
  EXPECT_EQ(document.at("device"), interpreter());
  EXPECT_EQ(document.at("check"), "pass");
  ASSERT_EQ(document.at("outputs").size(), 1U);
  const json& r = document["outputs"][0];
  EXPECT_EQ(r.at("name"), "r");
  EXPECT_EQ(r.at("dtype"), "f32");
  EXPECT_EQ(r.at("shape"), json({2, 3}));
  EXPECT_LE(r.at("max_error_over_bound"), 1.0);
  EXPECT_GE(document.at("kernels").size(), 1U);
  const auto tensor = frontend::read_npy(r.at("file").get<std::string>());
  ASSERT_TRUE(tensor) << tensor.error().to_string();
  EXPECT_THAT(tensor->view<float>(), ElementsAre(110, 240, 390, 140, 300, 480));
}

TEST_F(Commands, RunWithRandomInputsAndWithoutCheck) {
  if (interpreter().empty()) GTEST_SKIP() << "this build has no interpreter";
  RunOptions options = run_options();
  options.inputs = {"y=random:2", "x=random:1"};
  options.dimensions = {"n=7"};
  options.check = false;
  options.output.clear();
  std::ostringstream output;
  const auto code = run_program(options, output, output);
  ASSERT_TRUE(code) << code.error().to_string();
  const json document = json::parse(output.str());
  EXPECT_EQ(document.at("check"), nullptr);
  EXPECT_EQ(document.at("outputs")[0].at("file"), nullptr);
  EXPECT_EQ(document.at("outputs")[0].at("shape"), json({7, 3}));
}

TEST_F(Commands, RunRefusesBadArguments) {
  if (interpreter().empty()) GTEST_SKIP() << "this build has no interpreter";
  RunOptions options = run_options();
  options.device = "nowhere:7";
  EXPECT_THAT(error_of(options), HasSubstr("nowhere:7"));
  options = run_options();
  options.inputs.pop_back();
  EXPECT_THAT(error_of(options), HasSubstr("input y is not given"));
  options = run_options();
  options.inputs.push_back("z=random:1");
  EXPECT_THAT(error_of(options), HasSubstr("program has no input z (inputs: x, y)"));
  options = run_options();
  options.dimensions = {"n=9"};  // the file has two rows
  EXPECT_THAT(error_of(options), HasSubstr("x"));
  options = run_options();
  fs::remove(folder_.path() / "w.safetensors");
  EXPECT_THAT(error_of(options), HasSubstr("p.choir:6:"));
}

TEST(RunInputs, ReadsArguments) {
  const auto inputs = read_run_inputs({"a=random:18446744073709551615", "b=random:0"});
  ASSERT_TRUE(inputs) << inputs.error().to_string();
  EXPECT_EQ(inputs->seeds.at("a"), 18446744073709551615U);
  const auto error = [](const std::vector<std::string>& arguments) {
    const auto read = read_run_inputs(arguments);
    return read ? "no error" : read.error().to_string();
  };
  EXPECT_THAT(error({"a=random:"}), HasSubstr("seed of input a () is not an integer"));
  EXPECT_THAT(error({"a=random:-1"}), HasSubstr("is not an integer"));
  EXPECT_THAT(error({"a=random:18446744073709551616"}), HasSubstr("is not an integer"));
  EXPECT_THAT(error({"a=random:1", "a=random:1"}), HasSubstr("input a is given twice"));
  EXPECT_THAT(error({"a=/no/such/file.npy"}), HasSubstr("cannot be opened"));
  EXPECT_THAT(error({"a"}), HasSubstr("not of the form name=value"));
}

TEST(RunInputs, RandomTensorsStayInRangeAndRepeat) {
  const std::vector<std::int64_t> shape{1000};
  for (const auto& [element, low, high] :
       std::vector<std::tuple<ElementType, double, double>>{{ElementType::f32, -1, 1},
                                                            {ElementType::f16, -1, 1},
                                                            {ElementType::i8, -8, 7},
                                                            {ElementType::u32, 0, 15},
                                                            {ElementType::boolean, 0, 1}}) {
    const auto tensor = random_tensor(element, shape, 1);
    ASSERT_TRUE(tensor);
    double minimum = high;
    double maximum = low;
    for (std::int64_t index = 0; index < 1000; ++index) {
      minimum = std::min(minimum, tensor->at(index));
      maximum = std::max(maximum, tensor->at(index));
    }
    EXPECT_GE(minimum, low);
    EXPECT_LE(minimum, low + 0.05);  // a thousand draws come this near to both ends
    EXPECT_LE(maximum, high);
    EXPECT_GE(maximum, high - 0.05);
    EXPECT_EQ(*tensor, *random_tensor(element, shape, 1));
    EXPECT_NE(*tensor, *random_tensor(element, shape, 2));
  }
}

}  // namespace
}  // namespace accy::tools
