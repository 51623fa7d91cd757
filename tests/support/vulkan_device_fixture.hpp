// Vulkan devices for tests: validation on, hand-written SPIR-V, and a fixture that demands that the
// validation layer stays silent.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>
#include <memory>
#include <span>
#include <spirv-tools/libspirv.hpp>
#include <string>
#include <vector>

#include "targets/vulkan/device/adapter.hpp"
#include "targets/vulkan/device/device.hpp"
#include "targets/vulkan/device/validation.hpp"

namespace accy::vulkan {

/// The adapter reads the environment at its first use, so this comes before main().
inline const bool validation_asked = setenv("ACCY_VULKAN_VALIDATION", "1", 1) == 0;

/// Argument block of every kernel here: three addresses, then two 4-byte scalars.
inline constexpr std::int64_t block_bytes = 32;

/// A kernel of workgroups of 64 that stores to %index of %out for every %index < %n; `body` sets
/// %result from %x = a[%index] and %y = b[%index] (floats) and %scalar (a float).
inline std::string elementwise_text(const std::string& body) {
  return R"(
OpCapability Shader
OpCapability VulkanMemoryModel
OpCapability PhysicalStorageBufferAddresses
OpCapability GroupNonUniform
OpMemoryModel PhysicalStorageBuffer64 Vulkan
OpEntryPoint GLCompute %main "main" %push %invocation %subgroup_size
OpExecutionMode %main LocalSize 64 1 1
OpDecorate %invocation BuiltIn GlobalInvocationId
OpDecorate %subgroup_size BuiltIn SubgroupSize
OpDecorate %push_block Block
OpMemberDecorate %push_block 0 Offset 0
OpDecorate %arguments Block
OpMemberDecorate %arguments 0 Offset 0
OpMemberDecorate %arguments 1 Offset 8
OpMemberDecorate %arguments 2 Offset 16
OpMemberDecorate %arguments 3 Offset 24
OpMemberDecorate %arguments 4 Offset 28
OpDecorate %array ArrayStride 4
OpDecorate %floats Block
OpMemberDecorate %floats 0 Offset 0
%void = OpTypeVoid
%function = OpTypeFunction %void
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%float = OpTypeFloat 32
%uint3 = OpTypeVector %uint 3
%array = OpTypeRuntimeArray %float
%floats = OpTypeStruct %array
%floats_pointer = OpTypePointer PhysicalStorageBuffer %floats
%float_pointer = OpTypePointer PhysicalStorageBuffer %float
%arguments = OpTypeStruct %floats_pointer %floats_pointer %floats_pointer %uint %float
%arguments_pointer = OpTypePointer PhysicalStorageBuffer %arguments
%floats_pointer_pointer = OpTypePointer PhysicalStorageBuffer %floats_pointer
%uint_pointer = OpTypePointer PhysicalStorageBuffer %uint
%push_block = OpTypeStruct %arguments_pointer
%push_pointer = OpTypePointer PushConstant %push_block
%push_member = OpTypePointer PushConstant %arguments_pointer
%input3 = OpTypePointer Input %uint3
%input1 = OpTypePointer Input %uint
%push = OpVariable %push_pointer PushConstant
%invocation = OpVariable %input3 Input
%subgroup_size = OpVariable %input1 Input
%c0 = OpConstant %uint 0
%c1 = OpConstant %uint 1
%c2 = OpConstant %uint 2
%c3 = OpConstant %uint 3
%c4 = OpConstant %uint 4
%many = OpConstant %uint 20000
%one = OpConstant %float 1
%main = OpFunction %void None %function
%start = OpLabel
%block_pointer = OpAccessChain %push_member %push %c0
%block = OpLoad %arguments_pointer %block_pointer
%n_pointer = OpAccessChain %uint_pointer %block %c3
%n = OpLoad %uint %n_pointer Aligned 4
%scalar_pointer = OpAccessChain %float_pointer %block %c4
%scalar = OpLoad %float %scalar_pointer Aligned 4
%ids = OpLoad %uint3 %invocation
%index = OpCompositeExtract %uint %ids 0
%inside = OpULessThan %bool %index %n
OpSelectionMerge %done None
OpBranchConditional %inside %work %done
%work = OpLabel
%a_pointer = OpAccessChain %floats_pointer_pointer %block %c0
%a = OpLoad %floats_pointer %a_pointer Aligned 8
%b_pointer = OpAccessChain %floats_pointer_pointer %block %c1
%b = OpLoad %floats_pointer %b_pointer Aligned 8
%out_pointer = OpAccessChain %floats_pointer_pointer %block %c2
%out = OpLoad %floats_pointer %out_pointer Aligned 8
%x_pointer = OpAccessChain %float_pointer %a %c0 %index
%x = OpLoad %float %x_pointer Aligned 4
%y_pointer = OpAccessChain %float_pointer %b %c0 %index
%y = OpLoad %float %y_pointer Aligned 4
)" + body +
         R"(
%result_pointer = OpAccessChain %float_pointer %out %c0 %index
OpStore %result_pointer %result Aligned 4
OpBranch %done
%done = OpLabel
OpReturn
OpFunctionEnd
)";
}

inline const std::string copy_body = "%result = OpCopyObject %float %x\n";
inline const std::string add_body = "%result = OpFAdd %float %x %y\n";
inline const std::string scale_body = "%result = OpFMul %float %x %scalar\n";
/// Reads across invocations: out[i] = a[n-1-i] + 1.
inline const std::string reverse_body = R"(
%last = OpISub %uint %n %c1
%mirror = OpISub %uint %last %index
%mirror_pointer = OpAccessChain %float_pointer %a %c0 %mirror
%mirrored = OpLoad %float %mirror_pointer Aligned 4
%result = OpFAdd %float %mirrored %one
)";
inline const std::string subgroup_body = R"(
%size = OpLoad %uint %subgroup_size
%result = OpConvertUToF %float %size
)";
/// 20,000 dependent multiply-adds for each element: slow on purpose.
inline const std::string slow_body = R"(
OpBranch %head
%head = OpLabel
%i = OpPhi %uint %c0 %work %next_i %continue
%sum = OpPhi %float %x %work %next_sum %continue
%more = OpULessThan %bool %i %many
OpLoopMerge %exit %continue None
OpBranchConditional %more %loop %exit
%loop = OpLabel
%product = OpFMul %float %sum %scalar
%next_sum = OpFAdd %float %product %y
OpBranch %continue
%continue = OpLabel
%next_i = OpIAdd %uint %i %c1
OpBranch %head
%exit = OpLabel
%result = OpCopyObject %float %sum
)";

/// Assembles and validates SPIR-V 1.5 text; a failure fails the test.
inline std::vector<std::uint32_t> assemble(const std::string& text) {
  spvtools::SpirvTools tools(SPV_ENV_VULKAN_1_2);
  std::string messages;
  tools.SetMessageConsumer(
      [&](spv_message_level_t, const char*, const spv_position_t& position, const char* message) {
        messages += std::to_string(position.index) + ": " + message + "\n";
      });
  std::vector<std::uint32_t> words;
  EXPECT_TRUE(tools.Assemble(text, &words)) << messages;
  EXPECT_TRUE(tools.Validate(words)) << messages;
  return words;
}

inline runtime::KernelBinary kernel_binary(const std::string& name,
                                           const std::vector<std::uint32_t>& words) {
  runtime::KernelBinary binary;
  binary.name = name;
  binary.entry = "main";
  binary.format = "spirv";
  binary.code = std::as_bytes(std::span(words));
  binary.workgroup = {64, 1, 1};
  binary.argument_block_bytes = block_bytes;
  return binary;
}

template <class T>
runtime::ScalarArgument scalar_argument(T value, std::int64_t block_offset) {
  const auto bytes = std::as_bytes(std::span(&value, 1));
  return {{bytes.begin(), bytes.end()}, block_offset};
}

/// A launch over n elements of slots a and b into slot out, each from its start.
inline runtime::LaunchStep launch(std::size_t kernel, std::int64_t n, std::size_t a, std::size_t b,
                                  std::size_t out, float scalar = 0.0F) {
  runtime::LaunchStep step;
  step.kernel = kernel;
  step.grid = {(n + 63) / 64, 1, 1};
  step.buffers = {{{a, 0, n * 4}, runtime::Access::read, 0},
                  {{b, 0, n * 4}, runtime::Access::read, 8},
                  {{out, 0, n * 4}, runtime::Access::write, 16}};
  step.scalars = {scalar_argument(static_cast<std::uint32_t>(n), 24), scalar_argument(scalar, 28)};
  step.label = "launch";
  return step;
}

inline runtime::BufferRange whole(runtime::Buffer& buffer) {
  return {&buffer, 0, buffer.size_bytes()};
}

/// Opens the first device; skips where there is none; ends with no validation message.
class VulkanDeviceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    list_ = adapter().enumerate();
    if (list_.devices.empty()) {
      std::string reasons;
      for (const runtime::Unavailable& item : list_.unavailable)
        reasons += item.name + ": " + item.reason + "\n";
      GTEST_SKIP() << "no Vulkan device: " << reasons;
    }
    clear_validation_messages();
    reopen({});
  }

  void TearDown() override {
    device_.reset();
    for (const ValidationMessage& message : validation_messages())
      ADD_FAILURE() << message.id << ": " << message.text;
    clear_validation_messages();
  }

  void reopen(const DeviceOptions& options) {
    device_.reset();
    auto opened = VulkanDevice::open(list_.devices.front().name, options);
    ASSERT_TRUE(opened) << opened.error().to_string();
    device_ = std::move(*opened);
  }

  std::unique_ptr<runtime::Buffer> allocate(std::int64_t bytes) {
    auto buffer = device_->allocate(bytes);
    EXPECT_TRUE(buffer) << buffer.error().to_string();
    return buffer ? std::move(*buffer) : nullptr;
  }

  std::unique_ptr<runtime::Buffer> upload(std::span<const float> values) {
    auto buffer = allocate(static_cast<std::int64_t>(values.size_bytes()));
    const Status status = device_->write(whole(*buffer), std::as_bytes(values));
    EXPECT_TRUE(status) << status.error().to_string();
    return buffer;
  }

  std::vector<float> download(runtime::Buffer& buffer) {
    std::vector<float> values(static_cast<std::size_t>(buffer.size_bytes()) / sizeof(float));
    const Status status = device_->read(whole(buffer), std::as_writable_bytes(std::span(values)));
    EXPECT_TRUE(status) << status.error().to_string();
    return values;
  }

  std::unique_ptr<runtime::LoadedKernels> load(const std::vector<std::string>& bodies) {
    std::vector<std::vector<std::uint32_t>> words;
    for (const std::string& body : bodies) words.push_back(assemble(elementwise_text(body)));
    std::vector<runtime::KernelBinary> binaries;
    for (const auto& code : words) binaries.push_back(kernel_binary("kernel", code));
    auto kernels = device_->load(binaries);
    EXPECT_TRUE(kernels) << kernels.error().to_string();
    return kernels ? std::move(*kernels) : nullptr;
  }

  std::unique_ptr<runtime::Plan> record(runtime::LoadedKernels& kernels, std::size_t slot_count,
                                        std::vector<runtime::PlanStep> steps) {
    auto plan = device_->record(kernels, {slot_count, std::move(steps)});
    EXPECT_TRUE(plan) << plan.error().to_string();
    return plan ? std::move(*plan) : nullptr;
  }

  runtime::RunTiming run(runtime::Plan& plan, const std::vector<runtime::BufferRange>& slots) {
    const auto timing = device_->run(plan, slots);
    EXPECT_TRUE(timing) << timing.error().to_string();
    return timing ? *timing : runtime::RunTiming{};
  }

  runtime::DeviceList list_;
  std::unique_ptr<VulkanDevice> device_;
};

}  // namespace accy::vulkan
