#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "profile/profile.hpp"

namespace accy {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

/// A profile whose every field differs from the default.
TargetProfile unusual_profile() {
  TargetProfile profile;
  profile.target = "test";
  profile.name = "device-1.a";
  profile.vendor = "Größe \"quoted\"";
  profile.driver = "driver 1.2";
  profile.subgroup_size_minimum = 4;
  profile.subgroup_size_maximum = 64;
  profile.workgroup_size_maximum = {1024, 512, 32};
  profile.workgroup_invocations_maximum = 1000;
  profile.grid_size_maximum = {4294967295, 7, 9};
  profile.shared_memory_bytes = 49152;
  profile.registers_per_invocation = 255;
  profile.buffer_bytes_maximum = 9223372036854775807;
  profile.allocation_bytes_maximum = 12345;
  profile.buffer_alignment = 16;
  profile.loop_iterations_maximum = 65535;
  for (bool TargetProfile::*flag :
       {&TargetProfile::storage_8bit, &TargetProfile::storage_16bit, &TargetProfile::arithmetic_f16,
        &TargetProfile::arithmetic_bf16, &TargetProfile::arithmetic_f64,
        &TargetProfile::arithmetic_i8, &TargetProfile::arithmetic_i16,
        &TargetProfile::arithmetic_i64, &TargetProfile::subgroup_shuffle,
        &TargetProfile::subgroup_arithmetic, &TargetProfile::subgroup_size_control,
        &TargetProfile::rounding_rte_f32, &TargetProfile::rounding_rte_f16,
        &TargetProfile::signed_zero_inf_nan_f32, &TargetProfile::subnormals_kept_f32,
        &TargetProfile::asynchronous_copy, &TargetProfile::forward_progress})
    profile.*flag = true;
  profile.binding_classes = {"texel", "storage"};
  profile.matrix_units = {"m16n8k16.f16.f32.subgroup"};
  profile.code_version = 78;
  profile.architecture = "sm_90a";
  profile.quirks = {{"loops cut", "https://example.org/1"}};
  return profile;
}

json valid_document() { return json::parse(to_json(unusual_profile())); }

std::string error_of(const json& document) {
  const auto profile = profile_from_json(document.dump(), "p.json");
  if (profile) return "no error";
  EXPECT_EQ(profile.error().code, ErrorCode::invalid_input);
  return profile.error().message;
}

std::string error_with(const char* key, const json& value) {
  json document = valid_document();
  document[key] = value;
  return error_of(document);
}

TEST(Profile, EveryFieldSurvivesJson) {
  const TargetProfile profile = unusual_profile();
  const json document = valid_document();
  const json defaults = json::parse(to_json(TargetProfile{}));
  EXPECT_EQ(document.at("schema"), "accy.profile/1");
  for (const auto& [key, value] : document.items())
    EXPECT_TRUE(key == "schema" || value != defaults.at(key)) << key << " is not tested";
  const auto read = profile_from_json(to_json(profile), "p.json");
  ASSERT_TRUE(read) << read.error().to_string();
  EXPECT_EQ(*read, profile);
}

TEST(Profile, JsonIsCanonical) {
  const std::string text = to_json(unusual_profile());
  EXPECT_THAT(text, HasSubstr("{\n  \"allocation_bytes_maximum\": 12345,\n"));
  EXPECT_THAT(text, HasSubstr("\"vendor\": \"Größe \\\"quoted\\\"\""));
  EXPECT_EQ(text.substr(text.size() - 2), "\n}");
  const auto read = profile_from_json(text, "p.json");
  ASSERT_TRUE(read);
  EXPECT_EQ(to_json(*read), text);
}

// The structured binding does not compile when a field was added without adding it here, and the
// loop fails when the field is not in the table.
TEST(Profile, TableHoldsEveryMember) {
  const TargetProfile profile;
  const auto& [target, name, vendor, driver, subgroup_minimum, subgroup_maximum, workgroup,
               invocations, grid, shared, registers, buffer, allocation, alignment, loops,
               storage_8, storage_16, f16, bf16, f64, i8, i16, i64, shuffle, subgroup_arithmetic,
               size_control, rte_f32, rte_f16, signed_zero, subnormals, asynchronous, progress,
               bindings, matrix, code, architecture, quirks] = profile;
  EXPECT_EQ(&quirks, &profile.quirks);
  EXPECT_EQ(json::parse(to_json(profile)).size(), 37U + 1U);
}

TEST(Profile, RecordsReadsSortedAndOnce) {
  const TargetProfile profile = unusual_profile();
  TracedProfile traced(profile);
  EXPECT_TRUE(traced.reads().empty());
  EXPECT_EQ(traced.read(&TargetProfile::shared_memory_bytes), 49152);
  EXPECT_EQ(traced.read(&TargetProfile::target), "test");  // first member: the struct's own address
  EXPECT_TRUE(traced.read(&TargetProfile::arithmetic_f64));
  traced.read(&TargetProfile::shared_memory_bytes);
  traced.read(&TargetProfile::quirks);
  const std::vector<ProfileRead> expected = {
      {"arithmetic_f64", "true"},
      {"quirks", "[\n  {\n    \"name\": \"loops cut\",\n    \"reference\": "
                 "\"https://example.org/1\"\n  }\n]"},
      {"shared_memory_bytes", "49152"},
      {"target", "\"test\""}};
  EXPECT_EQ(traced.reads(), expected);
}

TEST(Profile, FieldJson) {
  EXPECT_EQ(profile_field_json(unusual_profile(), "code_version"), "78");
  EXPECT_EQ(profile_field_json(unusual_profile(), "binding_classes"),
            "[\n  \"texel\",\n  \"storage\"\n]");
}

TEST(Profile, ReportsAllProblemsAtOnce) {
  json document = valid_document();
  document.erase("driver");
  document["shared_memory"] = 5;
  document["buffer_alignment"] = 48;
  document["arithmetic_f16"] = 1;
  document["schema"] = "accy.profile/9";
  const std::string message = error_of(document);
  EXPECT_THAT(message, HasSubstr("p.json: profile has 5 problems"));
  EXPECT_THAT(message, HasSubstr("driver is missing"));
  EXPECT_THAT(message, HasSubstr("key \"shared_memory\" (5) is unknown"));
  EXPECT_THAT(message, HasSubstr("buffer_alignment (48) is not a power of two"));
  EXPECT_THAT(message, HasSubstr("arithmetic_f16 (1) is neither true nor false"));
  EXPECT_THAT(message, HasSubstr("schema (\"accy.profile/9\") is not \"accy.profile/1\""));
}

TEST(Profile, EveryKeyIsRequired) {
  const json document = valid_document();
  for (const auto& [key, value] : document.items()) {
    json incomplete = document;
    incomplete.erase(key);
    EXPECT_THAT(error_of(incomplete), HasSubstr(key + " is missing"));
  }
}

TEST(Profile, EveryKeyRefusesAWrongType) {
  const json document = valid_document();
  for (const auto& [key, value] : document.items()) {
    EXPECT_THAT(error_with(key.c_str(), nullptr), HasSubstr(key + " (null)"));
    EXPECT_THAT(error_with(key.c_str(), 1.5), HasSubstr(key + " (1.5)"));
    EXPECT_THAT(error_with(key.c_str(), json::object()), HasSubstr(key + " ({})"));
  }
}

TEST(Profile, ChecksRanges) {
  EXPECT_THAT(error_with("subgroup_size_minimum", 0), HasSubstr("(0) is outside 1 to 1024"));
  EXPECT_THAT(error_with("subgroup_size_minimum", 128),
              HasSubstr("subgroup_size_minimum (128) exceeds subgroup_size_maximum (64)"));
  EXPECT_THAT(error_with("shared_memory_bytes", -1), HasSubstr("(-1) is outside 0 to 1073741824"));
  EXPECT_THAT(error_with("buffer_bytes_maximum", 9223372036854775808U),
              HasSubstr("(9223372036854775808) is outside 1 to 9223372036854775807"));
  EXPECT_THAT(error_with("workgroup_size_maximum", {1, 2}),
              HasSubstr("has 2 elements, outside 3 to 3"));
  EXPECT_THAT(error_with("grid_size_maximum", {1, 2, 4294967296}),
              HasSubstr("grid_size_maximum[2] (4294967296) is outside 1 to 4294967295"));
  EXPECT_THAT(error_with("target", ""), HasSubstr("has 0 bytes, outside 1 to 64"));
  EXPECT_THAT(
      error_with("name", "../x"),
      HasSubstr("name (\"../x\") holds a character other than letters, digits, '_', '-' and '.'"));
  EXPECT_THAT(error_with("vendor", "a\nb"), HasSubstr("holds a control character"));
  EXPECT_THAT(error_with("vendor", std::string(257, 'v')), HasSubstr("has 257 bytes"));
  EXPECT_THAT(error_with("binding_classes", json::array()), HasSubstr("has 0 elements"));
  EXPECT_THAT(error_with("binding_classes", {"texel", "image"}),
              HasSubstr("binding_classes[1] (\"image\") is none of address, texel, storage"));
  EXPECT_THAT(error_with("binding_classes", {"texel", "texel"}), HasSubstr("is listed twice"));
  EXPECT_THAT(error_with("quirks", {{{"name", "x"}}}), HasSubstr("quirks[0]"));
}

TEST(Profile, ChecksTheText) {
  const auto message = [](std::string_view text) {
    const auto profile = profile_from_json(text, "p.json");
    return profile ? std::string("no error") : profile.error().to_string();
  };
  EXPECT_THAT(message(""), HasSubstr("p.json:1:"));
  EXPECT_THAT(message("{\n  \"a\": }"), HasSubstr("p.json:2:"));
  EXPECT_THAT(message("{} {}"), HasSubstr("not json"));
  EXPECT_THAT(message("[]"), HasSubstr("profile ([]) is not an object"));
  EXPECT_THAT(message(R"({"a": 1, "a": 2})"), HasSubstr("key \"a\" is given twice"));
  EXPECT_THAT(message(R"({"a": 1e999})"), HasSubstr("number is out of range"));
  EXPECT_THAT(message(std::string((1U << 20) + 1, ' ')),
              HasSubstr("(1048577 bytes) exceeds the limit (1048576 bytes)"));
  EXPECT_THAT(message(std::string(64, '[') + std::string(64, ']')), HasSubstr("not an object"));
  EXPECT_THAT(message(std::string(65, '[') + std::string(65, ']')),
              HasSubstr("nesting exceeds the limit (64)"));
  EXPECT_THAT(message("\"\xff\""), HasSubstr("not json"));
}

TEST(Profile, EveryTruncationIsAnError) {
  const std::string text = to_json(unusual_profile());
  for (std::size_t size = 0; size < text.size(); ++size)
    EXPECT_FALSE(profile_from_json(text.substr(0, size), "p.json")) << size;
}

TEST(Profile, ManyProblemsAreCounted) {
  json document = valid_document();
  for (int index = 0; index < 1000; ++index) document["unknown" + std::to_string(index)] = index;
  const std::string message = error_of(document);
  EXPECT_THAT(message, HasSubstr("profile has 1000 problems"));
  EXPECT_THAT(message, HasSubstr("and 968 more"));
  EXPECT_LT(message.size(), 4000U);
}

}  // namespace
}  // namespace accy
