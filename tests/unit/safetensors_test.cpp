#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontend/folder_weights.hpp"
#include "frontend/safetensors.hpp"
#include "support/mutate.hpp"
#include "support/temporary_folder.hpp"

namespace accy::frontend {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

/// A file with that header, its length before and the data behind it.
std::string file_of(std::string_view header, std::string_view data) {
  std::string file;
  for (int byte = 0; byte < 8; ++byte)
    file += static_cast<char>((static_cast<std::uint64_t>(header.size()) >> (8 * byte)) & 0xff);
  return file.append(header).append(data);
}

void write(const fs::path& path, std::string_view content) {
  const auto status = write_file(path, std::as_bytes(std::span(content)));
  ASSERT_TRUE(status) << status.error().to_string();
}

constexpr std::string_view valid_header =
    R"({"__metadata__":{"format":"pt"},)"
    R"("a":{"dtype":"F32","shape":[2],"data_offsets":[2,10]},)"
    R"("b":{"dtype":"BF16","shape":[],"data_offsets":[0,2]},)"
    R"("none":{"dtype":"I64","shape":[0,3],"data_offsets":[2,2]}}   )";
const std::string valid_data("\x80\x3f\0\0\0\x40\0\0\xc0\xbf", 10);  // 1; 2, -1.5

class Safetensors : public ::testing::Test {
 protected:
  Result<SafetensorsFile> open(std::string_view content) {
    write(path_, content);
    return SafetensorsFile::open(path_);
  }
  std::string error_of(std::string_view content) {
    const auto file = open(content);
    return file ? "no error" : file.error().to_string();
  }
  std::string error_with(std::string_view header, std::string_view data = "") {
    return error_of(file_of(header, data));
  }

  test::TemporaryFolder folder_;
  fs::path path_ = folder_.path() / "x.safetensors";
};

TEST_F(Safetensors, ReadsTensors) {
  const auto file = open(file_of(valid_header, valid_data));
  ASSERT_TRUE(file) << file.error().to_string();
  EXPECT_THAT(file->names(), ElementsAre("a", "b", "none"));
  const auto a = file->read("a");
  ASSERT_TRUE(a);
  EXPECT_THAT(a->shape, ElementsAre(2));
  EXPECT_THAT(a->view<float>(), ElementsAre(2.0F, -1.5F));
  const auto b = file->read("b");
  ASSERT_TRUE(b);
  EXPECT_TRUE(b->shape.empty());
  EXPECT_EQ(b->at(0), 1.0);
  const auto none = file->read("none");
  ASSERT_TRUE(none);
  EXPECT_THAT(none->shape, ElementsAre(0, 3));
  const auto absent = file->read("c");
  ASSERT_FALSE(absent);
  EXPECT_THAT(absent.error().message, HasSubstr("x.safetensors: has no tensor \"c\""));
}

TEST_F(Safetensors, KnowsEveryType) {
  const std::vector<std::pair<std::string, ElementType>> types = {
      {"BOOL", ElementType::boolean}, {"I8", ElementType::i8},     {"I16", ElementType::i16},
      {"I32", ElementType::i32},      {"I64", ElementType::i64},   {"U8", ElementType::u8},
      {"U16", ElementType::u16},      {"U32", ElementType::u32},   {"U64", ElementType::u64},
      {"F16", ElementType::f16},      {"BF16", ElementType::bf16}, {"F32", ElementType::f32},
      {"F64", ElementType::f64}};
  for (const auto& [name, element] : types) {
    const auto size = static_cast<std::size_t>(size_bytes(element));
    const auto file =
        open(file_of(R"({"t":{"dtype":")" + name + R"(","shape":[1],"data_offsets":[0,)" +
                         std::to_string(size) + "]}}",
                     std::string(size, '\1')));
    ASSERT_TRUE(file) << file.error().to_string();
    EXPECT_EQ(file->read("t")->element, element);
  }
  for (const std::string name : {"F8_E4M3", "C64", "f32", ""})
    EXPECT_THAT(
        error_with(R"({"t":{"dtype":")" + name + R"(","shape":[],"data_offsets":[0,1]}})", "x"),
        HasSubstr("dtype (\"" + name + "\") is not supported"));
}

TEST_F(Safetensors, ReadsTheDigitsOfTheExample) {
  const auto file = SafetensorsFile::open(ACCY_SOURCE_DIR "/examples/digits/digits.safetensors");
  ASSERT_TRUE(file) << file.error().to_string();
  EXPECT_THAT(file->names(), ElementsAre("dense1.bias", "dense1.weight", "dense2.bias",
                                         "dense2.weight", "dense3.bias", "dense3.weight"));
  const auto weight = file->read("dense2.weight");
  ASSERT_TRUE(weight);
  EXPECT_THAT(weight->shape, ElementsAre(64, 32));
  EXPECT_EQ(weight->element, ElementType::f32);
}

TEST_F(Safetensors, RefusesMalformedFrames) {
  EXPECT_THAT(
      error_of("1234567"),
      HasSubstr("file (7 bytes) is shorter than the length of a safetensors header (8 bytes)"));
  EXPECT_THAT(error_of(std::string(8, '\xff')),
              HasSubstr("header (18446744073709551615 bytes) exceeds the rest of the file (0"));
  EXPECT_THAT(error_of(std::string(8, '\0')),
              HasSubstr("safetensors header does not start with '{'"));
  EXPECT_THAT(error_with(" {}"), HasSubstr("does not start with '{'"));
  EXPECT_THAT(error_with("{} {}"), HasSubstr("not json"));
  EXPECT_THAT(error_with("{}", "x"), HasSubstr("tensors cover 0 bytes, but the file has 1"));
  EXPECT_TRUE(open(file_of("{}", "")));
  // A sparse file whose header is announced as one byte too long.
  write(path_, std::string("\x01\xe1\xf5\x05\0\0\0\0", 8));
  fs::resize_file(path_, 100'000'009);
  EXPECT_THAT(SafetensorsFile::open(path_).error().message,
              HasSubstr("(100000001 bytes) exceeds the limit (100000000 bytes)"));
  EXPECT_EQ(SafetensorsFile::open(folder_.path()).error().code, ErrorCode::io);
}

TEST_F(Safetensors, RefusesMalformedTensors) {
  const auto tensor = [this](std::string_view shape, std::string_view offsets) {
    return error_with(R"({"t":{"dtype":"U8","shape":)" + std::string(shape) +
                          R"(,"data_offsets":)" + std::string(offsets) + "}}",
                      "abcd");
  };
  EXPECT_EQ(tensor("[4]", "[0,4]"), "no error");
  EXPECT_THAT(tensor("[4]", "[0,3]"),
              HasSubstr("takes 4 bytes by its shape, but data_offsets hold 3"));
  EXPECT_THAT(tensor("[5]", "[0,5]"), HasSubstr("([0,5]) is not a range in 0 to 4"));
  EXPECT_THAT(tensor("[4]", "[4,0]"), HasSubstr("is not a range"));
  EXPECT_THAT(tensor("[4]", "[-4,0]"), HasSubstr("is not a range"));
  EXPECT_THAT(tensor("[4]", "[0,4.0]"), HasSubstr("is not a range"));
  EXPECT_THAT(tensor("[4]", "[0,18446744073709551615]"), HasSubstr("is not a range"));
  EXPECT_THAT(tensor("[4]", "[0]"), HasSubstr("is not an array of two"));
  EXPECT_THAT(tensor("[4]", "4"), HasSubstr("is not an array of two"));
  EXPECT_THAT(tensor("4", "[0,4]"), HasSubstr("shape (4) is not an array"));
  EXPECT_THAT(tensor("[-4]", "[0,4]"), HasSubstr("dimension (-4) is not an integer in"));
  EXPECT_THAT(tensor("[1099511627777]", "[0,4]"), HasSubstr("in 0 to 1099511627776"));
  EXPECT_THAT(tensor("[1099511627776,1099511627776]", "[0,4]"), HasSubstr("overflows"));
  EXPECT_THAT(tensor("[4294967296,4294967297]", "[0,4]"), HasSubstr("overflows"));
  EXPECT_THAT(tensor("[1,1,1,1,1,1,1,1,4]", "[0,4]"), HasSubstr("rank (9) exceeds the limit (8)"));
  EXPECT_THAT(tensor("[[4]]", "[0,4]"), HasSubstr("nesting exceeds the limit (3)"));
}

TEST_F(Safetensors, RefusesMalformedHeaders) {
  const std::string description = R"({"dtype":"U8","shape":[1],"data_offsets":[0,1]})";
  EXPECT_THAT(error_with(R"({"t":)" + description + R"(,"t":)" + description + "}", "x"),
              HasSubstr("key \"t\" is given twice"));
  EXPECT_THAT(error_with(R"({"t":{"dtype":"U8","dtype":"U8"}})", "x"),
              HasSubstr("key \"dtype\" is given twice"));
  EXPECT_THAT(error_with(R"({"t":{"dtype":"U8","shape":[1]}})", "x"),
              HasSubstr("is not an object of"));
  EXPECT_THAT(error_with(R"({"t":{"dtype":"U8","shape":[1],"offsets":[0,1]}})", "x"),
              HasSubstr("is not an object of"));
  EXPECT_THAT(error_with(R"({"t":[]})"), HasSubstr("is not an object of"));
  EXPECT_THAT(error_with(R"({"t":{"dtype":7,"shape":[1],"data_offsets":[0,1]}})", "x"),
              HasSubstr("dtype (7) is not a string"));
  EXPECT_THAT(error_with(R"({"__metadata__":{"a":1}})"), HasSubstr("is not an object of strings"));
  EXPECT_THAT(error_with(R"({"__metadata__":["a"]})"), HasSubstr("is not an object of strings"));
  EXPECT_THAT(error_with("{\"\xff\":1}"), HasSubstr("not json"));
}

TEST_F(Safetensors, RefusesOverlapsAndHoles) {
  const auto two = [this](std::string_view first, std::string_view second) {
    return error_with(R"({"p":{"dtype":"U8","shape":[2],"data_offsets":)" + std::string(first) +
                          R"(},"q":{"dtype":"U8","shape":[2],"data_offsets":)" +
                          std::string(second) + "}}",
                      "abcde");
  };
  EXPECT_THAT(two("[0,2]", "[1,3]"), HasSubstr("\"q\" begins at byte 1, overlapping the tensor"));
  EXPECT_THAT(two("[0,2]", "[0,2]"), HasSubstr("overlapping"));
  EXPECT_THAT(two("[3,5]", "[0,2]"), HasSubstr("\"p\" begins at byte 3, leaving a hole after"));
  EXPECT_THAT(two("[1,3]", "[3,5]"), HasSubstr("\"p\" begins at byte 1, leaving a hole"));
  EXPECT_THAT(two("[0,2]", "[2,4]"), HasSubstr("tensors cover 4 bytes, but the file has 5"));
}

TEST_F(Safetensors, RefusesBadBooleansAndShrunkFiles) {
  const auto file =
      open(file_of(R"({"t":{"dtype":"BOOL","shape":[2],"data_offsets":[0,2]}})", "\1\2"));
  ASSERT_TRUE(file);
  EXPECT_THAT(file->read("t").error().to_string(), HasSubstr("(2), not 0 or 1"));
  fs::resize_file(path_, 20);
  EXPECT_THAT(file->read("t").error().message, HasSubstr("ends early (0 of 2 bytes at offset "));
}

TEST_F(Safetensors, EveryTruncationIsAnError) {
  const std::string content = file_of(valid_header, valid_data);
  for (std::size_t size = 0; size < content.size(); ++size) {
    EXPECT_FALSE(open(content.substr(0, size))) << size;
    // The same with a length that fits, so that the cut is one of the header itself.
    if (size > 8 && size - 8 < valid_header.size() - 3) {
      EXPECT_FALSE(open(file_of(valid_header.substr(0, size - 8), valid_data))) << size;
    }
  }
}

TEST_F(Safetensors, HeaderMutationsNeverCrash) {
  std::mt19937 random(1);
  int accepted = 0;
  for (int round = 0; round < 10000; ++round) {
    const std::string header = test::mutate(std::string(valid_header), random);
    const auto entries = parse_safetensors_header(header, 10, "x.safetensors");
    if (!entries) {
      EXPECT_FALSE(entries.error().message.empty());
      continue;
    }
    ++accepted;
    std::int64_t total = 0;
    for (const auto& [name, entry] : *entries) total += entry.end - entry.begin;
    EXPECT_EQ(total, 10);
  }
  EXPECT_GT(accepted, 100);
  EXPECT_LT(accepted, 9000);
}

TEST_F(Safetensors, FileMutationsNeverCrash) {
  std::mt19937 random(2);
  for (int round = 0; round < 500; ++round) {
    const std::string content = test::mutate(file_of(valid_header, valid_data), random);
    const auto file = open(content);
    if (!file) {
      EXPECT_FALSE(file.error().message.empty());
      continue;
    }
    for (const std::string& name : file->names()) EXPECT_TRUE(file->read(name));
  }
}

class FolderWeightsTest : public Safetensors {
 protected:
  void SetUp() override {
    fs::create_directories(program_ / "parts");
    for (const fs::path& path : {program_ / "w.safetensors", program_ / "parts" / "w.safetensors",
                                 folder_.path() / "secret.safetensors"})
      write(path, file_of(valid_header, valid_data));
  }
  std::string error_of_load(std::string_view file, std::string_view tensor = "a") {
    const auto loaded = weights_.load(file, tensor, where_);
    if (loaded) return "no error";
    EXPECT_EQ(loaded.error().where, where_);
    EXPECT_EQ(loaded.error().op, "tensor.weight");
    return loaded.error().message;
  }

  fs::path program_ = folder_.path() / "program";
  SourceLocation where_{"p.choir", 3, 5};
  FolderWeights weights_{(fs::create_directories(program_), program_)};
};

TEST_F(FolderWeightsTest, LoadsInsideTheFolder) {
  for (const std::string_view file : {"w.safetensors", "parts/w.safetensors", "./w.safetensors"}) {
    const auto tensor = weights_.load(file, "a", where_);
    ASSERT_TRUE(tensor) << tensor.error().to_string();
    EXPECT_THAT(tensor->view<float>(), ElementsAre(2.0F, -1.5F));
  }
  fs::create_symlink("parts/w.safetensors", program_ / "inner.safetensors");
  EXPECT_TRUE(weights_.load("inner.safetensors", "a", where_));
  EXPECT_THAT(error_of_load("w.safetensors", "z"), HasSubstr("has no tensor \"z\""));
}

TEST_F(FolderWeightsTest, OpensAFileOnce) {
  ASSERT_TRUE(weights_.load("w.safetensors", "a", where_));
  fs::remove(program_ / "w.safetensors");
  EXPECT_TRUE(weights_.load("w.safetensors", "b", where_));
}

TEST_F(FolderWeightsTest, RefusesWhatLeavesTheFolder) {
  EXPECT_THAT(error_of_load("../secret.safetensors"), HasSubstr("holds \"..\""));
  EXPECT_THAT(error_of_load("parts/../w.safetensors"), HasSubstr("holds \"..\""));
  EXPECT_THAT(error_of_load((program_ / "w.safetensors").string()), HasSubstr("is absolute"));
  EXPECT_THAT(error_of_load(""), HasSubstr("is not a file name"));
  EXPECT_THAT(error_of_load(std::string_view("w.safetensors\0x", 15)),
              HasSubstr("is not a file name"));
  fs::create_symlink(folder_.path() / "secret.safetensors", program_ / "link.safetensors");
  EXPECT_THAT(error_of_load("link.safetensors"), HasSubstr("leaves the program's folder"));
  fs::create_directory_symlink(folder_.path(), program_ / "up");
  EXPECT_THAT(error_of_load("up/secret.safetensors"), HasSubstr("leaves the program's folder"));
  // A folder beside it whose name only begins alike.
  fs::create_directories(folder_.path() / "program2");
  write(folder_.path() / "program2" / "w.safetensors", file_of(valid_header, valid_data));
  fs::create_symlink("../program2/w.safetensors", program_ / "beside.safetensors");
  EXPECT_THAT(error_of_load("beside.safetensors"), HasSubstr("leaves the program's folder"));
}

TEST_F(FolderWeightsTest, RefusesWhatIsNoRegularFile) {
  EXPECT_THAT(error_of_load("parts"), HasSubstr("is not a regular file"));
  EXPECT_THAT(error_of_load("."), HasSubstr("leaves the program's folder"));
  EXPECT_THAT(error_of_load("absent.safetensors"),
              HasSubstr("weight file \"absent.safetensors\" cannot be found in"));
  const FolderWeights nowhere(folder_.path() / "absent");
  EXPECT_THAT(nowhere.load("w.safetensors", "a", where_).error().message,
              HasSubstr("weight folder cannot be found"));
}

}  // namespace
}  // namespace accy::frontend
