#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <sstream>

#include "targets/device_choice.hpp"
#include "targets/registry.hpp"
#include "tools/devices.hpp"

namespace accy::tools {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

runtime::DeviceList two_devices() {
  runtime::DeviceInfo first;
  first.name = "one:0";
  first.adapter = "one";
  first.kind = runtime::DeviceKind::discrete;
  first.description = "Fast Device";
  first.driver = "driver 1.2";
  first.uuid = "00112233445566778899aabbccddeeff";
  first.profile.target = "one";
  first.profile.name = "fast";
  first.profile.shared_memory_bytes = 49152;
  runtime::DeviceInfo second = first;
  second.name = "two:10";
  second.adapter = "two";
  second.kind = runtime::DeviceKind::interpreter;
  return {{first, second}, {{"three", "library is missing"}}};
}

runtime::DeviceList no_device() { return {{}, {{"none", "no driver"}}}; }

TEST(Devices, OneLineEachForPeople) {
  std::ostringstream output;
  EXPECT_EQ(run_devices({}, two_devices(), output), ExitCode::done);
  EXPECT_EQ(output.str(), "one:0      discrete     Fast Device; driver 1.2\n"
                          "two:10     interpreter  Fast Device; driver 1.2\n"
                          "three      unavailable  library is missing\n"
                          "reference  evaluator    typed tensor evaluator on the host\n");
}

TEST(Devices, Json) {
  std::ostringstream output;
  EXPECT_EQ(run_devices({.json = true}, two_devices(), output), ExitCode::done);
  const json document = json::parse(output.str());
  EXPECT_EQ(document.at("schema"), "accy.devices/1");
  ASSERT_EQ(document.at("devices").size(), 2U);
  const json& device = document["devices"][0];
  EXPECT_EQ(device.at("name"), "one:0");
  EXPECT_EQ(device.at("adapter"), "one");
  EXPECT_EQ(device.at("kind"), "discrete");
  EXPECT_EQ(device.at("driver"), "driver 1.2");
  EXPECT_EQ(document.at("unavailable"),
            json::parse(R"([{"name": "three", "reason": "library is missing"}])"));
  // The profile is one that `accy compile --target` accepts.
  const auto profile = profile_from_json(device.at("profile").dump(), "devices");
  ASSERT_TRUE(profile) << profile.error().to_string();
  EXPECT_EQ(*profile, two_devices().devices[0].profile);
}

TEST(Devices, NoDeviceHasItsExitCode) {
  std::ostringstream output;
  EXPECT_EQ(run_devices({.json = true}, no_device(), output), ExitCode::no_such_device);
  EXPECT_EQ(json::parse(output.str()).at("devices"), json::array());
  EXPECT_EQ(run_devices({}, {}, output), ExitCode::no_such_device);
}

TEST(Devices, ChoiceAndOpeningSayWhatIsMissing) {
  EXPECT_EQ(targets::choose_device({}).error().message, "no device is available here");
  EXPECT_THAT(targets::open("nowhere:7").error().message,
              HasSubstr("no device named 'nowhere:7' here (devices: "));
  for (const runtime::Unavailable& missing : targets::enumerate().unavailable) {
    const std::string name = missing.name.substr(0, missing.name.find(':')) + ":0";
    EXPECT_THAT(targets::open(name).error().message,
                HasSubstr("device '" + name + "' is not available: " + missing.reason));
  }
}

TEST(ExitCode, OfEveryError) {
  EXPECT_EQ(exit_code(ErrorCode::invalid_input), ExitCode::bad_input);
  EXPECT_EQ(exit_code(ErrorCode::unsupported), ExitCode::bad_input);
  EXPECT_EQ(exit_code(ErrorCode::io), ExitCode::bad_input);
  EXPECT_EQ(exit_code(ErrorCode::not_found), ExitCode::no_such_device);
  EXPECT_EQ(exit_code(ErrorCode::out_of_memory), ExitCode::device_error);
  EXPECT_EQ(exit_code(ErrorCode::device), ExitCode::device_error);
  EXPECT_EQ(exit_code(ErrorCode::device_lost), ExitCode::device_error);
  EXPECT_EQ(exit_code(ErrorCode::timeout), ExitCode::device_error);
  EXPECT_EQ(exit_code(ErrorCode::pass_failed), ExitCode::internal_error);
  EXPECT_EQ(exit_code(ErrorCode::internal), ExitCode::internal_error);
}

}  // namespace
}  // namespace accy::tools
