#include "targets/vulkan/device/transfer.hpp"

#include <algorithm>
#include <cstring>

namespace accy::vulkan {
namespace {

constexpr std::uint64_t half_bytes = std::uint64_t{4} << 20;

}  // namespace

bool Transfer::direct(const DeviceBuffer& buffer) const {
  return buffer.mapped() != nullptr && !device_.options().always_stage;
}

Status Transfer::write(DeviceBuffer& destination, std::int64_t offset,
                       std::span<const std::byte> source) {
  ACCY_TRY(device_.settle());
  if (source.empty()) return {};
  if (!direct(destination))
    return staged_write(destination, static_cast<std::uint64_t>(offset), source);
  std::memcpy(destination.mapped() + offset, source.data(), source.size());
  return {};
}

Status Transfer::read(DeviceBuffer& source, std::int64_t offset, std::span<std::byte> destination) {
  ACCY_TRY(device_.settle());
  if (destination.empty()) return {};
  if (!direct(source)) return staged_read(source, static_cast<std::uint64_t>(offset), destination);
  std::memcpy(destination.data(), source.mapped() + offset, destination.size());
  return {};
}

void Transfer::release() {
  for (Half& half : halves_) half.commands.reset();
  staging_.reset();
}

Status Transfer::prepare() {
  if (staging_ != nullptr) return {};
  for (Half& half : halves_) {
    if (half.commands) continue;
    ACCY_TRY_ASSIGN(CommandBuffer commands, CommandBuffer::create(device_));
    half.commands.emplace(std::move(commands));
  }
  ACCY_TRY_ASSIGN(staging_,
                  DeviceBuffer::create(device_, allocator_, 2 * half_bytes, MemoryUse::staging));
  ACCY_ASSERT(staging_->mapped() != nullptr, "staging memory is not visible to the host");
  for (std::size_t index = 0; index < halves_.size(); ++index) {
    halves_[index].offset = index * half_bytes;
    halves_[index].bytes = staging_->mapped() + index * half_bytes;
  }
  return {};
}

Status Transfer::submit_copy(Half& half, VkBuffer source, VkBuffer destination,
                             VkBufferCopy region) {
  const VkCommandBuffer commands = half.commands->handle();
  ACCY_TRY(begin_commands(device_, commands));
  device_.table().vkCmdCopyBuffer(commands, source, destination, 1, &region);
  ACCY_TRY(end_commands(device_, commands));
  ACCY_TRY_ASSIGN(half.value, device_.submit(commands));
  return {};
}

Status Transfer::staged_write(DeviceBuffer& destination, std::uint64_t offset,
                              std::span<const std::byte> source) {
  ACCY_TRY(prepare());
  std::size_t index = 0;
  for (std::uint64_t done = 0; done < source.size(); ++index) {
    Half& half = halves_[index % halves_.size()];
    const std::uint64_t bytes = std::min<std::uint64_t>(half_bytes, source.size() - done);
    ACCY_TRY(device_.wait(half.value));
    std::memcpy(half.bytes, source.data() + done, bytes);
    ACCY_TRY(submit_copy(half, staging_->handle(), destination.handle(),
                         {half.offset, offset + done, bytes}));
    done += bytes;
  }
  return device_.settle();
}

Status Transfer::staged_read(DeviceBuffer& source, std::uint64_t offset,
                             std::span<std::byte> destination) {
  ACCY_TRY(prepare());
  const std::uint64_t chunks = (destination.size() + half_bytes - 1) / half_bytes;
  const auto chunk_bytes = [&](std::uint64_t chunk) {
    return std::min<std::uint64_t>(half_bytes, destination.size() - chunk * half_bytes);
  };
  // The device fills one half while the host empties the other.
  for (std::uint64_t chunk = 0; chunk <= chunks; ++chunk) {
    if (chunk < chunks) {
      Half& half = halves_[chunk % halves_.size()];
      ACCY_TRY(submit_copy(half, source.handle(), staging_->handle(),
                           {offset + chunk * half_bytes, half.offset, chunk_bytes(chunk)}));
    }
    if (chunk > 0) {
      const Half& half = halves_[(chunk - 1) % halves_.size()];
      ACCY_TRY(device_.wait(half.value));
      std::memcpy(destination.data() + (chunk - 1) * half_bytes, half.bytes,
                  chunk_bytes(chunk - 1));
    }
  }
  return {};
}

}  // namespace accy::vulkan
