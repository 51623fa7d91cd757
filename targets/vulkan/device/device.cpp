#include "targets/vulkan/device/device.hpp"

#include <fmt/format.h>

namespace accy::vulkan {

VulkanDevice::VulkanDevice(runtime::DeviceInfo info, std::unique_ptr<LogicalDevice> logical)
    : info_(std::move(info)), logical_(std::move(logical)), allocator_(*logical_),
      transfer_(*logical_, allocator_) {}

VulkanDevice::~VulkanDevice() {
  transfer_.release();
  ACCY_ASSERT(logical_->live_objects == 0,
              fmt::format("the device {} is destroyed before {} of its objects", info_.name,
                          logical_->live_objects));
}

Result<std::unique_ptr<VulkanDevice>> VulkanDevice::open(std::string_view name,
                                                         const DeviceOptions& options) {
  ACCY_TRY_ASSIGN(const Instance* instance, shared_instance());
  ACCY_TRY_ASSIGN(const auto handles, instance->physical_devices());
  for (std::size_t ordinal = 0; ordinal < handles.size(); ++ordinal) {
    if (name != fmt::format("vulkan:{}", ordinal)) continue;
    ACCY_TRY_ASSIGN(const PhysicalDevice physical,
                    query_physical_device(*instance, handles[ordinal], ordinal));
    ACCY_TRY_ASSIGN(auto logical, LogicalDevice::create(*instance, physical, options));
    return std::unique_ptr<VulkanDevice>(new VulkanDevice(describe(physical), std::move(logical)));
  }
  return fail(ErrorCode::not_found, fmt::format("there is no device {}, the Vulkan loader lists {}",
                                                name, handles.size()));
}

Result<std::unique_ptr<runtime::Buffer>> VulkanDevice::allocate(std::int64_t size_bytes) {
  ACCY_TRY_ASSIGN(std::unique_ptr<runtime::Buffer> buffer,
                  DeviceBuffer::create(*logical_, allocator_, size_bytes, MemoryUse::device));
  return buffer;
}

Result<DeviceBuffer*> VulkanDevice::checked_buffer(const runtime::BufferRange& range,
                                                   std::size_t bytes) const {
  auto* buffer = static_cast<DeviceBuffer*>(range.buffer);
  if (buffer == nullptr || !buffer->belongs_to(*logical_))
    return fail(ErrorCode::invalid_input, "the range names no buffer of this device");
  const std::int64_t size = buffer->size_bytes();
  if (range.offset_bytes < 0 || range.size_bytes < 0 || range.size_bytes > size ||
      range.offset_bytes > size - range.size_bytes)
    return fail(ErrorCode::invalid_input,
                fmt::format("{} bytes at {} are outside the buffer ({} bytes)", range.size_bytes,
                            range.offset_bytes, size));
  if (bytes != static_cast<std::size_t>(range.size_bytes))
    return fail(
        ErrorCode::invalid_input,
        fmt::format("{} bytes on the host meet a range of {} bytes", bytes, range.size_bytes));
  return buffer;
}

Status VulkanDevice::write(runtime::BufferRange destination, std::span<const std::byte> source) {
  ACCY_TRY_ASSIGN(DeviceBuffer* const buffer, checked_buffer(destination, source.size()));
  return transfer_.write(*buffer, destination.offset_bytes, source);
}

Status VulkanDevice::read(runtime::BufferRange source, std::span<std::byte> destination) {
  ACCY_TRY_ASSIGN(DeviceBuffer* const buffer, checked_buffer(source, destination.size()));
  return transfer_.read(*buffer, source.offset_bytes, destination);
}

Result<std::unique_ptr<runtime::LoadedKernels>>
VulkanDevice::load(std::span<const runtime::KernelBinary> kernels) {
  ACCY_TRY_ASSIGN(std::unique_ptr<runtime::LoadedKernels> loaded,
                  PipelineSet::load(*logical_, kernels));
  return loaded;
}

Result<std::unique_ptr<runtime::Plan>>
VulkanDevice::record(runtime::LoadedKernels& kernels, const runtime::PlanDescription& description) {
  const auto& pipelines = static_cast<const PipelineSet&>(kernels);
  if (!pipelines.belongs_to(*logical_))
    return fail(ErrorCode::invalid_input, "the kernels were loaded on another device");
  ACCY_TRY_ASSIGN(std::unique_ptr<runtime::Plan> plan,
                  RecordedPlan::record(*logical_, allocator_, pipelines, description));
  return plan;
}

Result<runtime::RunTiming> VulkanDevice::run(runtime::Plan& plan,
                                             std::span<const runtime::BufferRange> slots) {
  auto& recorded = static_cast<RecordedPlan&>(plan);
  if (!recorded.belongs_to(*logical_))
    return fail(ErrorCode::invalid_input, "the plan was recorded on another device");
  return recorded.run(slots);
}

}  // namespace accy::vulkan
