// The CUDA adapter on a fake driver: what it calls, and that every call may fail.
#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/fake_cuda_driver.hpp"
#include "targets/cuda/device/adapter.hpp"
#include "targets/cuda/device/device.hpp"
#include "targets/cuda/device/enumerate.hpp"

namespace accy::cuda {
namespace {

using test::FakeCudaDriver;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

FakeCudaDriver& fresh() {
  FakeCudaDriver::instance().reset();
  return FakeCudaDriver::instance();
}

const driver::Api& api() { return FakeCudaDriver::api(); }

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

runtime::KernelBinary binary(std::string name, std::string_view code = ".version 7.0\n") {
  runtime::KernelBinary made;
  made.name = name;
  made.entry = "accy_" + name;
  made.format = "ptx";
  made.code = bytes_of(code);
  made.workgroup = {64, 2, 1};
  made.subgroup = 32;
  made.argument_block_bytes = 20;
  return made;
}

/// Two launches, a copy between them: slot 0 -> slot 1 -> slot 2.
runtime::PlanDescription description() {
  const std::array<std::byte, 4> scalar{std::byte{7}, std::byte{0}, std::byte{0}, std::byte{0}};
  runtime::LaunchStep first;
  first.grid = {3, 2, 1};
  first.buffers = {{{0, 4, 16}, runtime::Access::read, 0}, {{1, 0, 16}, runtime::Access::write, 8}};
  first.scalars = {{{scalar.begin(), scalar.end()}, 16}};
  first.label = "first";
  runtime::LaunchStep second = first;
  second.kernel = 1;
  second.label = "second";
  return {3,
          {first, runtime::BarrierStep{}, runtime::CopyStep{{1, 0, 16}, {2, 0, 16}},
           runtime::BarrierStep{}, second}};
}

std::uint64_t word_at(const std::vector<std::byte>& block, std::size_t offset) {
  std::uint64_t word = 0;
  std::memcpy(&word, block.data() + offset, sizeof word);
  return word;
}

/// Opens, allocates, writes, loads, records, runs twice, reads: everything once.
Status scenario(const driver::Api& driver_api) {
  ACCY_TRY_ASSIGN(const auto device, open_device(driver_api, "cuda:0"));
  ACCY_TRY_ASSIGN(const auto a, device->allocate(64));
  ACCY_TRY_ASSIGN(const auto b, device->allocate(64));
  ACCY_TRY_ASSIGN(const auto c, device->allocate(64));
  std::array<std::byte, 16> data{};
  data.fill(std::byte{5});
  ACCY_TRY(device->write({a.get(), 8, 16}, data));
  const std::array kernels{binary("first"), binary("second")};
  ACCY_TRY_ASSIGN(const auto loaded, device->load(kernels));
  ACCY_TRY_ASSIGN(const auto plan, device->record(*loaded, description()));
  const std::array<runtime::BufferRange, 3> slots{
      {{a.get(), 4, 32}, {b.get(), 0, 16}, {c.get(), 0, 16}}};
  for (int i = 0; i < 2; ++i) {
    ACCY_TRY_ASSIGN(const runtime::RunTiming timing, device->run(*plan, slots));
    if (timing.launch_ns != std::vector<std::uint64_t>{250000, 250000})
      return fail(ErrorCode::internal, "wrong timing");
  }
  std::array<std::byte, 16> back{};
  ACCY_TRY(device->read({c.get(), 0, 16}, back));
  return back == data ? Status() : fail(ErrorCode::internal, "wrong data");
}

/// The first kernel copies 16 bytes from its first to its second argument.
void copy_first(const test::FakeLaunch& launch) {
  if (launch.entry != "accy_first") return;
  std::memcpy(reinterpret_cast<void*>(word_at(launch.arguments, 8)),
              reinterpret_cast<const void*>(word_at(launch.arguments, 0)), 16);
}

TEST(CudaDevice, RunsAPlanOnTheBoundBuffers) {
  FakeCudaDriver& driver = fresh();
  driver.on_launch = copy_first;
  const Status status = scenario(api());
  EXPECT_TRUE(status) << status.error().to_string();
  EXPECT_EQ(driver.leaks(), "");
  ASSERT_EQ(driver.launches.size(), 4U);
  const test::FakeLaunch& first = driver.launches[0];
  EXPECT_EQ(first.entry, "accy_first");
  EXPECT_EQ(driver.launches[1].entry, "accy_second");
  EXPECT_THAT(first.grid, ElementsAre(3, 2, 1));
  EXPECT_THAT(first.block, ElementsAre(64, 2, 1));
  EXPECT_EQ(first.arguments.size(), 20U);
  EXPECT_EQ(first.arguments[16], std::byte{7});
  EXPECT_NE(word_at(first.arguments, 0), word_at(first.arguments, 8));
  EXPECT_EQ(std::count(driver.symbols.begin(), driver.symbols.end(), "cuModuleLoadDataEx"), 1)
      << "equal code is loaded once";
}

TEST(CudaDevice, EveryCallMayFailOnce) {
  FakeCudaDriver& driver = fresh();
  driver.on_launch = copy_first;
  ASSERT_TRUE(scenario(api()));
  const int total = driver.calls;
  ASSERT_GT(total, 40);
  for (int call = 0; call < total; ++call) {
    FakeCudaDriver& failing = fresh();
    failing.on_launch = copy_first;
    failing.failing_call = call;
    failing.failing_code = 1;
    const Status status = scenario(api());
    SCOPED_TRACE(failing.failed_symbol);
    EXPECT_EQ(failing.leaks(), "");
    // A push in a destructor may fail unseen: what it frees is freed all the same.
    if (status && failing.failed_symbol == "cuCtxPushCurrent_v2") continue;
    ASSERT_FALSE(status) << "call " << call;
    EXPECT_EQ(status.error().driver_code, 1);
    EXPECT_THAT(status.error().message, HasSubstr(failing.failed_symbol + " failed (1 CUDA_ERROR"));
  }
}

TEST(CudaDevice, OutOfMemoryHasItsOwnCode) {
  FakeCudaDriver& driver = fresh();
  const auto device = open_device(api(), "cuda:0");
  ASSERT_TRUE(device);
  driver.failing_call = driver.calls + 1;  // after the context is pushed
  driver.failing_code = driver::out_of_memory;
  const auto buffer = (*device)->allocate(1 << 20);
  ASSERT_FALSE(buffer);
  EXPECT_EQ(buffer.error().code, ErrorCode::out_of_memory);
  EXPECT_THAT(buffer.error().to_string(), HasSubstr("1048576 bytes"));
  EXPECT_TRUE((*device)->allocate(16)) << "not sticky";
}

TEST(CudaDevice, LossIsLatched) {
  FakeCudaDriver& driver = fresh();
  {
    const auto device = open_device(api(), "cuda:0");
    ASSERT_TRUE(device);
    const auto buffer = (*device)->allocate(16);
    ASSERT_TRUE(buffer);
    driver.failing_call = driver.calls + 1;
    driver.failing_code = driver::illegal_address;
    std::array<std::byte, 16> data{};
    const Status first = (*device)->write({buffer->get(), 0, 16}, data);
    ASSERT_FALSE(first);
    EXPECT_EQ(first.error().code, ErrorCode::device_lost);
    EXPECT_EQ(first.error().driver_code, 700);
    const Status second = (*device)->read({buffer->get(), 0, 16}, data);
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code, ErrorCode::device_lost);
    EXPECT_THAT(second.error().message, HasSubstr("CUDA_ERROR_ILLEGAL_ADDRESS"));
    EXPECT_FALSE((*device)->allocate(16));
  }
  EXPECT_EQ(driver.leaks(), "");
}

TEST(CudaDevice, AWaitIsFinite) {
  FakeCudaDriver& driver = fresh();
  {
    const auto device = open_device(api(), "cuda:0", {.wait_limit = std::chrono::milliseconds(20)});
    ASSERT_TRUE(device);
    const auto loaded = (*device)->load({});
    ASSERT_TRUE(loaded);
    const auto plan = (*device)->record(**loaded, {});
    ASSERT_TRUE(plan);
    EXPECT_TRUE((*device)->run(**plan, {}));
    driver.never_finishes = true;
    const auto timing = (*device)->run(**plan, {});
    ASSERT_FALSE(timing);
    EXPECT_EQ(timing.error().code, ErrorCode::timeout);
    EXPECT_THAT(timing.error().message, HasSubstr("limit 20 ms"));
    const auto later = (*device)->allocate(16);
    ASSERT_FALSE(later);
    EXPECT_EQ(later.error().code, ErrorCode::device_lost);
  }
  // Freeing would wait for the device, so what hangs is left to the process's end.
  EXPECT_EQ(driver.leaks(), "1 streams; 1 events; 1 retained contexts; ");
  driver.reset();
}

TEST(CudaDevice, JitLogIsInTheError) {
  FakeCudaDriver& driver = fresh();
  const auto device = open_device(api(), "cuda:0");
  ASSERT_TRUE(device);
  driver.jit_log = "ptxas application ptx input, line 3; fatal";
  driver.failing_call = driver.calls + 1;
  driver.failing_code = driver::unsupported_ptx_version;
  const std::array kernels{binary("first")};
  const auto loaded = (*device)->load(kernels);
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().code, ErrorCode::unsupported);
  EXPECT_EQ(loaded.error().driver_code, 222);
  EXPECT_THAT(loaded.error().to_string(), HasSubstr("line 3; fatal"));
  EXPECT_THAT(loaded.error().to_string(), HasSubstr("first"));
}

TEST(CudaDevice, ForeignCodeIsRefused) {
  fresh();
  const auto device = open_device(api(), "cuda:0");
  ASSERT_TRUE(device);
  std::array kernels{binary("first")};
  kernels[0].format = "spirv";
  EXPECT_THAT((*device)->load(kernels).error().message, HasSubstr("'spirv' (needs ptx)"));
  kernels[0].format = "ptx";
  kernels[0].subgroup = 16;
  EXPECT_THAT((*device)->load(kernels).error().message, HasSubstr("subgroup size 16"));
}

TEST(CudaDevice, ArgumentsOutsideTheBlockAreRefused) {
  fresh();
  const auto device = open_device(api(), "cuda:0");
  ASSERT_TRUE(device);
  const std::array kernels{binary("first"), binary("second")};
  const auto loaded = (*device)->load(kernels);
  ASSERT_TRUE(loaded);
  runtime::PlanDescription outside = description();
  std::get<runtime::LaunchStep>(outside.steps[0]).scalars[0].block_offset = 17;
  EXPECT_THAT((*device)->record(**loaded, outside).error().message,
              HasSubstr("argument of 4 bytes at 17 leaves the block"));
}

TEST(CudaDevice, PlansThatDoNotFitTheirKernelsOrSlotsAreRefused) {
  fresh();
  const auto device = open_device(api(), "cuda:0");
  ASSERT_TRUE(device);
  const std::array kernels{binary("first"), binary("second")};
  const auto loaded = (*device)->load(kernels);
  ASSERT_TRUE(loaded);
  runtime::PlanDescription wrong = description();
  std::get<runtime::LaunchStep>(wrong.steps[0]).grid[1] = 0;
  EXPECT_THAT((*device)->record(**loaded, wrong).error().message,
              HasSubstr("grid axis 1 of launch first is 0 (1 to 2147483647)"));
  wrong = description();
  std::get<runtime::LaunchStep>(wrong.steps[0]).kernel = 2;
  EXPECT_THAT((*device)->record(**loaded, wrong).error().message,
              HasSubstr("launch first names kernel 2 (of 2)"));
  const auto plan = (*device)->record(**loaded, description());
  ASSERT_TRUE(plan);
  EXPECT_EQ((*device)->run(**plan, {}).error().message, "run binds 0 slots (the plan has 3)");
}

// --- enumeration ----------------------------------------------------------------------------

TEST(CudaEnumerate, DescribesADevice) {
  FakeCudaDriver& driver = fresh();
  driver.device_count = 2;
  const runtime::DeviceList list = enumerate(api());
  ASSERT_EQ(list.devices.size(), 2U);
  const runtime::DeviceInfo& info = list.devices[1];
  EXPECT_EQ(info.name, "cuda:1");
  EXPECT_EQ(info.adapter, "cuda");
  EXPECT_EQ(info.kind, runtime::DeviceKind::discrete);
  EXPECT_EQ(info.description, "Fake GPU");
  EXPECT_EQ(info.driver, "CUDA 12.4");
  EXPECT_EQ(info.uuid, "000102030405060708090a0b0c0d0e0f");
  EXPECT_EQ(info.profile.name, "sm_80");
  EXPECT_EQ(info.profile.code_version, 84);
  EXPECT_EQ(info.profile.allocation_bytes_maximum, std::int64_t{8} << 30);
  EXPECT_TRUE(list.unavailable.empty());
}

TEST(CudaEnumerate, OldDriverGetsAnOlderArchitecture) {
  FakeCudaDriver& driver = fresh();
  driver.major = 9;
  driver.driver_version = 11080;  // PTX 7.8: no sm_90a
  EXPECT_EQ(enumerate(api()).devices.at(0).profile.architecture, "sm_90");
  driver.driver_version = 13000;
  EXPECT_EQ(enumerate(api()).devices.at(0).profile.architecture, "sm_90a");
}

TEST(CudaEnumerate, SaysWhyThereIsNothing) {
  FakeCudaDriver& driver = fresh();
  driver.failing_call = 0;
  driver.failing_code = 999;
  runtime::DeviceList list = enumerate(api());
  ASSERT_EQ(list.unavailable.size(), 1U);
  EXPECT_EQ(list.unavailable[0].reason, "cuInit failed (999 CUDA_ERROR_UNKNOWN)");
  fresh().device_count = 0;
  EXPECT_EQ(enumerate(api()).unavailable.at(0).reason, "the driver lists no device");
  fresh().major = 6;
  list = enumerate(api());
  EXPECT_TRUE(list.devices.empty());
  EXPECT_THAT(list.unavailable.at(0).reason, HasSubstr("compute capability 6.0"));
}

TEST(CudaEnumerate, NamesAreChecked) {
  EXPECT_EQ(*ordinal_of("cuda:12"), 12);
  for (const char* name :
       {"", "cuda", "cuda:", "cuda:-1", "cuda:x", "cuda:1x", "vulkan:0", "cuda:99999999999"})
    EXPECT_EQ(ordinal_of(name).error().code, ErrorCode::not_found) << name;
  EXPECT_EQ(ordinal_of("cuda:x").error().message, "no CUDA device is named 'cuda:x' (cuda:0, ...)");
  fresh();
  EXPECT_FALSE(open_device(api(), "cuda:1")) << "there is one device";
}

TEST(CudaAdapter, WithoutADriverItSaysSo) {
  EXPECT_EQ(adapter().name, "cuda");
  const runtime::DeviceList list = adapter().enumerate();
  EXPECT_FALSE(list.devices.empty() && list.unavailable.empty());
  if (!list.devices.empty()) GTEST_SKIP() << "this machine has a CUDA device";
  EXPECT_FALSE(list.unavailable.front().reason.empty());
  EXPECT_FALSE(adapter().open("cuda:0"));
}

}  // namespace
}  // namespace accy::cuda
