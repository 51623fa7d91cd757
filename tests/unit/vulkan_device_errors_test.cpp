// What the Vulkan device does when something is wrong: bad requests, failing driver calls, a device
// that hangs or is lost, and a driver that is not there.
#include <algorithm>
#include <chrono>
#include <gmock/gmock.h>
#include <map>
#include <random>
#include <thread>

#include "support/vulkan_device_fixture.hpp"
#include "targets/vulkan/device/errors.hpp"

namespace accy::vulkan {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using Clock = std::chrono::steady_clock;

TEST(RangeAllocatorTest, AgreesWithAByteMap) {
  constexpr std::uint64_t size = 4096;
  RangeAllocator ranges(size);
  std::vector<bool> taken(size, false);
  std::map<std::uint64_t, std::uint64_t> held;
  std::mt19937 random(3);
  const auto free_run_exists = [&](std::uint64_t bytes, std::uint64_t alignment) {
    for (std::uint64_t start = 0; start + bytes <= size; start += alignment) {
      bool is_free = true;
      for (std::uint64_t i = start; i < start + bytes && is_free; ++i) is_free = !taken[i];
      if (is_free) return true;
    }
    return false;
  };
  for (int step = 0; step < 5000; ++step) {
    if (!held.empty() && random() % 2 == 0) {
      const auto victim = std::next(held.begin(), static_cast<int>(random() % held.size()));
      ranges.release(victim->first, victim->second);
      for (std::uint64_t i = 0; i < victim->second; ++i) taken[victim->first + i] = false;
      held.erase(victim);
    } else {
      const std::uint64_t bytes = 1 + random() % 600;
      const std::uint64_t alignment = std::uint64_t{1} << (random() % 9);
      const auto offset = ranges.allocate(bytes, alignment);
      ASSERT_EQ(offset.has_value(), free_run_exists(bytes, alignment)) << step;
      if (!offset) continue;
      ASSERT_EQ(*offset % alignment, 0U);
      ASSERT_LE(*offset + bytes, size);
      for (std::uint64_t i = 0; i < bytes; ++i) {
        ASSERT_FALSE(taken[*offset + i]) << step;
        taken[*offset + i] = true;
      }
      held.emplace(*offset, bytes);
    }
    const auto used = static_cast<std::uint64_t>(std::count(taken.begin(), taken.end(), true));
    ASSERT_EQ(ranges.free_bytes(), size - used);
  }
  for (const auto& [offset, bytes] : held) ranges.release(offset, bytes);
  EXPECT_TRUE(ranges.unused());
}

TEST(RangeAllocatorTest, RefusesWhatCannotFit) {
  RangeAllocator ranges(100);
  EXPECT_FALSE(ranges.allocate(101, 1));
  EXPECT_FALSE(ranges.allocate(0, 1));
  EXPECT_FALSE(ranges.allocate(~std::uint64_t{0}, 256));
  EXPECT_EQ(ranges.allocate(1, 1), 0U);
  EXPECT_FALSE(ranges.allocate(50, 64));
  EXPECT_EQ(ranges.allocate(36, 64), 64U);
}

TEST_F(VulkanDeviceTest, RefusesSizesOutsideTheLimits) {
  const auto error_of = [&](std::int64_t size) {
    const auto buffer = device_->allocate(size);
    return buffer ? std::string() : buffer.error().message;
  };
  EXPECT_EQ(error_of(0), "a buffer of 0 bytes is asked for, the least is 1");
  EXPECT_EQ(error_of(-1), "a buffer of -1 bytes is asked for, the least is 1");
  const std::int64_t limit = device_->info().profile.allocation_bytes_maximum;
  for (const std::int64_t size : {limit + 1, std::numeric_limits<std::int64_t>::max()})
    EXPECT_THAT(error_of(size), AllOf(HasSubstr("an allocation of " + std::to_string(size)),
                                      HasSubstr("bytes is over the limit of"),
                                      HasSubstr("(" + std::to_string(limit) + " bytes)")));
  const std::int64_t buffer_limit = device_->info().profile.buffer_bytes_maximum;
  if (buffer_limit < limit) {
    EXPECT_THAT(error_of(buffer_limit + 1), HasSubstr("a buffer of"));
  }
}

TEST_F(VulkanDeviceTest, RefusesRangesOutsideTheBuffer) {
  const auto buffer = allocate(100);
  std::vector<std::byte> bytes(50);
  const auto message = [&](std::int64_t offset, std::int64_t size) {
    const Status status = device_->write({buffer.get(), offset, size}, bytes);
    return status ? std::string() : status.error().message;
  };
  EXPECT_EQ(message(50, 50), "");
  EXPECT_EQ(message(51, 50), "50 bytes at 51 are outside the buffer (100 bytes)");
  EXPECT_THAT(message(-1, 50), HasSubstr("are outside the buffer"));
  EXPECT_EQ(message(0, 49), "50 bytes on the host meet a range of 49 bytes");
  EXPECT_THAT(message(std::numeric_limits<std::int64_t>::max(), 50),
              HasSubstr("are outside the buffer"));
  EXPECT_EQ(device_->read({nullptr, 0, 50}, bytes).error().message,
            "the range names no buffer of this device");
}

TEST_F(VulkanDeviceTest, RefusesKernelsThatCannotRun) {
  const auto words = assemble(elementwise_text(copy_body));
  const auto code_of = [&](auto change) {
    auto binary = kernel_binary("bad", words);
    change(binary);
    const auto kernels = device_->load(std::span(&binary, 1));
    return kernels ? std::optional<ErrorCode>{} : kernels.error().code;
  };
  const TargetProfile& profile = device_->info().profile;
  using Binary = runtime::KernelBinary;
  EXPECT_EQ(code_of([](Binary&) {}), std::nullopt);
  EXPECT_EQ(code_of([](Binary& b) { b.format = "ptx"; }), ErrorCode::invalid_input);
  EXPECT_EQ(code_of([](Binary& b) { b.code = b.code.subspan(4); }), ErrorCode::invalid_input);
  EXPECT_EQ(code_of([](Binary& b) { b.code = b.code.first(30); }), ErrorCode::invalid_input);
  EXPECT_EQ(code_of([](Binary& b) { b.code = {}; }), ErrorCode::invalid_input);
  EXPECT_EQ(code_of([&](Binary& b) { b.workgroup[2] = profile.workgroup_size_maximum[2] + 1; }),
            ErrorCode::unsupported);
  EXPECT_EQ(code_of([](Binary& b) { b.workgroup[1] = 0; }), ErrorCode::unsupported);
  EXPECT_EQ(code_of([](Binary& b) { b.subgroup = 3; }), ErrorCode::unsupported);
  EXPECT_EQ(code_of([&](Binary& b) { b.subgroup = 2 * profile.subgroup_size_maximum; }),
            ErrorCode::unsupported);
  EXPECT_EQ(code_of([](Binary& b) { b.argument_block_bytes = -8; }), ErrorCode::invalid_input);
}

TEST_F(VulkanDeviceTest, RefusesPlansThatWouldReachOutside) {
  const auto kernels = load({copy_body});
  const auto good = launch(0, 64, 0, 0, 1);
  const auto message = [&](runtime::PlanStep step) {
    const auto plan = device_->record(*kernels, {2, {std::move(step)}});
    return plan ? std::string() : plan.error().message;
  };
  EXPECT_EQ(message(good), "");
  auto step = good;
  step.kernel = 1;
  EXPECT_EQ(message(step), "a launch names kernel 1, 1 are loaded");
  step = good;
  step.buffers[0].range.slot = 2;
  EXPECT_EQ(message(step), "a step names slot 2, the plan has 2");
  step = good;
  step.buffers[0].range.offset_bytes = -4;
  EXPECT_THAT(message(step), HasSubstr("bytes at -4 of slot 0"));
  step = good;
  step.buffers[0].block_offset = block_bytes - 4;
  EXPECT_THAT(message(step), HasSubstr("is outside the argument block of kernel"));
  step = good;
  step.scalars[0].block_offset = -4;
  EXPECT_THAT(message(step), HasSubstr("is outside the argument block of kernel"));
  step = good;
  step.grid[1] = device_->info().profile.grid_size_maximum[1] + 1;
  EXPECT_THAT(message(step), AllOf(HasSubstr("the grid of kernel"), HasSubstr("on axis 1 (limit")));
  EXPECT_EQ(message(runtime::CopyStep{{0, 0, 8}, {1, 0, 4}}),
            "a copy moves 8 bytes to a range of 4");
}

TEST_F(VulkanDeviceTest, RefusesSlotsThatThePlanDoesNotFit) {
  const auto kernels = load({copy_body});
  const auto plan = record(*kernels, 2, {launch(0, 64, 0, 0, 1)});
  const auto buffer = allocate(256);
  const auto message = [&](std::vector<runtime::BufferRange> slots) {
    const auto timing = device_->run(*plan, slots);
    return timing ? std::string() : timing.error().message;
  };
  EXPECT_EQ(message({whole(*buffer), whole(*buffer)}), "");
  EXPECT_EQ(message({whole(*buffer)}), "1 slots are bound, the plan has 2");
  EXPECT_EQ(message({whole(*buffer), {}}), "slot 1 is bound to no buffer of this device");
  EXPECT_THAT(message({whole(*buffer), {buffer.get(), 4, 252}}),
              HasSubstr("slot 1 is bound to 252"));
  EXPECT_THAT(message({whole(*buffer), {buffer.get(), 4, 256}}),
              HasSubstr("slot 1 is bound to 256"));
}

TEST_F(VulkanDeviceTest, RefusesWhatBelongsToAnotherDevice) {
  auto other = adapter().open(list_.devices.front().name);
  ASSERT_TRUE(other) << other.error().to_string();
  const auto kernels = load({copy_body});
  const auto plan = record(*kernels, 2, {launch(0, 64, 0, 0, 1)});
  EXPECT_EQ((*other)->record(*kernels, {2, {}}).error().message,
            "the kernels were loaded on another device");
  EXPECT_EQ((*other)->run(*plan, {}).error().message, "the plan was recorded on another device");
}

TEST_F(VulkanDeviceTest, UnknownNamesAreNotFound) {
  for (const char* name : {"vulkan:99", "vulkan", "vulkan:", "cuda:0", ""}) {
    const auto device = adapter().open(name);
    ASSERT_FALSE(device) << name;
    EXPECT_EQ(device.error().code, ErrorCode::not_found);
  }
}

TEST_F(VulkanDeviceTest, ADeviceThatOutlastsTheLimitIsATimeoutAndRecovers) {
  DeviceOptions options;
  options.timeout = std::chrono::milliseconds(5);
  reopen(options);
  constexpr std::int64_t n = 64;
  auto out = upload(std::vector<float>(n, 1.0F));
  const auto kernels = load({slow_body});
  // Many dependent launches: slow on a GPU too, where one of them takes about 0.1 ms.
  std::vector<runtime::PlanStep> steps;
  for (int i = 0; i < 300; ++i) {
    steps.emplace_back(launch(0, n, 0, 0, 0, 0.5F));
    steps.emplace_back(runtime::BarrierStep{});
  }
  auto plan = record(*kernels, 1, std::move(steps));
  const auto began = Clock::now();
  const auto timing = device_->run(*plan, std::vector{whole(*out)});
  ASSERT_FALSE(timing) << "the kernel was meant to be slow";
  EXPECT_EQ(timing.error().code, ErrorCode::timeout);
  EXPECT_LT(Clock::now() - began, std::chrono::seconds(5));
  // Objects in use may go now; the device keeps their memory until it is done with it.
  plan.reset();
  out.reset();
  std::vector<float> values(1, 0.0F);
  const auto other = allocate(4);
  Status status = device_->write(whole(*other), std::as_bytes(std::span(values)));
  if (!status) {
    EXPECT_EQ(status.error().code, ErrorCode::timeout);
  }
  const auto deadline = Clock::now() + std::chrono::seconds(120);
  while (!status && Clock::now() < deadline)
    status = device_->write(whole(*other), std::as_bytes(std::span(values)));
  EXPECT_TRUE(status) << status.error().to_string();
}

// Replaced driver functions: they fail when told to, else call the driver.
struct Driver {
  PFN_vkAllocateMemory allocate_memory;
  PFN_vkQueueSubmit submit;
  PFN_vkWaitSemaphores wait;
  PFN_vkCmdPipelineBarrier barrier;
  PFN_vkCmdDispatch dispatch;
  PFN_vkMapMemory map;
};
Driver driver;
VkResult memory_result = VK_SUCCESS;
VkResult submit_result = VK_SUCCESS;
VkResult wait_result = VK_SUCCESS;
VkResult map_result = VK_SUCCESS;
std::string trace;

VkResult VKAPI_PTR allocate_memory(VkDevice device, const VkMemoryAllocateInfo* info,
                                   const VkAllocationCallbacks* callbacks, VkDeviceMemory* memory) {
  if (memory_result != VK_SUCCESS) return memory_result;
  return driver.allocate_memory(device, info, callbacks, memory);
}
VkResult VKAPI_PTR submit(VkQueue queue, std::uint32_t count, const VkSubmitInfo* infos,
                          VkFence fence) {
  if (submit_result != VK_SUCCESS) return submit_result;
  return driver.submit(queue, count, infos, fence);
}
VkResult VKAPI_PTR wait(VkDevice device, const VkSemaphoreWaitInfo* info, std::uint64_t timeout) {
  const VkResult result = driver.wait(device, info, timeout);
  return wait_result != VK_SUCCESS ? wait_result : result;
}
VkResult VKAPI_PTR map(VkDevice device, VkDeviceMemory memory, VkDeviceSize offset,
                       VkDeviceSize size, VkMemoryMapFlags flags, void** pointer) {
  if (map_result != VK_SUCCESS) return map_result;
  return driver.map(device, memory, offset, size, flags, pointer);
}
void VKAPI_PTR barrier(VkCommandBuffer commands, VkPipelineStageFlags source,
                       VkPipelineStageFlags destination, VkDependencyFlags flags,
                       std::uint32_t memory_count, const VkMemoryBarrier* memory,
                       std::uint32_t buffer_count, const VkBufferMemoryBarrier* buffers,
                       std::uint32_t image_count, const VkImageMemoryBarrier* images) {
  trace += (destination & VK_PIPELINE_STAGE_HOST_BIT) != 0 ? "h" : "b";
  driver.barrier(commands, source, destination, flags, memory_count, memory, buffer_count, buffers,
                 image_count, images);
}
void VKAPI_PTR dispatch(VkCommandBuffer commands, std::uint32_t x, std::uint32_t y,
                        std::uint32_t z) {
  trace += "d";
  driver.dispatch(commands, x, y, z);
}

void patch(VolkDeviceTable& table) {
  driver = {table.vkAllocateMemory,     table.vkQueueSubmit, table.vkWaitSemaphores,
            table.vkCmdPipelineBarrier, table.vkCmdDispatch, table.vkMapMemory};
  table.vkAllocateMemory = allocate_memory;
  table.vkQueueSubmit = submit;
  table.vkWaitSemaphores = wait;
  table.vkCmdPipelineBarrier = barrier;
  table.vkCmdDispatch = dispatch;
  table.vkMapMemory = map;
}

/// A device whose driver calls fail on demand.
class FailingDriverTest : public VulkanDeviceTest {
 protected:
  void SetUp() override {
    VulkanDeviceTest::SetUp();
    if (IsSkipped()) return;
    memory_result = submit_result = wait_result = map_result = VK_SUCCESS;
    trace.clear();
    DeviceOptions options;
    options.patch = patch;
    reopen(options);
  }
  void TearDown() override {
    memory_result = submit_result = wait_result = map_result = VK_SUCCESS;
    VulkanDeviceTest::TearDown();
  }
};

TEST_F(FailingDriverTest, ExhaustedMemoryIsOutOfMemoryAndPasses) {
  for (const VkResult result : {VK_ERROR_OUT_OF_DEVICE_MEMORY, VK_ERROR_OUT_OF_HOST_MEMORY}) {
    memory_result = result;
    const auto buffer = device_->allocate(1000);
    ASSERT_FALSE(buffer);
    EXPECT_EQ(buffer.error().code, ErrorCode::out_of_memory);
    EXPECT_EQ(buffer.error().driver_code, result);
    EXPECT_NE(buffer.error().message.find("vkAllocateMemory"), std::string::npos);
  }
  memory_result = VK_SUCCESS;
  EXPECT_NE(allocate(1000), nullptr);
}

TEST_F(FailingDriverTest, KeptBlocksAreFreedBeforeMemoryRunsOut) {
  allocate(1000).reset();
  EXPECT_EQ(device_->block_count(), 1U);  // kept for the next small buffer
  memory_result = VK_ERROR_OUT_OF_DEVICE_MEMORY;
  EXPECT_FALSE(device_->allocate(std::int64_t{100} << 20));
  EXPECT_EQ(device_->block_count(), 0U);
}

TEST_F(FailingDriverTest, AFailedMapGivesItsMemoryBack) {
  map_result = VK_ERROR_MEMORY_MAP_FAILED;
  const auto buffer = device_->allocate(1000);
  if (buffer) GTEST_SKIP() << "device memory is not mapped here";
  EXPECT_EQ(buffer.error().code, ErrorCode::device);
  EXPECT_EQ(buffer.error().driver_code, VK_ERROR_MEMORY_MAP_FAILED);
  EXPECT_EQ(device_->block_count(), 0U);
}

TEST_F(FailingDriverTest, ALostDeviceStaysLost) {
  for (VkResult* place : {&submit_result, &wait_result}) {
    DeviceOptions options;
    options.patch = patch;
    reopen(options);
    const auto kernels = load({copy_body});
    const auto plan = record(*kernels, 1, {launch(0, 64, 0, 0, 0)});
    const auto buffer = allocate(256);
    *place = VK_ERROR_DEVICE_LOST;
    const auto first = device_->run(*plan, std::vector{whole(*buffer)});
    *place = VK_SUCCESS;
    ASSERT_FALSE(first);
    EXPECT_EQ(first.error().code, ErrorCode::device_lost);
    EXPECT_EQ(first.error().driver_code, VK_ERROR_DEVICE_LOST);
    std::vector<std::byte> bytes(256);
    const auto code_of = [](const auto& result) {
      return result ? ErrorCode::internal : result.error().code;
    };
    EXPECT_EQ(code_of(device_->run(*plan, std::vector{whole(*buffer)})), ErrorCode::device_lost);
    EXPECT_EQ(code_of(device_->write(whole(*buffer), bytes)), ErrorCode::device_lost);
    EXPECT_EQ(code_of(device_->read(whole(*buffer), bytes)), ErrorCode::device_lost);
    EXPECT_EQ(code_of(device_->allocate(4)), ErrorCode::device_lost);
    EXPECT_EQ(code_of(device_->load({})), ErrorCode::device_lost);
    EXPECT_EQ(code_of(device_->record(*kernels, {})), ErrorCode::device_lost);
  }
}

TEST_F(FailingDriverTest, ARefusedSubmissionLeavesTheDeviceUsable) {
  const auto kernels = load({scale_body});
  const auto plan = record(*kernels, 1, {launch(0, 64, 0, 0, 0, 3.0F)});
  const auto buffer = upload(std::vector<float>(64, 1.0F));
  submit_result = VK_ERROR_OUT_OF_HOST_MEMORY;
  const auto refused = device_->run(*plan, std::vector{whole(*buffer)});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::out_of_memory);
  submit_result = VK_SUCCESS;
  run(*plan, {whole(*buffer)});
  EXPECT_EQ(download(*buffer), std::vector<float>(64, 3.0F));
}

TEST_F(FailingDriverTest, RecordsTheStepsInOrderBetweenBarriers) {
  const auto kernels = load({copy_body});
  const auto step = launch(0, 64, 0, 0, 0);
  trace.clear();
  const auto plan = record(*kernels, 1, {step, step, runtime::BarrierStep{}, step});
  EXPECT_EQ(trace, "bddbdh");
}

TEST(VulkanDeviceDeathTest, ADeviceMustOutliveItsObjects) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  if (adapter().enumerate().devices.empty()) GTEST_SKIP() << "no Vulkan device";
  EXPECT_DEATH(
      {
        auto device = adapter().open(adapter().enumerate().devices.front().name);
        auto buffer = (*device)->allocate(16);
        device->reset();
      },
      "destroyed before 1 of its objects");
}

TEST(VulkanDeviceDeathTest, WithoutADriverTheReasonIsListed) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        setenv("VK_ICD_FILENAMES", "/nonexistent/driver.json", 1);
        const auto list = adapter().enumerate();
        const bool right = list.devices.empty() && list.unavailable.size() == 1 &&
                           list.unavailable[0].name == "vulkan" &&
                           !list.unavailable[0].reason.empty() && !adapter().open("vulkan:0");
        std::_Exit(right ? 3 : 4);
      },
      ::testing::ExitedWithCode(3), "");
}

TEST(ErrorsTest, EveryResultHasItsCode) {
  const auto error_of = [](VkResult result) { return driver_failure(result, "vkCall").value(); };
  EXPECT_EQ(error_of(VK_ERROR_OUT_OF_HOST_MEMORY).code, ErrorCode::out_of_memory);
  EXPECT_EQ(error_of(VK_ERROR_OUT_OF_DEVICE_MEMORY).code, ErrorCode::out_of_memory);
  EXPECT_EQ(error_of(VK_ERROR_DEVICE_LOST).code, ErrorCode::device_lost);
  EXPECT_EQ(error_of(VK_TIMEOUT).code, ErrorCode::timeout);
  EXPECT_EQ(error_of(VK_ERROR_INITIALIZATION_FAILED).code, ErrorCode::device);
  const Error unknown = error_of(static_cast<VkResult>(-12345678));
  EXPECT_EQ(unknown.code, ErrorCode::device);
  EXPECT_EQ(unknown.driver_code, -12345678);
  EXPECT_NE(unknown.message.find("vkCall"), std::string::npos);
}

}  // namespace
}  // namespace accy::vulkan
