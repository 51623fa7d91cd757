// The Vulkan device: identity, memory, plans and their replay.
#include <algorithm>
#include <numeric>
#include <random>
#include <set>

#include "support/vulkan_device_fixture.hpp"

namespace accy::vulkan {
namespace {

std::vector<float> ramp(std::size_t count, float first, float step) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = first + step * static_cast<float>(i);
  return values;
}

std::vector<std::byte> random_bytes(std::size_t count, std::uint32_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::uint64_t> words(count / sizeof(std::uint64_t) + 1);
  for (std::uint64_t& word : words) word = random();
  const auto bytes = std::as_bytes(std::span(words)).first(count);
  return {bytes.begin(), bytes.end()};
}

TEST_F(VulkanDeviceTest, DescribesItself) {
  const runtime::DeviceInfo& info = device_->info();
  EXPECT_EQ(info.adapter, "vulkan");
  EXPECT_EQ(info.name.rfind("vulkan:", 0), 0U);
  EXPECT_EQ(info.uuid.size(), 32U);
  EXPECT_EQ(info.uuid.find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_FALSE(info.description.empty());
  EXPECT_EQ(info.profile, list_.devices.front().profile);
}

TEST_F(VulkanDeviceTest, ProfileKeepsTheMinimaThatVulkanPromises) {
  const TargetProfile& profile = device_->info().profile;
  EXPECT_EQ(profile.target, "vulkan");
  EXPECT_GE(profile.workgroup_invocations_maximum, 128);
  EXPECT_GE(profile.workgroup_size_maximum[2], 64);
  EXPECT_GE(profile.grid_size_maximum[0], 65535);
  EXPECT_GE(profile.shared_memory_bytes, 16384);
  EXPECT_GE(profile.allocation_bytes_maximum, std::int64_t{1} << 30);
  EXPECT_GE(profile.buffer_bytes_maximum, std::int64_t{1} << 27);
  EXPECT_LE(profile.buffer_bytes_maximum, profile.allocation_bytes_maximum);
  EXPECT_LE(profile.subgroup_size_minimum, profile.subgroup_size_maximum);
  EXPECT_EQ(profile.binding_classes, std::vector<std::string>{"address"});
  EXPECT_GE(profile.code_version, 15);
}

TEST_F(VulkanDeviceTest, LavapipeHasItsMeasuredQuirks) {
  const TargetProfile& profile = device_->info().profile;
  if (profile.name != "lavapipe") GTEST_SKIP() << "the device is " << profile.name;
  EXPECT_EQ(profile.loop_iterations_maximum, 65000);
  EXPECT_TRUE(profile.subnormals_kept_f32);
  EXPECT_TRUE(profile.rounding_rte_f32);
  EXPECT_TRUE(profile.subgroup_size_control);
  ASSERT_FALSE(profile.quirks.empty());
  for (const Quirk& quirk : profile.quirks) EXPECT_FALSE(quirk.reference.empty()) << quirk.name;
}

TEST_F(VulkanDeviceTest, ValidationIsReallyOn) {
  ASSERT_TRUE(validation_active());
  const auto& instance = **shared_instance();
  const auto physical = query_physical_device(instance, instance.physical_devices()->front(), 0);
  ASSERT_TRUE(physical);
  const auto logical = LogicalDevice::create(instance, *physical, {});
  ASSERT_TRUE(logical);
  VkBufferCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
  info.size = 0;  // forbidden
  VkBuffer buffer = VK_NULL_HANDLE;
  const VolkDeviceTable& table = (*logical)->table();
  if (table.vkCreateBuffer((*logical)->handle(), &info, nullptr, &buffer) == VK_SUCCESS)
    table.vkDestroyBuffer((*logical)->handle(), buffer, nullptr);
  EXPECT_GE(validation_message_count(), 1U);
  clear_validation_messages();
}

/// Transfers with and without staging memory.
class VulkanTransferTest : public VulkanDeviceTest, public ::testing::WithParamInterface<bool> {
 protected:
  void SetUp() override {
    VulkanDeviceTest::SetUp();
    if (IsSkipped()) return;
    DeviceOptions options;
    options.always_stage = GetParam();
    reopen(options);
  }
};

TEST_P(VulkanTransferTest, RoundTripsOfAllSizes) {
  for (const std::size_t size :
       {1UL, 2UL, 3UL, 15UL, 257UL, 4096UL, 4194304UL, 4194305UL, 20000003UL, 80000001UL}) {
    const auto buffer = allocate(static_cast<std::int64_t>(size));
    ASSERT_NE(buffer, nullptr);
    EXPECT_EQ(buffer->size_bytes(), static_cast<std::int64_t>(size));
    const auto sent = random_bytes(size, static_cast<std::uint32_t>(size));
    ASSERT_TRUE(device_->write(whole(*buffer), sent));
    std::vector<std::byte> received(size);
    ASSERT_TRUE(device_->read(whole(*buffer), received));
    EXPECT_TRUE(sent == received) << size;
  }
}

TEST_P(VulkanTransferTest, OffsetsTouchOnlyTheirRange) {
  constexpr std::int64_t size = 1000;
  const auto buffer = allocate(size);
  std::vector<std::byte> expected = random_bytes(size, 1);
  ASSERT_TRUE(device_->write(whole(*buffer), expected));
  for (const auto& [offset, bytes] :
       {std::pair{0, 1}, {1, 7}, {13, 255}, {500, 500}, {999, 1}, {700, 0}}) {
    const auto patch = random_bytes(static_cast<std::size_t>(bytes), 77);
    ASSERT_TRUE(device_->write({buffer.get(), offset, bytes}, patch));
    std::copy(patch.begin(), patch.end(), expected.begin() + offset);
    std::vector<std::byte> part(static_cast<std::size_t>(bytes));
    ASSERT_TRUE(device_->read({buffer.get(), offset, bytes}, part));
    EXPECT_TRUE(part == patch) << offset;
  }
  std::vector<std::byte> all(size);
  ASSERT_TRUE(device_->read(whole(*buffer), all));
  EXPECT_TRUE(all == expected);
}

TEST_P(VulkanTransferTest, KernelResultsReachTheHost) {
  const auto a = upload(ramp(300, 0.0F, 1.0F));
  const auto out = upload(std::vector<float>(300, -1.0F));
  const auto kernels = load({scale_body});
  const auto plan = record(*kernels, 3, {launch(0, 300, 0, 1, 2, 2.0F)});
  run(*plan, {whole(*a), whole(*a), whole(*out)});
  EXPECT_EQ(download(*out), ramp(300, 0.0F, 2.0F));
}

INSTANTIATE_TEST_SUITE_P(Paths, VulkanTransferTest, ::testing::Bool(),
                         [](const auto& path) { return path.param ? "staged" : "direct"; });

TEST_F(VulkanDeviceTest, RandomAllocationsKeepTheirContents) {
  struct Held {
    std::unique_ptr<runtime::Buffer> buffer;
    std::vector<std::byte> bytes;
  };
  std::vector<Held> held;
  std::mt19937 random(5);
  for (int step = 0; step < 600; ++step) {
    if (!held.empty() && random() % 5 < 2) {
      const std::size_t victim = random() % held.size();
      std::vector<std::byte> bytes(held[victim].bytes.size());
      ASSERT_TRUE(device_->read(whole(*held[victim].buffer), bytes));
      EXPECT_TRUE(bytes == held[victim].bytes) << step;
      held.erase(held.begin() + static_cast<std::ptrdiff_t>(victim));
      continue;
    }
    const std::size_t size = 1 + random() % (step % 20 == 0 ? 3000000 : 5000);
    Held item{allocate(static_cast<std::int64_t>(size)),
              random_bytes(size, static_cast<std::uint32_t>(step))};
    ASSERT_NE(item.buffer, nullptr);
    const auto& buffer = static_cast<const DeviceBuffer&>(*item.buffer);
    EXPECT_EQ(buffer.address() % 256, 0U);
    ASSERT_TRUE(device_->write(whole(*item.buffer), item.bytes));
    held.push_back(std::move(item));
  }
  for (const Held& item : held) {
    std::vector<std::byte> bytes(item.bytes.size());
    ASSERT_TRUE(device_->read(whole(*item.buffer), bytes));
    EXPECT_TRUE(bytes == item.bytes);
  }
  EXPECT_LE(device_->block_count(), 6U);
  held.clear();
  EXPECT_LE(device_->block_count(), 1U);
}

TEST_F(VulkanDeviceTest, SmallBuffersShareABlockAndLargeOnesAreGivenBack) {
  std::vector<std::unique_ptr<runtime::Buffer>> small;
  for (int i = 0; i < 1000; ++i) small.push_back(allocate(1000));
  EXPECT_EQ(device_->block_count(), 1U);
  auto large = allocate(std::int64_t{100} << 20);
  EXPECT_EQ(device_->block_count(), 2U);
  large.reset();
  EXPECT_EQ(device_->block_count(), 1U);
}

TEST_F(VulkanDeviceTest, CopyAndAddKernels) {
  const std::int64_t n = 1000;  // not a multiple of the workgroup
  const auto a = upload(ramp(n, 1.0F, 0.5F));
  const auto b = upload(ramp(n, -3.0F, 2.0F));
  const auto sum = upload(std::vector<float>(n + 8, 99.0F));
  const auto copy = upload(std::vector<float>(n, 99.0F));
  const auto kernels = load({add_body, copy_body});
  const auto plan = record(*kernels, 4, {launch(0, n, 0, 1, 2), launch(1, n, 1, 1, 3)});
  run(*plan, {whole(*a), whole(*b), whole(*sum), whole(*copy)});
  auto expected = ramp(n, -2.0F, 2.5F);
  expected.resize(n + 8, 99.0F);
  EXPECT_EQ(download(*sum), expected);
  EXPECT_EQ(download(*copy), ramp(n, -3.0F, 2.0F));
}

TEST_F(VulkanDeviceTest, ReplayTakesOtherBuffersAndOffsetsWithoutRecording) {
  const std::int64_t n = 64;
  const auto kernels = load({add_body});
  const auto plan = record(*kernels, 3, {launch(0, n, 0, 1, 2)});
  const auto big = upload(ramp(4 * n, 0.0F, 1.0F));
  const auto ones = upload(std::vector<float>(n, 1.0F));
  const auto first = upload(std::vector<float>(n, 0.0F));
  const auto second = upload(std::vector<float>(n, 0.0F));
  run(*plan, {{big.get(), 0, n * 4}, whole(*ones), whole(*first)});
  run(*plan, {{big.get(), 2 * n * 4, n * 4}, whole(*ones), whole(*second)});
  EXPECT_EQ(download(*first), ramp(n, 1.0F, 1.0F));
  EXPECT_EQ(download(*second), ramp(n, 129.0F, 1.0F));
  run(*plan, {whole(*ones), whole(*ones), whole(*first)});
  EXPECT_EQ(download(*first), std::vector<float>(n, 2.0F));
  EXPECT_EQ(static_cast<const RecordedPlan&>(*plan).recordings(), 1U);
}

TEST_F(VulkanDeviceTest, ArgumentRangesAreRelativeToTheirSlot) {
  const std::int64_t n = 32;
  const auto kernels = load({copy_body});
  runtime::LaunchStep step = launch(0, n, 0, 0, 1);
  step.buffers[0].range.offset_bytes = 16;
  step.buffers[2].range.offset_bytes = 8;
  const auto plan = record(*kernels, 2, {step});
  const auto source = upload(ramp(100, 0.0F, 1.0F));
  const auto target = upload(std::vector<float>(100, -1.0F));
  run(*plan, {{source.get(), 40, 360}, {target.get(), 20, 300}});
  std::vector<float> expected(100, -1.0F);
  for (std::size_t i = 0; i < 32; ++i) expected[5 + 2 + i] = static_cast<float>(10 + 4 + i);
  EXPECT_EQ(download(*target), expected);
}

TEST_F(VulkanDeviceTest, CopiesFollowTheBoundBuffers) {
  const auto kernels = load({});
  const runtime::CopyStep copy{{0, 4, 40}, {1, 8, 40}};
  const runtime::CopyStep nothing{{0, 0, 0}, {1, 0, 0}};
  const auto plan = record(*kernels, 2, {copy, nothing});
  const auto& recorded = static_cast<const RecordedPlan&>(*plan);
  const auto source = upload(ramp(20, 0.0F, 1.0F));
  std::set<std::uint64_t> identities;
  for (int round = 0; round < 3; ++round) {
    const auto target = upload(std::vector<float>(12, -1.0F));
    // The driver may use a freed buffer's handle again: only the identity tells the two apart.
    EXPECT_TRUE(identities.insert(static_cast<DeviceBuffer&>(*target).identity()).second);
    run(*plan, {whole(*source), whole(*target)});
    run(*plan, {whole(*source), whole(*target)});
    EXPECT_EQ(recorded.recordings(), static_cast<std::size_t>(round) + 1);
    auto expected = ramp(12, -1.0F, 1.0F);
    expected[0] = expected[1] = -1.0F;
    EXPECT_EQ(download(*target), expected);
  }
  const auto target = upload(std::vector<float>(30, -1.0F));
  run(*plan, {{source.get(), 20, 44}, {target.get(), 60, 60}});
  EXPECT_EQ(download(*target)[17], 6.0F);
}

TEST_F(VulkanDeviceTest, DependentStepsWithBarriers) {
  const std::int64_t n = 1000;
  const auto kernels = load({reverse_body});
  const runtime::BarrierStep barrier;
  const auto plan =
      record(*kernels, 4,
             {launch(0, n, 0, 0, 1), barrier, launch(0, n, 1, 1, 2), barrier,
              runtime::CopyStep{{2, 0, n * 4}, {1, 0, n * 4}}, barrier, launch(0, n, 1, 1, 3)});
  const auto a = upload(ramp(n, 0.0F, 1.0F));
  const auto t = upload(std::vector<float>(n, 0.0F));
  const auto u = upload(std::vector<float>(n, 0.0F));
  const auto out = upload(std::vector<float>(n, 0.0F));
  for (int round = 0; round < 3; ++round) {
    run(*plan, {whole(*a), whole(*t), whole(*u), whole(*out)});
    EXPECT_EQ(download(*u), ramp(n, 2.0F, 1.0F));
    EXPECT_EQ(download(*out), ramp(n, 1002.0F, -1.0F));
  }
}

TEST_F(VulkanDeviceTest, RequiredSubgroupSizes) {
  const TargetProfile& profile = device_->info().profile;
  if (!profile.subgroup_size_control) GTEST_SKIP() << "no subgroup size control";
  const auto words = assemble(elementwise_text(subgroup_body));
  const auto out = upload(std::vector<float>(64, 0.0F));
  for (auto size = profile.subgroup_size_minimum; size <= profile.subgroup_size_maximum;
       size *= 2) {
    auto binary = kernel_binary("subgroup", words);
    binary.subgroup = size;
    const auto kernels = device_->load(std::span(&binary, 1));
    ASSERT_TRUE(kernels) << kernels.error().to_string();
    const auto plan = record(**kernels, 1, {launch(0, 64, 0, 0, 0)});
    run(*plan, {whole(*out)});
    EXPECT_EQ(download(*out), std::vector<float>(64, static_cast<float>(size)));
  }
}

TEST_F(VulkanDeviceTest, TimesEachLaunch) {
  const std::int64_t n = 64 * 256;
  const auto kernels = load({copy_body, slow_body});
  const auto plan = record(*kernels, 2,
                           {launch(0, n, 0, 0, 1), runtime::BarrierStep{},
                            launch(1, n, 0, 0, 1, 0.5F), runtime::BarrierStep{}});
  const auto a = upload(ramp(n, 0.0F, 1.0F));
  const auto out = upload(ramp(n, 0.0F, 1.0F));
  run(*plan, {whole(*a), whole(*out)});
  const auto timing = run(*plan, {whole(*a), whole(*out)});
  if (timing.launch_ns.empty()) GTEST_SKIP() << "the device has no timestamps";
  ASSERT_EQ(timing.launch_ns.size(), 2U);
  EXPECT_GT(timing.launch_ns[1], 10 * timing.launch_ns[0]);
  EXPECT_GT(timing.launch_ns[1], 100000U);
  // x -> x/2 + y has the fixed point 2y.
  EXPECT_EQ(download(*out), ramp(n, 0.0F, 2.0F));
}

TEST_F(VulkanDeviceTest, PlansThatAreNotTimedTellNoTimes) {
  const auto kernels = load({copy_body});
  const auto plan = device_->record(*kernels, {1, {launch(0, 64, 0, 0, 0)}, false});
  ASSERT_TRUE(plan) << plan.error().to_string();
  const auto buffer = allocate(256);
  EXPECT_TRUE(run(**plan, {whole(*buffer)}).launch_ns.empty());
}

TEST_F(VulkanDeviceTest, EmptyPlansRun) {
  const auto kernels = load({});
  const auto plan = record(*kernels, 1, {});
  EXPECT_TRUE(run(*plan, {{}}).launch_ns.empty());
}

TEST_F(VulkanDeviceTest, TwoDevicesAreIndependent) {
  auto other = adapter().open(list_.devices.front().name);
  ASSERT_TRUE(other) << other.error().to_string();
  const auto here = upload(ramp(10, 0.0F, 1.0F));
  const auto there = (*other)->allocate(40);
  ASSERT_TRUE(there);
  std::vector<std::byte> bytes(40);
  const Status crossed = device_->read(whole(**there), bytes);
  ASSERT_FALSE(crossed);
  EXPECT_EQ(crossed.error().code, ErrorCode::invalid_input);
  EXPECT_EQ(download(*here), ramp(10, 0.0F, 1.0F));
}

}  // namespace
}  // namespace accy::vulkan
