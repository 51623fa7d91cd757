// The part of the CUDA driver's C interface that accy calls: own declarations, so that building
// needs no toolkit. A test compares them with cuda.h where that exists.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace accy::cuda::driver {

using Code = int;           ///< CUresult
using Ordinal = int;        ///< CUdevice
using Address = unsigned long long;  ///< CUdeviceptr
struct ContextObject;
struct ModuleObject;
struct FunctionObject;
struct StreamObject;
struct EventObject;
using ContextHandle = ContextObject*;
using ModuleHandle = ModuleObject*;
using FunctionHandle = FunctionObject*;
using StreamHandle = StreamObject*;
using EventHandle = EventObject*;

struct Uuid {
  std::array<unsigned char, 16> bytes;
};

/// CUdevice_attribute, those asked for.
enum Attribute : int {
  max_threads_per_block = 1,
  max_block_dim_x = 2,
  max_block_dim_y = 3,
  max_block_dim_z = 4,
  max_grid_dim_x = 5,
  max_grid_dim_y = 6,
  max_grid_dim_z = 7,
  max_shared_memory_per_block = 8,
  warp_size_attribute = 10,
  integrated = 18,
  compute_capability_major = 75,
  compute_capability_minor = 76,
};

/// CUjit_option, those set.
enum JitOption : int { error_log_buffer = 5, error_log_buffer_size_bytes = 6 };

/// CUresult, those that are told apart.
enum : Code {
  success = 0,
  out_of_memory = 2,
  deinitialized = 4,
  device_unavailable = 46,
  no_device = 100,
  no_binary_for_gpu = 209,
  ecc_uncorrectable = 214,
  nvlink_uncorrectable = 220,
  jit_compiler_not_found = 221,
  unsupported_ptx_version = 222,
  jit_compilation_disabled = 223,
  not_ready = 600,
  illegal_address = 700,
  launch_timeout = 702,
  assert_failed = 710,
  hardware_stack_error = 714,
  illegal_instruction = 715,
  misaligned_address = 716,
  invalid_address_space = 717,
  invalid_program_counter = 718,
  launch_failed = 719,
};

/// Markers in the `extra` array of a launch.
inline void* const parameter_end = nullptr;
inline void* const parameter_buffer_pointer = reinterpret_cast<void*>(std::uintptr_t{1});
inline void* const parameter_buffer_size = reinterpret_cast<void*>(std::uintptr_t{2});

}  // namespace accy::cuda::driver

/// Every entry point: X(member, exported symbol, parameter types). All return a Code. Symbols are
/// the oldest with these semantics, so that old drivers have them.
#define ACCY_CUDA_DRIVER_FUNCTIONS(X)                                                              \
  X(get_error_name, cuGetErrorName, (Code, const char**))                                          \
  X(init, cuInit, (unsigned int))                                                                  \
  X(driver_get_version, cuDriverGetVersion, (int*))                                                \
  X(device_get_count, cuDeviceGetCount, (int*))                                                    \
  X(device_get, cuDeviceGet, (Ordinal*, int))                                                      \
  X(device_get_name, cuDeviceGetName, (char*, int, Ordinal))                                       \
  X(device_get_uuid, cuDeviceGetUuid, (Uuid*, Ordinal))                                            \
  X(device_total_memory, cuDeviceTotalMem_v2, (std::size_t*, Ordinal))                             \
  X(device_get_attribute, cuDeviceGetAttribute, (int*, Attribute, Ordinal))                        \
  X(primary_context_retain, cuDevicePrimaryCtxRetain, (ContextHandle*, Ordinal))                   \
  X(primary_context_release, cuDevicePrimaryCtxRelease, (Ordinal))                                 \
  X(context_push, cuCtxPushCurrent_v2, (ContextHandle))                                            \
  X(context_pop, cuCtxPopCurrent_v2, (ContextHandle*))                                             \
  X(memory_allocate, cuMemAlloc_v2, (Address*, std::size_t))                                       \
  X(memory_free, cuMemFree_v2, (Address))                                                          \
  X(copy_to_device, cuMemcpyHtoD_v2, (Address, const void*, std::size_t))                          \
  X(copy_to_host, cuMemcpyDtoH_v2, (void*, Address, std::size_t))                                  \
  X(copy_on_device, cuMemcpyDtoDAsync_v2, (Address, Address, std::size_t, StreamHandle))           \
  X(module_load, cuModuleLoadDataEx,                                                               \
    (ModuleHandle*, const void*, unsigned int, JitOption*, void**))                                \
  X(module_unload, cuModuleUnload, (ModuleHandle))                                                 \
  X(module_get_function, cuModuleGetFunction, (FunctionHandle*, ModuleHandle, const char*))        \
  X(stream_create, cuStreamCreate, (StreamHandle*, unsigned int))                                  \
  X(stream_destroy, cuStreamDestroy_v2, (StreamHandle))                                            \
  X(event_create, cuEventCreate, (EventHandle*, unsigned int))                                     \
  X(event_destroy, cuEventDestroy_v2, (EventHandle))                                               \
  X(event_record, cuEventRecord, (EventHandle, StreamHandle))                                      \
  X(event_query, cuEventQuery, (EventHandle))                                                      \
  X(event_elapsed, cuEventElapsedTime, (float*, EventHandle, EventHandle))                         \
  X(launch, cuLaunchKernel,                                                                        \
    (FunctionHandle, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int,         \
     unsigned int, unsigned int, StreamHandle, void**, void**))

namespace accy::cuda::driver {

/// The entry points as a table, so that a test can put a driver of its own behind it.
struct Api {
#define ACCY_CUDA_MEMBER(member, symbol, parameters) Code(*member) parameters = nullptr;
  ACCY_CUDA_DRIVER_FUNCTIONS(ACCY_CUDA_MEMBER)
#undef ACCY_CUDA_MEMBER
};

/// Exported names, by member of Api, for messages.
namespace symbols {
#define ACCY_CUDA_SYMBOL(member, symbol, parameters) inline constexpr const char* member = #symbol;
ACCY_CUDA_DRIVER_FUNCTIONS(ACCY_CUDA_SYMBOL)
#undef ACCY_CUDA_SYMBOL
}  // namespace symbols

}  // namespace accy::cuda::driver
