#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontend/npy.hpp"
#include "support/file.hpp"
#include "support/mutate.hpp"
#include "support/temporary_folder.hpp"

namespace accy::frontend {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

/// A file of version 1.0 with that dictionary and data.
std::string file_of(std::string_view dictionary, std::string_view data) {
  std::string file("\x93NUMPY\x01\x00", 8);
  file += static_cast<char>(dictionary.size() & 0xff);
  file += static_cast<char>(dictionary.size() >> 8);
  return file.append(dictionary).append(data);
}

std::string error_of(std::string_view file) {
  const auto tensor = parse_npy(bytes_of(file), "x.npy");
  return tensor ? "no error" : tensor.error().to_string();
}

std::string error_with(std::string_view dictionary, std::string_view data = "") {
  return error_of(file_of(dictionary, data));
}

/// numpy.save of [[1, 2, 3], [4, 5, -6]] as int32, byte for byte.
std::string numpy_file() {
  const std::string dictionary = "{'descr': '<i4', 'fortran_order': False, 'shape': (2, 3), }";
  return std::string("\x93NUMPY\x01\x00\x76\x00", 10) + dictionary + std::string(58, ' ') + "\n" +
         std::string("\1\0\0\0\2\0\0\0\3\0\0\0\4\0\0\0\5\0\0\0\xfa\xff\xff\xff", 24);
}

TEST(Npy, ReadsWhatNumpyWrites) {
  const auto tensor = parse_npy(bytes_of(numpy_file()), "x.npy");
  ASSERT_TRUE(tensor) << tensor.error().to_string();
  EXPECT_EQ(tensor->element, ElementType::i32);
  EXPECT_THAT(tensor->shape, ElementsAre(2, 3));
  EXPECT_THAT(tensor->view<std::int32_t>(), ElementsAre(1, 2, 3, 4, 5, -6));
}

TEST(Npy, WritesWhatNumpyWrites) {
  const auto tensor = HostTensor::from_values(ElementType::i32, std::vector<std::int64_t>{2, 3},
                                              std::vector<double>{1, 2, 3, 4, 5, -6});
  ASSERT_TRUE(tensor);
  const auto content = encode_npy(*tensor);
  ASSERT_TRUE(content);
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(content->data()), content->size()),
            numpy_file());
}

TEST(Npy, ReadsTheDigitsOfTheExample) {
  const std::filesystem::path folder = ACCY_SOURCE_DIR "/examples/digits";
  const auto labels = read_npy(folder / "labels.npy");
  ASSERT_TRUE(labels) << labels.error().to_string();
  EXPECT_EQ(labels->element, ElementType::i32);
  EXPECT_THAT(labels->shape, ElementsAre(359));
  for (const std::int32_t label : labels->view<std::int32_t>())
    EXPECT_TRUE(label >= 0 && label < 10);
  const auto images = read_npy(folder / "images.npy");
  ASSERT_TRUE(images) << images.error().to_string();
  EXPECT_EQ(images->element, ElementType::f32);
  EXPECT_THAT(images->shape, ElementsAre(359, 64));
  for (const float pixel : images->view<float>()) EXPECT_TRUE(pixel >= 0 && pixel <= 16);
}

TEST(Npy, EveryTypeSurvivesAFile) {
  const test::TemporaryFolder folder;
  const std::vector<std::vector<std::int64_t>> shapes = {{},  {3},       {2, 2},
                                                         {0}, {4, 0, 2}, {1, 1, 1, 1, 1, 1, 1, 2}};
  for (const ElementType element :
       {ElementType::boolean, ElementType::i8, ElementType::i16, ElementType::i32, ElementType::i64,
        ElementType::u8, ElementType::u16, ElementType::u32, ElementType::u64, ElementType::f16,
        ElementType::f32, ElementType::f64})
    for (const auto& shape : shapes) {
      auto tensor = HostTensor::zeros(element, shape);
      ASSERT_TRUE(tensor);
      for (std::int64_t index = 0; index < tensor->count(); ++index)
        tensor->set(index, static_cast<double>(index + 1));
      ASSERT_TRUE(write_npy(folder.path() / "t.npy", *tensor));
      const auto read = read_npy(folder.path() / "t.npy");
      ASSERT_TRUE(read) << read.error().to_string();
      EXPECT_EQ(*read, *tensor) << to_string(element);
    }
}

TEST(Npy, FortranOrderBecomesRowMajor) {
  // Element [i, j, k] of shape (2, 3, 2) holds the digits ijk; the first index runs fastest.
  std::string data;
  for (int k = 0; k < 2; ++k)
    for (int j = 0; j < 3; ++j)
      for (int i = 0; i < 2; ++i) data += static_cast<char>(100 * i + 10 * j + k);
  const auto tensor = parse_npy(
      bytes_of(file_of("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3, 2)}", data)), "x");
  ASSERT_TRUE(tensor) << tensor.error().to_string();
  EXPECT_THAT(tensor->view<std::uint8_t>(),
              ElementsAre(0, 1, 10, 11, 20, 21, 100, 101, 110, 111, 120, 121));
}

TEST(Npy, AcceptsOtherVersionsAndSpellings) {
  const std::string dictionary = "{\"shape\":(1,),\"descr\":\"=u2\",\"fortran_order\":True}";
  for (const char version : {'\2', '\3'}) {
    const std::string file = std::string("\x93NUMPY") + version + '\0' +
                             static_cast<char>(dictionary.size()) + std::string(3, '\0') +
                             dictionary + "\x34\x12";
    const auto tensor = parse_npy(bytes_of(file), "x.npy");
    ASSERT_TRUE(tensor) << tensor.error().to_string();
    EXPECT_THAT(tensor->view<std::uint16_t>(), ElementsAre(0x1234));
  }
}

TEST(Npy, RefusesOtherVersions) {
  const auto tensor = parse_npy(bytes_of(std::string("\x93NUMPY\4\1\2\0{}", 12)), "x.npy");
  ASSERT_FALSE(tensor);
  EXPECT_EQ(tensor.error().message, "x.npy: npy version 4.1 is not 1.0, 2.0 or 3.0");
}

TEST(Npy, RefusesTypes) {
  const auto of_type = [](std::string_view type) {
    return error_with("{'descr': " + std::string(type) + ", 'fortran_order': False, 'shape': ()}",
                      std::string(8, '\0'));
  };
  EXPECT_THAT(of_type("'>f8'"), HasSubstr("\">f8\" is big endian"));
  EXPECT_THAT(of_type("'|f8'"), HasSubstr("no byte order"));
  EXPECT_THAT(of_type("'<c8'"), HasSubstr("\"<c8\" is not supported"));
  EXPECT_THAT(of_type("'<U2'"), HasSubstr("not supported"));
  EXPECT_THAT(of_type("'|O'"), HasSubstr("not supported"));
  EXPECT_THAT(of_type("''"), HasSubstr("not supported"));
  EXPECT_THAT(of_type("[('a', '<f4')]"), HasSubstr("structured type"));
  EXPECT_THAT(of_type("3"), HasSubstr("expects a string"));
  const HostTensor brain{ElementType::bf16, {1}, std::vector<std::byte>(2)};
  const auto content = encode_npy(brain);
  ASSERT_FALSE(content);
  EXPECT_EQ(content.error().code, ErrorCode::unsupported);
  EXPECT_THAT(content.error().message,
              HasSubstr("no type for bf16; write safetensors or cast to f32"));
}

TEST(Npy, RefusesMalformedDictionaries) {
  const auto of_shape = [](std::string_view shape, std::string_view data = "") {
    return error_with(
        "{'descr': '|u1', 'fortran_order': False, 'shape': " + std::string(shape) + "}", data);
  };
  EXPECT_THAT(of_shape("(3)", "abc"), HasSubstr("not a tuple"));
  EXPECT_THAT(of_shape("(-1,)"), HasSubstr("of the dictionary)"));
  EXPECT_THAT(of_shape("(-1,)"), HasSubstr("expects a dimension"));
  EXPECT_THAT(of_shape("(1 2)"), HasSubstr("expects ','"));
  EXPECT_THAT(of_shape("(01,)", "a"), HasSubstr("starts with a zero"));
  EXPECT_THAT(of_shape("(,)"), HasSubstr("expects a dimension"));
  EXPECT_THAT(of_shape("(1,1,1,1,1,1,1,1,1)", "a"), HasSubstr("more axes than the limit (8)"));
  EXPECT_THAT(of_shape("(99999999999999999999,)"), HasSubstr("exceeds the limit"));
  EXPECT_THAT(of_shape("(1099511627776, 1099511627776)"), HasSubstr("overflows"));
  EXPECT_THAT(of_shape("(1099511627776, 2)"), HasSubstr("exceeds the limit (1099511627776)"));
  EXPECT_THAT(of_shape("(1099511627776,)"), HasSubstr("npy data takes 1099511627776 bytes"));
  EXPECT_THAT(of_shape("(2,)", "a"), HasSubstr("takes 2 bytes, but the file has 1"));
  EXPECT_THAT(of_shape("(2,)", "abc"), HasSubstr("takes 2 bytes, but the file has 3"));
  EXPECT_THAT(error_with("{'descr': '|u1', 'shape': ()}", "a"),
              HasSubstr("'fortran_order' is missing"));
  EXPECT_THAT(error_with("{'descr': '|u1', 'descr': '|u1'}", "a"), HasSubstr("given twice"));
  EXPECT_THAT(error_with("{'typo': 1}"), HasSubstr("key \"typo\" is unknown"));
  EXPECT_THAT(error_with("{'descr': '|u1', 'fortran_order': 0, 'shape': ()}"),
              HasSubstr("expects True or False"));
  EXPECT_THAT(error_with("{'descr': '|u1', 'fortran_order': False, 'shape': ()} x"),
              HasSubstr("text follows"));
  EXPECT_THAT(error_with("{'descr': '|b1', 'fortran_order': False, 'shape': (2,)}", "\1\2"),
              HasSubstr("(2), not 0 or 1"));
}

TEST(Npy, RefusesMalformedFrames) {
  EXPECT_THAT(error_of("\x89PNG\r\n\x1a\n"), HasSubstr("is no npy file"));
  std::string file = numpy_file();
  file[6] = 4;
  EXPECT_THAT(error_of(file), HasSubstr("version 4.0 is not"));
  file[6] = 2;  // now four bytes of the length, of which two are the dictionary's "{'"
  EXPECT_THAT(error_of(file), HasSubstr("does not fit the file (152 bytes)"));
  std::string long_header = file_of(std::string(65535, ' '), "");
  EXPECT_THAT(error_of(long_header), HasSubstr("(65545 bytes) exceeds the limit (65536 bytes)"));
}

TEST(Npy, RefusesWhatIsNoRegularFile) {
  const test::TemporaryFolder folder;
  EXPECT_EQ(read_npy(folder.path()).error().code, ErrorCode::io);
  EXPECT_EQ(read_npy(folder.path() / "absent.npy").error().code, ErrorCode::io);
  EXPECT_EQ(read_npy("/dev/zero").error().code, ErrorCode::io);
}

TEST(Npy, EveryTruncationIsAnError) {
  const std::string file = numpy_file();
  for (std::size_t size = 0; size < file.size(); ++size)
    EXPECT_FALSE(parse_npy(bytes_of(std::string_view(file).substr(0, size)), "x.npy")) << size;
}

TEST(Npy, MutationsNeverCrash) {
  std::mt19937 random(1);
  const std::string file = numpy_file();
  int accepted = 0;
  for (int round = 0; round < 10000; ++round) {
    const std::string mutation = test::mutate(file, random);
    const auto tensor = parse_npy(bytes_of(mutation), "x.npy");
    if (!tensor) {
      EXPECT_FALSE(tensor.error().message.empty());
      continue;
    }
    ++accepted;
    std::size_t count = 1;
    for (const std::int64_t dimension : tensor->shape) count *= static_cast<std::size_t>(dimension);
    EXPECT_EQ(tensor->bytes.size(), count * static_cast<std::size_t>(size_bytes(tensor->element)));
  }
  EXPECT_GT(accepted, 100);  // else the mutations never get past the first checks
  EXPECT_LT(accepted, 9000);
}

}  // namespace
}  // namespace accy::frontend
