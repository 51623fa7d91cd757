#include "targets/vulkan/device/memory.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "targets/vulkan/device/errors.hpp"

namespace accy::vulkan {
namespace {

constexpr std::uint64_t block_bytes_minimum = std::uint64_t{8} << 20;
constexpr std::uint64_t block_bytes_maximum = std::uint64_t{64} << 20;
/// Ranges are multiples of this, so that small frees do not fragment a block.
constexpr std::uint64_t granularity = 256;

constexpr VkMemoryPropertyFlags local = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
constexpr VkMemoryPropertyFlags visible =
    VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
constexpr VkMemoryPropertyFlags cached = VK_MEMORY_PROPERTY_HOST_CACHED_BIT;

/// Memory properties for a use, the best first. Device memory is mapped only where it is cached
/// too: reading uncached memory over a bus is slower than staging it.
std::array<VkMemoryPropertyFlags, 3> preferences(MemoryUse use) {
  switch (use) {
    case MemoryUse::device: return {local | visible | cached, local, 0};
    case MemoryUse::arguments: return {local | visible, visible, visible};
    case MemoryUse::staging: return {visible | cached, visible, visible};
  }
  return {};
}

}  // namespace

MemoryAllocator::MemoryAllocator(LogicalDevice& device) : device_(device) {}

MemoryAllocator::~MemoryAllocator() {
  if (!device_.drain()) return;  // in use by a device that does not end; see ~LogicalDevice
  for (const Pool& pool : pools_)
    for (const Block& block : pool.blocks) free_block(block);
}

Result<std::uint32_t> MemoryAllocator::choose_type(std::uint32_t allowed, MemoryUse use) const {
  const VkPhysicalDeviceMemoryProperties& memory = device_.physical().memory;
  for (const VkMemoryPropertyFlags wanted : preferences(use)) {
    for (std::uint32_t type = 0; type < memory.memoryTypeCount; ++type) {
      const VkMemoryPropertyFlags flags = memory.memoryTypes[type].propertyFlags;
      if ((allowed & (std::uint32_t{1} << type)) == 0 || (flags & wanted) != wanted) continue;
      if ((flags & VK_MEMORY_PROPERTY_PROTECTED_BIT) != 0) continue;
      return type;
    }
  }
  return fail(ErrorCode::unsupported,
              fmt::format("none of the {} memory types fits a buffer (allowed mask {:#x})",
                          memory.memoryTypeCount, allowed));
}

MemoryAllocator::Pool& MemoryAllocator::pool_of(std::uint32_t memory_type) {
  for (Pool& pool : pools_)
    if (pool.memory_type == memory_type) return pool;
  const VkMemoryPropertyFlags flags =
      device_.physical().memory.memoryTypes[memory_type].propertyFlags;
  pools_.push_back(Pool{memory_type, (flags & visible) == visible, {}});
  return pools_.back();
}

Result<MemoryAllocator::Block*> MemoryAllocator::add_block(Pool& pool, std::uint64_t size) {
  const std::uint32_t limit = device_.physical().properties.limits.maxMemoryAllocationCount;
  if (block_count() >= limit)
    return fail(ErrorCode::out_of_memory,
                fmt::format("the device allows {} memory allocations, all are in use", limit));
  VkMemoryAllocateFlagsInfo flags{};
  flags.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO;
  flags.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
  VkMemoryAllocateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  info.pNext = &flags;
  info.allocationSize = size;
  info.memoryTypeIndex = pool.memory_type;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  ACCY_TRY(
      device_.check(device_.table().vkAllocateMemory(device_.handle(), &info, nullptr, &memory),
                    fmt::format("vkAllocateMemory of {} bytes", size)));
  void* mapped = nullptr;
  if (pool.visible) {
    const VkResult result =
        device_.table().vkMapMemory(device_.handle(), memory, 0, VK_WHOLE_SIZE, 0, &mapped);
    if (result != VK_SUCCESS) {
      device_.table().vkFreeMemory(device_.handle(), memory, nullptr);
      ACCY_TRY(device_.check(result, "vkMapMemory"));
    }
  }
  pool.blocks.push_back(
      Block{next_number_++, memory, static_cast<std::byte*>(mapped), RangeAllocator(size)});
  return &pool.blocks.back();
}

void MemoryAllocator::free_block(const Block& block) {
  device_.table().vkFreeMemory(device_.handle(), block.memory, nullptr);
}

Result<Allocation> MemoryAllocator::allocate(const VkMemoryRequirements& requirements,
                                             MemoryUse use) {
  ACCY_TRY_ASSIGN(const std::uint32_t type, choose_type(requirements.memoryTypeBits, use));
  Pool& pool = pool_of(type);
  const std::uint64_t alignment = std::max<std::uint64_t>(requirements.alignment, granularity);
  const std::uint64_t size = (requirements.size + granularity - 1) / granularity * granularity;
  const auto take = [&](Block& block) -> std::optional<Allocation> {
    const std::optional<std::uint64_t> offset = block.ranges.allocate(size, alignment);
    if (!offset) return std::nullopt;
    Allocation made;
    made.pool = static_cast<std::size_t>(&pool - pools_.data());
    made.block = block.number;
    made.memory = block.memory;
    made.offset = *offset;
    made.size = size;
    if (block.mapped != nullptr) made.mapped = block.mapped + *offset;
    return made;
  };
  for (Block& block : pool.blocks)
    if (const auto made = take(block)) return *made;

  std::uint64_t wanted = block_bytes_minimum;
  for (const Block& block : pool.blocks) wanted = std::max(wanted, block.ranges.size() * 2);
  wanted = std::max(std::min(wanted, block_bytes_maximum), size);
  Result<Block*> block = add_block(pool, wanted);
  if (!block && block.error().code == ErrorCode::out_of_memory) {
    // A nearly full device may still have room for what is asked, without the blocks kept back.
    free_unused_blocks();
    block = add_block(pool, size);
  }
  if (!block) return fail(std::move(block.error()));
  const auto made = take(**block);
  ACCY_ASSERT(made.has_value(), "a fresh block does not hold the request it was made for");
  return *made;
}

void MemoryAllocator::free_unused_blocks() {
  for (Pool& pool : pools_)
    std::erase_if(pool.blocks, [&](const Block& block) {
      if (block.ranges.unused()) free_block(block);
      return block.ranges.unused();
    });
}

void MemoryAllocator::release(const Allocation& allocation) {
  Pool& pool = pools_[allocation.pool];
  const auto block =
      std::find_if(pool.blocks.begin(), pool.blocks.end(),
                   [&](const Block& candidate) { return candidate.number == allocation.block; });
  ACCY_ASSERT(block != pool.blocks.end(), "memory released twice or to another allocator");
  block->ranges.release(allocation.offset, allocation.size);
  if (!block->ranges.unused()) return;
  const bool small = block->ranges.size() <= block_bytes_maximum;
  const bool another =
      std::any_of(pool.blocks.begin(), pool.blocks.end(), [&](const Block& candidate) {
        return candidate.number != block->number && candidate.ranges.unused();
      });
  if (small && !another) return;
  free_block(*block);
  pool.blocks.erase(block);
}

std::size_t MemoryAllocator::block_count() const {
  std::size_t count = 0;
  for (const Pool& pool : pools_) count += pool.blocks.size();
  return count;
}

}  // namespace accy::vulkan
