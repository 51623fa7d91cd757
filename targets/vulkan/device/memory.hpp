// Device memory: few large blocks, sub-allocated; and buffers bound into them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>
#include <volk.h>

#include "accy/result.hpp"
#include "targets/vulkan/device/logical_device.hpp"
#include "targets/vulkan/device/range_allocator.hpp"

namespace accy::vulkan {

/// What memory is for; each has its preferred memory type.
enum class MemoryUse : std::uint8_t {
  device,     ///< tensors: local to the device, mapped where that costs nothing
  arguments,  ///< argument blocks: written by the host, read by the device
  staging,    ///< copies: read and written by the host
};

/// A range of a block; given back to the allocator that made it.
struct Allocation {
  std::size_t pool = 0;
  std::uint64_t block = 0;  ///< the block's number in its pool, never used again
  VkDeviceMemory memory = VK_NULL_HANDLE;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  std::byte* mapped = nullptr;  ///< of the range's start, or null
};

/// Blocks grow from 8 to 64 MiB; a larger request gets a block of its own size. A block that
/// empties is freed, but for one small block of each memory type. Must outlive what it gave out.
class MemoryAllocator {
 public:
  explicit MemoryAllocator(LogicalDevice& device);
  ~MemoryAllocator();
  MemoryAllocator(const MemoryAllocator&) = delete;
  MemoryAllocator& operator=(const MemoryAllocator&) = delete;

  Result<Allocation> allocate(const VkMemoryRequirements& requirements, MemoryUse use);
  void release(const Allocation& allocation);
  /// vkAllocateMemory blocks held now.
  std::size_t block_count() const;

 private:
  struct Block {
    std::uint64_t number;
    VkDeviceMemory memory;
    std::byte* mapped;
    RangeAllocator ranges;
  };
  struct Pool {
    std::uint32_t memory_type;
    bool visible;
    std::vector<Block> blocks;
  };

  Result<std::uint32_t> choose_type(std::uint32_t allowed, MemoryUse use) const;
  Pool& pool_of(std::uint32_t memory_type);
  Result<Block*> add_block(Pool& pool, std::uint64_t size);
  void free_block(const Block& block);
  void free_unused_blocks();

  LogicalDevice& device_;
  std::vector<Pool> pools_;
  std::uint64_t next_number_ = 0;
};

}  // namespace accy::vulkan
