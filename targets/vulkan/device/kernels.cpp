#include "targets/vulkan/device/kernels.hpp"

#include <cstring>
#include <fmt/format.h>

namespace accy::vulkan {
namespace {

constexpr std::uint32_t spirv_magic = 0x07230203;
constexpr std::size_t spirv_header_words = 5;

Failure refuse(const runtime::KernelBinary& binary, ErrorCode code, const std::string& reason) {
  return fail(code, fmt::format("kernel {}: {}", binary.name, reason));
}

/// The code as words, as vkCreateShaderModule wants it aligned.
Result<std::vector<std::uint32_t>> code_words(const runtime::KernelBinary& binary) {
  if (binary.format != "spirv")
    return refuse(binary, ErrorCode::invalid_input,
                  fmt::format("its code is {}, a Vulkan device takes spirv", binary.format));
  const std::size_t bytes = binary.code.size();
  if (bytes % sizeof(std::uint32_t) != 0 || bytes < spirv_header_words * sizeof(std::uint32_t))
    return refuse(binary, ErrorCode::invalid_input,
                  fmt::format("{} bytes of code are no SPIR-V module", bytes));
  std::vector<std::uint32_t> words(bytes / sizeof(std::uint32_t));
  std::memcpy(words.data(), binary.code.data(), bytes);
  if (words[0] != spirv_magic)
    return refuse(
        binary, ErrorCode::invalid_input,
        fmt::format("its code starts with {:#010x}, SPIR-V with {:#010x}", words[0], spirv_magic));
  return words;
}

Status check_workgroup(const runtime::KernelBinary& binary, const PhysicalDevice& physical) {
  const VkPhysicalDeviceLimits& limits = physical.properties.limits;
  std::int64_t invocations = 1;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::int64_t size = binary.workgroup[axis];
    if (size < 1 || size > limits.maxComputeWorkGroupSize[axis])
      return refuse(binary, ErrorCode::unsupported,
                    fmt::format("its workgroup has {} invocations on axis {} (limit {})", size,
                                axis, limits.maxComputeWorkGroupSize[axis]));
    invocations *= size;  // at most 2^32 each, and each product is checked below
    if (invocations > limits.maxComputeWorkGroupInvocations)
      return refuse(binary, ErrorCode::unsupported,
                    fmt::format("its workgroup has {} invocations (limit {})", invocations,
                                limits.maxComputeWorkGroupInvocations));
  }
  return {};
}

Status check_subgroup(const runtime::KernelBinary& binary, const PhysicalDevice& physical) {
  if (binary.subgroup == 0) return {};
  if (!physical.subgroup_size_control())
    return refuse(binary, ErrorCode::unsupported,
                  fmt::format("it requires subgroups of {}, {} cannot fix a subgroup size",
                              binary.subgroup, physical.name));
  const auto& range = physical.subgroup_size;
  const bool power = binary.subgroup > 0 && (binary.subgroup & (binary.subgroup - 1)) == 0;
  if (!power || binary.subgroup < range.minSubgroupSize || binary.subgroup > range.maxSubgroupSize)
    return refuse(binary, ErrorCode::unsupported,
                  fmt::format("it requires subgroups of {} (limits {} to {}, powers of two)",
                              binary.subgroup, range.minSubgroupSize, range.maxSubgroupSize));
  if (binary.workgroup[0] % binary.subgroup != 0)
    return refuse(binary, ErrorCode::invalid_input,
                  fmt::format("its workgroup of {} on axis 0 is no multiple of its subgroup of {}",
                              binary.workgroup[0], binary.subgroup));
  const std::int64_t invocations = binary.workgroup[0] * binary.workgroup[1] * binary.workgroup[2];
  if (invocations / binary.subgroup > range.maxComputeWorkgroupSubgroups)
    return refuse(binary, ErrorCode::unsupported,
                  fmt::format("its workgroup has {} subgroups (limit {})",
                              invocations / binary.subgroup, range.maxComputeWorkgroupSubgroups));
  return {};
}

/// Creates the pipeline from a module that lives until the call returns.
Result<VkPipeline> create_pipeline(LogicalDevice& device, const runtime::KernelBinary& binary,
                                   VkShaderModule module) {
  VkPipelineShaderStageRequiredSubgroupSizeCreateInfo required{};
  required.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO;
  required.requiredSubgroupSize = static_cast<std::uint32_t>(binary.subgroup);
  VkComputePipelineCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.module = module;
  info.stage.pName = binary.entry.c_str();
  if (binary.subgroup != 0) {
    info.stage.pNext = &required;
    info.stage.flags = VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT;
  }
  info.layout = device.pipeline_layout();
  info.basePipelineIndex = -1;
  VkPipeline pipeline = VK_NULL_HANDLE;
  ACCY_TRY(device.check(device.table().vkCreateComputePipelines(
                            device.handle(), device.pipeline_cache(), 1, &info, nullptr, &pipeline),
                        fmt::format("vkCreateComputePipelines of kernel {}", binary.name)));
  return pipeline;
}

}  // namespace

Result<std::unique_ptr<PipelineSet>>
PipelineSet::load(LogicalDevice& device, std::span<const runtime::KernelBinary> binaries) {
  ACCY_TRY(device.usable());
  std::unique_ptr<PipelineSet> set(new PipelineSet(device));
  for (const runtime::KernelBinary& binary : binaries) ACCY_TRY(set->add(binary));
  return set;
}

Status PipelineSet::add(const runtime::KernelBinary& binary) {
  ACCY_TRY_ASSIGN(const std::vector<std::uint32_t> words, code_words(binary));
  ACCY_TRY(check_workgroup(binary, device_.physical()));
  ACCY_TRY(check_subgroup(binary, device_.physical()));
  if (binary.argument_block_bytes < 0)
    return refuse(binary, ErrorCode::invalid_input,
                  fmt::format("its argument block has {} bytes", binary.argument_block_bytes));
  VkShaderModuleCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
  info.codeSize = words.size() * sizeof(std::uint32_t);
  info.pCode = words.data();
  VkShaderModule module = VK_NULL_HANDLE;
  const VolkDeviceTable& table = device_.table();
  ACCY_TRY(device_.check(table.vkCreateShaderModule(device_.handle(), &info, nullptr, &module),
                         fmt::format("vkCreateShaderModule of kernel {}", binary.name)));
  Result<VkPipeline> pipeline = create_pipeline(device_, binary, module);
  table.vkDestroyShaderModule(device_.handle(), module, nullptr);
  if (!pipeline) return fail(std::move(pipeline.error()));
  kernels_.push_back({binary.name, *pipeline, binary.argument_block_bytes});
  device_.name_object(VK_OBJECT_TYPE_PIPELINE, reinterpret_cast<std::uint64_t>(*pipeline),
                      binary.name);
  return {};
}

PipelineSet::~PipelineSet() {
  for (const Kernel& kernel : kernels_)
    device_.retire([&device = device_, pipeline = kernel.pipeline] {
      device.table().vkDestroyPipeline(device.handle(), pipeline, nullptr);
    });
}

}  // namespace accy::vulkan
