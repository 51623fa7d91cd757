// The seam between the runtime and a target's devices: what a target folder must offer to run code.
// The caller validates (runtime/hazards.hpp, the executable); an adapter reports only what nobody
// could foresee: a driver's failure, a lost device, memory that ran out.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "accy/result.hpp"
#include "profile/profile.hpp"

namespace accy::runtime {

enum class DeviceKind : std::uint8_t { discrete, integrated, virtual_gpu, cpu, interpreter };
std::string_view to_string(DeviceKind kind);

/// Identity of a device that can be opened.
struct DeviceInfo {
  std::string name;         ///< "vulkan:0": adapter and ordinal, for the command line
  std::string adapter;      ///< "vulkan"
  DeviceKind kind = DeviceKind::cpu;
  std::string description;  ///< the driver's name of the hardware
  std::string driver;       ///< driver name and version
  std::string uuid;         ///< 32 hexadecimal digits, or empty
  TargetProfile profile;
};

/// A device or adapter that cannot be used here, and why.
struct Unavailable {
  std::string name;
  std::string reason;
};

struct DeviceList {
  std::vector<DeviceInfo> devices;
  std::vector<Unavailable> unavailable;
};

/// Device memory. Freed with the object; must not outlive its device nor a run that uses it.
class Buffer {
 public:
  virtual ~Buffer() = default;
  virtual std::int64_t size_bytes() const = 0;
};

/// A part of a buffer.
struct BufferRange {
  Buffer* buffer = nullptr;
  std::int64_t offset_bytes = 0;
  std::int64_t size_bytes = 0;
};

/// Code of one kernel to load.
struct KernelBinary {
  std::string name;                       ///< for labels and errors
  std::string entry;
  std::string format;                     ///< as target::KernelCode
  std::span<const std::byte> code;
  std::array<std::int64_t, 3> workgroup{1, 1, 1};
  std::int64_t subgroup = 0;              ///< required subgroup size; 0: none
  std::int64_t argument_block_bytes = 0;
};

enum class Access : std::uint8_t { read, write, read_write };

/// A range of one of the plan's slots; slots are bound to buffers at each run.
struct SlotRange {
  std::size_t slot = 0;
  std::int64_t offset_bytes = 0;
  std::int64_t size_bytes = 0;
};

/// A buffer argument: its device address goes into the argument block at block_offset.
struct BufferArgument {
  SlotRange range;
  Access access = Access::read;
  std::int64_t block_offset = 0;
};

/// A scalar argument, as its little-endian bytes.
struct ScalarArgument {
  std::vector<std::byte> bytes;
  std::int64_t block_offset = 0;
};

struct LaunchStep {
  std::size_t kernel = 0;  ///< index into the loaded kernels
  std::array<std::int64_t, 3> grid{1, 1, 1};
  std::vector<BufferArgument> buffers;
  std::vector<ScalarArgument> scalars;
  std::string label;
};

struct CopyStep {
  SlotRange source;
  SlotRange destination;  ///< the same size; no overlap
};

/// Everything before is visible to everything after.
struct BarrierStep {};

using PlanStep = std::variant<LaunchStep, CopyStep, BarrierStep>;

/// A straight segment of a host function, ready to record.
struct PlanDescription {
  std::size_t slot_count = 0;
  std::vector<PlanStep> steps;
  /// Whether runs tell the time of each launch. Taking it may cost more than a small launch itself
  /// (lavapipe: 80 us against 14 us), so plans made for speed say false.
  bool timed = true;
};

/// Loaded kernels of one executable.
class LoadedKernels {
 public:
  virtual ~LoadedKernels() = default;
};

/// A recorded plan; it replays with the buffers bound to its slots at each run.
class Plan {
 public:
  virtual ~Plan() = default;
};

struct RunTiming {
  /// Nanoseconds on the device of each LaunchStep in order; empty when the device cannot tell
  /// or the plan is not timed.
  std::vector<std::uint64_t> launch_ns;
};

/// An open device. Calls on one device must not overlap; different devices are independent.
/// Objects it made must be destroyed before it.
class Device {
 public:
  virtual ~Device() = default;
  virtual const DeviceInfo& info() const = 0;
  /// Device memory of that size, at least 1 byte, aligned to the profile's buffer_alignment.
  virtual Result<std::unique_ptr<Buffer>> allocate(std::int64_t size_bytes) = 0;
  /// Synchronous copies between host and device; the range must lie inside the buffer.
  virtual Status write(BufferRange destination, std::span<const std::byte> source) = 0;
  virtual Status read(BufferRange source, std::span<std::byte> destination) = 0;
  virtual Result<std::unique_ptr<LoadedKernels>> load(std::span<const KernelBinary> kernels) = 0;
  /// Records the steps; `kernels` must outlive the plan. The steps have passed check_hazards.
  virtual Result<std::unique_ptr<Plan>> record(LoadedKernels& kernels,
                                               const PlanDescription& description) = 0;
  /// Runs the plan once with one range for each slot and waits, at most for a finite time.
  virtual Result<RunTiming> run(Plan& plan, std::span<const BufferRange> slots) = 0;
};

/// A target's runtime half.
struct Adapter {
  std::string_view name;  ///< "vulkan"
  /// Lists what is here; never fails: what is missing is in `unavailable` with the reason.
  DeviceList (*enumerate)();
  /// Opens the device of that name, as enumerate() gave it.
  Result<std::unique_ptr<Device>> (*open)(std::string_view name);
};

}  // namespace accy::runtime
